import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The real program, started by a test: its lines, its end, its signals.
///
/// Every wait has a bound of `patience`, so that a test fails instead of hanging; no test is right or wrong by it.
package final class Program {
  private let process: pid_t
  private let output: LineSource
  private let errors: LineSource
  /// The writing end of its standard input, where the test writes it.
  private var input: Int32?
  private var exitCode: Int32?

  /// Milliseconds that a test waits for something that must come.
  package static let patience: Int32 = 30_000

  /// Starts `baton`, or the program at `path`, with `arguments`. `limitingFilesTo` sets the file limit that it finds,
  /// `environment` (`NAME=value`) stands before what it inherits. With `hasInput` its standard input is what the test
  /// types.
  package init(
    _ arguments: [String], limitingFilesTo files: Int? = nil, environment: [String] = [], path: String? = nil,
    hasInput: Bool = false
  ) throws {
    let out = try PrivateStream()
    let err = try PrivateStream()
    let keyboard = try hasInput ? PrivateStream() : nil
    // What the test's own process has open, and was handed down to it, would count against the program's limit.
    if files != nil { for descriptor in Int32(3)..<1024 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) } }
    let limit = files.map { "ulimit -n \($0); " } ?? ""
    defer {
      close(out.theirs)
      close(err.theirs)
      if let keyboard { close(keyboard.theirs) }
    }
    process = try Child.start(
      ["/bin/sh", "-c", limit + "exec \"$@\"", "sh", path ?? Program.path] + arguments,
      environment: environment + Child.environment
    ) { streams in
      posix_spawn_file_actions_adddup2(&streams, out.theirs, 1)
      posix_spawn_file_actions_adddup2(&streams, err.theirs, 2)
      if let keyboard { posix_spawn_file_actions_adddup2(&streams, keyboard.theirs, 0) }
    }
    input = keyboard?.ours
    output = LineSource(out.ours)
    errors = LineSource(err.ours)
  }

  deinit {
    endInput()
    if exitCode == nil {
      kill(process, SIGKILL)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
  }

  /// Writes to its standard input.
  package func type(_ text: String) {
    guard let input else { return }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemSend(input, $0.baseAddress, $0.count, noSignal) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Nothing more is typed.
  package func endInput() {
    if let input { close(input) }
    input = nil
  }

  /// Reads its standard output no more, as a program behind it in a pipe that has ended.
  package func stopReading() { shutdown(output.descriptor, Int32(SHUT_RDWR)) }

  /// All that is still to come on standard output.
  package func remainingLines() -> [String] {
    var lines: [String] = []
    while let line = output.line() { lines.append(line) }
    return lines
  }

  /// The next line of standard output, or nil at its end.
  package func line() -> String? { output.line() }

  /// The next line of standard error, or nil at its end.
  package func errorLine() -> String? { errors.line() }

  /// All that is still to come on standard error.
  package func remainingErrorLines() -> [String] {
    var lines: [String] = []
    while let line = errors.line() { lines.append(line) }
    return lines
  }

  /// Reads start-up's lines up to the limits, and returns the places after `listening on`.
  package func places() -> [String] {
    var places: [String] = []
    while let line = output.line(), !line.hasPrefix("limits: ") {
      if line.hasPrefix("listening on ") { places.append(String(line.dropFirst("listening on ".count))) }
    }
    return places
  }

  /// Its number in the system.
  package var number: Int32 { process }

  package func send(_ signal: Int32) { kill(process, signal) }

  /// Waits for the end and returns the exit code, or the negated signal. Who does not end for too long is killed.
  package func wait() -> Int32 {
    if let exitCode { return exitCode }
    // Both ends close with the program; only then is the wait for it short.
    LineSource.readToTheEnds(of: [output, errors])
    if !output.hasEnded || !errors.hasEnded { kill(process, SIGKILL) }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    exitCode = code
    return code
  }

  /// Beside the tests' own bundle, where the build puts all products.
  package static var path: String {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let directory = (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #else
      let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    #endif
    return directory.appendingPathComponent("baton").path
  }
}

/// The system's own, which the method of that name hides.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(socket, bytes, count, flags)
}
