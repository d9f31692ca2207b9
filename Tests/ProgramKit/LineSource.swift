#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lines from a descriptor, which it owns.
final class LineSource {
  let descriptor: Int32
  /// What was read; everything before `start` was handed out.
  private var bytes: [UInt8] = []
  private var start = 0
  /// There is no LF between `start` and here.
  private var searched = 0
  /// True once the other side has ended, or the connection broke.
  private(set) var hasEnded = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// What was read after the last line.
  var unfinished: [UInt8] { Array(bytes[start...]) }

  /// The next of the lines that were already read, without its LF.
  func takeLine() -> [UInt8]? {
    guard let end = nextFeed() else { return nil }
    let line = Array(bytes[start..<end])
    start = end + 1
    searched = start
    // This is not done after every line, because what is left moves each time.
    if start > 1 << 16 || start == bytes.count {
      bytes.removeSubrange(..<start)
      (start, searched) = (0, 0)
    }
    return line
  }

  private func nextFeed() -> Int? {
    guard searched < bytes.count else { return nil }
    let found = bytes.withUnsafeBytes { all -> Int? in
      guard let base = all.baseAddress, let feed = memchr(base + searched, 0x0A, all.count - searched) else {
        return nil
      }
      return UnsafeRawPointer(feed) - base
    }
    searched = found ?? bytes.count
    return found
  }

  /// The next line; nil at the end, after an error, or if nothing comes for this many milliseconds.
  func lineOfBytes(within milliseconds: Int32 = Program.patience) -> [UInt8]? {
    while true {
      if let line = takeLine() { return line }
      guard Self.poll([self], milliseconds: milliseconds), readPart() else { return nil }
    }
  }

  /// The same as text.
  func line() -> String? { lineOfBytes().map { String(decoding: $0, as: UTF8.self) } }

  /// All lines up to the end, and what comes after the last one.
  func remainingLines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return unfinished.isEmpty ? lines : lines + [String(decoding: unfinished, as: UTF8.self)]
  }

  /// The lines that have already come, without waiting for more.
  func linesAtHand() -> [String] {
    readWhatIsThere()
    var lines: [String] = []
    while let line = takeLine() { lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  func readWhatIsThere() {
    while !hasEnded, Self.poll([self], milliseconds: 0) { _ = readPart() }
  }

  /// Waits until one of them has a line, a part of one, or its end; false if nothing comes for too long.
  static func wait(for sources: [LineSource]) -> Bool {
    sources.contains { $0.nextFeed() != nil } || poll(sources, milliseconds: Program.patience)
  }

  /// Reads all of them to their ends, as bytes come, and drops the bytes: a program that writes to a full one would
  /// wait.
  static func readToTheEnds(of sources: [LineSource], within milliseconds: Int32) {
    while case let open = sources.filter({ !$0.hasEnded }), !open.isEmpty, poll(open, milliseconds: milliseconds) {
      for source in open where poll([source], milliseconds: 0) {
        _ = source.readPart()
        source.bytes = []
        (source.start, source.searched) = (0, 0)
      }
    }
  }

  /// Waits until this one has something, or its end; false if one of the others ends first, or nothing comes for too
  /// long.
  func waitForSomething(orEndOf others: [LineSource]) -> Bool {
    if nextFeed() != nil { return true }
    var wanted = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    wanted += others.map { pollfd(fd: $0.descriptor, events: endEvents, revents: 0) }
    return Self.poll(&wanted, milliseconds: Program.patience) && wanted[0].revents != 0
  }

  /// Waits until bytes can be written, and reads meanwhile if told to; false if nothing moves for too long.
  func waitToWrite(reading: Bool) -> Bool {
    let events = Int16(POLLOUT) | (reading && !hasEnded ? Int16(POLLIN) : 0)
    var wanted = [pollfd(fd: descriptor, events: events, revents: 0)]
    guard Self.poll(&wanted, milliseconds: Program.patience) else { return false }
    if events & wanted[0].revents & Int16(POLLIN) != 0 { _ = readPart() }
    return true
  }

  /// Waits for this many milliseconds, or until the connection is broken.
  func waitForABreak(within milliseconds: Int32) {
    var wanted = [pollfd(fd: descriptor, events: 0, revents: 0)]
    _ = Self.poll(&wanted, milliseconds: milliseconds)
  }

  private static func poll(_ sources: [LineSource], milliseconds: Int32) -> Bool {
    var wanted = sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    return poll(&wanted, milliseconds: milliseconds)
  }

  private static func poll(_ wanted: inout [pollfd], milliseconds: Int32) -> Bool {
    while true {
      #if canImport(Darwin)
        let ready = Darwin.poll(&wanted, nfds_t(wanted.count), milliseconds)
      #else
        let ready = Glibc.poll(&wanted, nfds_t(wanted.count), milliseconds)
      #endif
      // A signal that the test's process got says nothing about the program.
      if ready >= 0 || errno != EINTR { return ready > 0 }
    }
  }

  /// Reads once; false at the end.
  private func readPart() -> Bool {
    let size = 65536
    var count = 0
    let part = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      count = read(descriptor, buffer.baseAddress, size)
      initialized = max(0, count)
    }
    if count <= 0 { hasEnded = true }
    bytes += part
    return count > 0
  }
}

/// The event that tells of an end although there are bytes to be read before it. Darwin tells only of a broken
/// connection.
#if canImport(Darwin)
  private let endEvents: Int16 = 0
#else
  // POLLRDHUP, which glibc shows only to C programs that define _GNU_SOURCE.
  private let endEvents: Int16 = 0x2000
#endif
