import Foundation

/// One program that is running, with whatever it started itself: what is typed into it, what it prints, how it ends.
///
/// Its process group is ended with it, so that nothing of a pipeline stays behind.
final class Command {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var printed: [UInt8] = []
  private var hasEnded = false

  /// How long a line or an end is waited for. Only what is broken takes so long.
  private static let patience = Duration.seconds(20)

  /// Starts a program with its arguments. What it says on standard error counts as printed.
  init(_ program: String, _ arguments: [String]) throws {
    // A command that has ended is told by what it prints, not by a signal to whoever types into it.
    signal(SIGPIPE, SIG_IGN)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try runHearingSignals()
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    // What has ended already has no group any more.
    let group = getpgid(process.processIdentifier)
    guard group == process.processIdentifier || group == -1 else {
      process.terminate()
      throw TourError("\(program) has no process group of its own")
    }
  }

  /// Starts a line of the shell.
  convenience init(shell line: String) throws { try self.init("/bin/bash", ["-c", line]) }

  /// Types a line.
  func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

  /// Ctrl-D: there is nothing more to type.
  func endInput() throws { try input.fileHandleForWriting.close() }

  /// Ctrl-C: the signal goes to all of the pipeline.
  func interrupt() { kill(-process.processIdentifier, SIGINT) }

  /// The next line that it prints.
  func nextLine() throws -> String {
    let end = ContinuousClock.now + Self.patience
    while true {
      if let feed = printed.firstIndex(of: 0x0A) {
        defer { printed.removeFirst(feed + 1) }
        return String(decoding: printed[..<feed], as: UTF8.self)
      }
      guard !hasEnded else { throw TourError("it has ended") }
      try read(until: end)
    }
  }

  /// Waits until all of the pipeline has ended, and returns what it printed that nobody has asked for.
  func rest() throws -> String {
    let end = ContinuousClock.now + Self.patience
    while !hasEnded { try read(until: end) }
    process.waitUntilExit()
    return String(decoding: printed, as: UTF8.self)
  }

  /// Ends all of the pipeline, whatever it does.
  func end() {
    if !hasEnded { kill(-process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// A child blocks the signals that the thread which starts it blocks, and the tests' threads block nearly all.
  private func runHearingSignals() throws {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  private func read(until end: ContinuousClock.Instant) throws {
    let left = Int32(max(0, (end - ContinuousClock.now) / .milliseconds(1)))
    var entry = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, left) > 0 else { throw TourError("nothing more came within \(Self.patience)") }
    let bytes = output.fileHandleForReading.availableData
    printed += bytes
    hasEnded = bytes.isEmpty
  }
}
