import Foundation
import ProgramKit
import Testing

/// A server with handlers made by `baton handle`.
extension RunningServer {
  /// Starts a handler and waits until it stands in its chain.
  func handler(_ arguments: String...) throws -> Program {
    let program = try Program(["handle", "--server", address] + arguments)
    try expectConnected(program)
    return program
  }

  func expectConnected(_ handler: Program) throws {
    while let line = handler.errorLine() {
      if line == "baton: connected to \(place)" || line.hasPrefix("baton: connected to \(place) after ") { return }
    }
    Issue.record("the handler has ended")
  }

  /// Kills the server and starts another in its place.
  func replace() throws {
    try kill()
    try startAgain()
  }

  /// Sends a message and returns its result, without the walk's number.
  func send(_ topic: String, _ payload: String? = nil, _ more: String = "") throws -> String {
    let payload = payload.map { #","payload":\#($0)"# } ?? ""
    let result = try #require(try peer().ask(#"{"op":"send","topic":"\#(topic)"\#(payload)\#(more)}"#))
    return result.replacing(/,"walk":\d+}/, with: "}")
  }

  /// Waits until the server says that this many milliseconds are over: the deadline of a message that nobody answers.
  func waitForDeadline(of milliseconds: Int) throws {
    let handler = try peer(saying: #"{"op":"insert","chain":"clock","handler":"clock"}"#)
    let sender = try peer()
    let result = sender.ask(#"{"op":"send","chain":"clock","topic":"t","timeout_ms":\#(milliseconds)}"#)
    #expect(result?.contains(#""status":"timeout""#) == true)
    withExtendedLifetime(handler) {}
  }
}

/// A named pipe by which a test holds a script until the test lets it go on.
struct Gate {
  let path = FileManager.default.temporaryDirectory.appending(path: "baton-gate-\(UUID())").path

  init() throws { try #require(mkfifo(path, 0o600) == 0) }

  /// Lets the script that waits at `cat PATH` go on, and gives it this text to read. Waits until there is such a
  /// script.
  func open(with text: String) throws {
    try text.write(to: URL(filePath: path), atomically: false, encoding: .utf8)
  }

  func remove() { unlink(path) }
}

/// Whether a process has ended. On Linux an ended process stays listed until its exit code has been asked for.
func isGone(_ pid: Int32) -> Bool {
  if kill(pid, 0) != 0 { return true }
  let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
  return state?.contains(") Z ") == true
}
