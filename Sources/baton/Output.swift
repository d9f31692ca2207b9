import ArgumentParser
import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Prints one line to standard output at once, because another program may wait for it.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// Writes one line of JSON to standard output: unchanged for a program. On a terminal, what would act on it is escaped.
func put(_ json: [UInt8]) throws(ExitCode) { try writeLine(forReader(json)) }

func put(json: String) throws(ExitCode) { try put(Array(json.utf8)) }

/// Prints one line of JSON at once, as `put` writes it.
func say(json: [UInt8]) { say(String(decoding: forReader(json), as: UTF8.self)) }

/// A line of JSON for whoever reads standard output.
private func forReader(_ json: [UInt8]) -> [UInt8] {
  Terminal.isOutput ? Array(seenJSON(json, onlyASCII: Glyphs.areOnlyASCII).utf8) : json
}

/// Writes one line of text to standard output.
func put(_ line: String) throws(ExitCode) { try writeLine(Array(line.utf8)) }

/// Writes one line to standard output at once. If no program reads the output any more, it ends the program without a
/// message. If the output cannot be written, it ends the program with a message.
private func writeLine(_ line: [UInt8]) throws(ExitCode) {
  var rest = (line + [UInt8(ascii: "\n")])[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno == EPIPE {
      throw .success
    } else if errno != EINTR, errno != EAGAIN || !waitForRoom() {
      talk("baton: standard output cannot be written: \(String(cString: strerror(errno)))")
      throw .failure
    }
  }
}

/// Waits until the output takes bytes: another program at the same terminal may have made it non-blocking.
private func waitForRoom() -> Bool {
  var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
  return poll(&output, 1, -1) > 0
}

/// Returns once no program reads standard output any more, which may be never. It blocks the main thread; all other
/// work is done on other threads.
@MainActor func waitUntilNobodyReads() {
  var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
  while poll(&output, 1, -1) < 0, errno == EINTR {}
}

/// Ends the program like a write to a pipe that no program reads, but without waiting for something to write.
func endWhereNobodyReads() {
  Task { @MainActor in
    waitUntilNobodyReads()
    raise(SIGPIPE)
    // The signal may be ignored, if the parent process wanted that.
    BatonCommand.exit()
  }
}
