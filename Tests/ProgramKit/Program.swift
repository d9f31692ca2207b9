import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A program started by a test, nearly always `baton`: its lines, its end, its signals.
///
/// Every wait ends after `patience`, so that a test fails instead of hanging. Nothing else depends on that time.
package final class Program {
  private let child: Child
  private let output: LineSource
  private let errors: LineSource?
  private let logPath: String?
  /// The writing end of its standard input, if the test writes to it.
  private var input: Int32?

  /// Milliseconds that a test waits for something that must come.
  package static let patience: Int32 = 60_000

  /// Where its standard error goes: to lines of their own, among the lines of its output, or into the file of `log`,
  /// which never fills up.
  package enum Errors {
    case apart, amongOutput, intoLog
  }

  /// Starts `baton`, or the program at `path`, with `arguments`. `limitingFilesTo` sets its file limit,
  /// `limitingMemoryTo` the KiB of its address space. `environment` (`NAME=value`) comes before what it inherits. With `hasInput` its standard input is what the test types, with
  /// `inputFile` that file, and else nothing. A program that leads a group is ended together with the group.
  package init(
    _ arguments: [String], limitingFilesTo files: Int? = nil, limitingMemoryTo kibibytes: Int? = nil,
    environment: [String] = [], path: String? = nil,
    hasInput: Bool = false, inputFile: String? = nil, errors: Errors = .apart, leading lead: Child.Lead = .nothing
  ) throws {
    let out = try PrivateStream()
    let err = try errors == .apart ? PrivateStream() : nil
    let keyboard = try hasInput ? PrivateStream() : nil
    let logPath = errors == .intoLog ? freshPath() + ".log" : nil
    // Descriptors that the test's own process has open and hands down would count against the program's limit.
    if files != nil { for descriptor in Int32(3)..<1024 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) } }
    let limits = [files.map { "ulimit -n \($0); " }, kibibytes.map { "ulimit -v \($0); " }].compactMap(\.self).joined()
    let limited = limits.isEmpty ? [] : ["/bin/sh", "-c", limits + "exec \"$@\"", "sh"]
    defer { for stream in [out, err, keyboard] { if let stream { close(stream.theirs) } } }
    child = try Child(
      limited + [path ?? Program.path] + arguments, environment: environment + Child.environment, leading: lead
    ) { streams in
      posix_spawn_file_actions_adddup2(&streams, out.theirs, 1)
      if let logPath { posix_spawn_file_actions_addopen(&streams, 2, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
      if errors != .intoLog { posix_spawn_file_actions_adddup2(&streams, (err ?? out).theirs, 2) }
      if let keyboard {
        posix_spawn_file_actions_adddup2(&streams, keyboard.theirs, 0)
      } else {
        posix_spawn_file_actions_addopen(&streams, 0, inputFile ?? "/dev/null", O_RDONLY, 0)
      }
    }
    input = keyboard?.ours
    output = LineSource(out.ours)
    self.errors = err.map { LineSource($0.ours) }
    self.logPath = logPath
  }

  /// Starts a line of the shell. Everything that the line starts is in one group. It takes what is typed, and its
  /// standard error is among its output.
  package convenience init(shell line: String) throws {
    try self.init(["-c", line], path: "/bin/bash", hasInput: true, errors: .amongOutput, leading: .group)
  }

  deinit {
    endInput()
    if let logPath { unlink(logPath) }
  }

  // MARK: Typing

  /// Writes to its standard input. A program that has ended takes nothing; the test notices by what it does not print.
  package func type(_ text: String) {
    guard let input else { return }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemSend(input, $0.baseAddress, $0.count, noSignal) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the standard input: nothing more is typed.
  package func endInput() {
    if let input { close(input) }
    input = nil
  }

  // MARK: Its lines

  /// Stops reading its standard output, like the next program in a pipe that has ended.
  package func stopReading() { shutdown(output.descriptor, Int32(SHUT_RDWR)) }

  /// The next line of standard output, or nil at its end.
  package func line() -> String? { output.line() }

  /// All lines that still come on standard output.
  package func remainingLines() -> [String] { output.remainingLines() }

  /// The next line of standard error, or nil at its end.
  package func errorLine() -> String? { errors?.line() }

  /// All lines that still come on standard error.
  package func remainingErrorLines() -> [String] { errors?.remainingLines() ?? [] }

  /// What it has written into its log so far.
  package var log: String { logPath.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? "" }

  // MARK: The process

  /// Its number in the system.
  package var number: Int32 { child.number }

  package var isRunning: Bool { child.isRunning }

  package func send(_ signal: Int32) { child.send(signal) }

  /// Ctrl-C: the signal goes to all of its group.
  package func interrupt() { child.sendToGroup(SIGINT) }

  /// Waits for the end and returns the exit code, or the negated signal. A program that does not end in that time is killed.
  package func wait(within milliseconds: Int32 = patience) -> Int32 {
    // Its streams end when the program ends. After that the wait for it is short.
    let sources = [output] + (errors.map { [$0] } ?? [])
    LineSource.readToTheEnds(of: sources, within: milliseconds)
    if !sources.allSatisfy(\.hasEnded) { child.kill() }
    return child.wait()
  }

  /// The path of `baton`. The build puts it beside the tests' own bundle. The environment's `BATON` names another.
  package static var path: String {
    if let named = ProcessInfo.processInfo.environment["BATON"] { return named }
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let directory = (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #else
      let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #endif
    return directory.appendingPathComponent("baton").path
  }
}

/// What Linux says of a process.
extension Program {
  /// Its resident memory; nil if the system does not tell.
  package var residentKilobytes: Int? {
    let status = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }
  }

  /// The numbers of the descriptors that it has open.
  package func openFiles() throws -> [Int] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/fd").compactMap { Int($0) }
  }
}

/// A path at which there is nothing, short enough for a socket.
package func freshPath() -> String { "/tmp/baton-\(UUID().uuidString.prefix(13))" }

/// The system's own `send`, which the method of that name hides.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(socket, bytes, count, flags)
}
