internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Writes lines to a descriptor, on a thread of its own and in their order, so that whoever reads the descriptor cannot
/// stop the server.
///
/// Lines wait in a queue with limits. What does not fit is counted, and a line tells how many lines are missing where
/// they are missing. The thread starts with the first line: a server that logs nothing has one thread, for which memory
/// costs less.
public final class LogWriter: Sendable {
  /// One piece of the queue.
  private enum Entry {
    case line(String)
    /// Here lines are missing, `Queue.missing` of them.
    case gap
  }

  private struct Queue {
    var entries: [Entry] = []
    /// Lines and their bytes that were not written yet, also those that the thread has taken. A gap counts as a line.
    var lines = 0
    var bytes = 0
    /// Lines that did not fit. Until the thread comes to the gap, no line is taken in, so there is one gap at most.
    var missing = 0
    var hasThread = false
  }

  private let descriptor: Int32
  private let maxLines: Int
  private let maxBytes: Int
  /// What its lines look like.
  let format: LogFormat
  private let queue = Monitor(Queue())

  /// Nothing is written yet. `maxLines` and `maxBytes` are what may wait.
  public init(to descriptor: Int32, format: LogFormat = .text, maxLines: Int = 8192, maxBytes: Int = 1 << 20) {
    self.descriptor = descriptor
    self.format = format
    self.maxLines = maxLines
    self.maxBytes = maxBytes
  }

  /// A writer to standard error.
  public static func toStandardError(format: LogFormat = .text) -> LogWriter {
    LogWriter(to: STDERR_FILENO, format: format)
  }

  /// Has a line written soon, if there is room for it. The line ends with its LF.
  func add(_ line: String) {
    let count = line.utf8.count
    queue.use { queue in
      if !queue.hasThread { queue.hasThread = SideThread.start { self.work() } }
      if queue.missing > 0 {
        queue.missing += 1
      } else if queue.lines < maxLines && queue.bytes + count <= maxBytes {
        queue.entries.append(.line(line))
        queue.lines += 1
        queue.bytes += count
      } else {
        queue.entries.append(.gap)
        queue.lines += 1
        queue.missing = 1
      }
    }
  }

  /// Waits until everything is written, for at most so many milliseconds. Returns false if something is left.
  @discardableResult public func finish(within milliseconds: Int = 1000) -> Bool {
    queue.wait(milliseconds: milliseconds) { $0.lines == 0 || !$0.hasThread }
  }

  // MARK: The thread

  private func work() {
    /// Lines that could not be written since the last one that could.
    var failed = 0
    var reason: Int32 = 0
    while true {
      for entry in nextEntries() {
        let line =
          switch entry {
          case .line(let line): line
          case .gap: note(endGap(), "standard error takes them too slowly")
          }
        if let error = write(line) {
          (failed, reason) = (failed + 1, error)
        } else if failed > 0, write(note(failed, String(cString: strerror(reason)))) == nil {
          failed = 0
        }
        isDone(with: entry)
      }
    }
  }

  private func nextEntries() -> [Entry] {
    queue.wait { queue in
      if queue.entries.isEmpty { return nil }
      defer { queue.entries = [] }
      return queue.entries
    }
  }

  /// How many lines are missing at the gap. From now on there is room again.
  private func endGap() -> Int {
    queue.use { queue in
      defer { queue.missing = 0 }
      return queue.missing
    }
  }

  private func isDone(with entry: Entry) {
    queue.use { queue in
      queue.lines -= 1
      if case .line(let line) = entry { queue.bytes -= line.utf8.count }
    }
  }

  private func note(_ count: Int, _ reason: String) -> String {
    format.line(.warning, "\(count) \(count == 1 ? "line was" : "lines were") not logged, because \(reason)")
  }

  /// Writes a line in one call, as far as that is possible, so that lines of several processes with the same standard
  /// error do not mix. Returns the error if it cannot be written.
  private func write(_ line: String) -> Int32? {
    var line = line
    return line.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        #if canImport(Darwin)
          let count = Darwin.write(descriptor, start, rest.count)
        #else
          let count = Glibc.write(descriptor, start, rest.count)
        #endif
        if count >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        } else if errno != EINTR, errno != EAGAIN || !waitForRoom() {
          return errno
        }
      }
      return nil
    }
  }

  /// Another program with the same standard error may have made it non-blocking.
  private func waitForRoom() -> Bool {
    var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&output, 1, -1) >= 0 || errno == EINTR
  }
}
