import Foundation
import ProgramKit
import Testing

/// `baton stored`: what waits of durable messages, at the real server.
@Suite struct StoredTests {
  private let server: RunningServer
  private let file: String
  private let store: String

  init() throws {
    (file, store) = (freshPath() + ".yaml", freshPath() + ".db")
    try "open: local\nchains:\n  orders: { links: [{ handler: bill }] }\n  post: { links: [{ handler: mail }] }\n"
      .write(toFile: file, atomically: false, encoding: .utf8)
    server = try RunningServer(["--config", file, "--store", store])
  }

  private func removeFiles() {
    unlink(file)
    for end in ["", "-wal", "-shm", ".mark", ".lock"] { unlink(store + end) }
  }

  /// Sends a durable message; returns its name.
  private func send(_ arguments: String...) throws -> String {
    let program = try server.run(["send", "a", "1", "--durable", "--accepted"] + arguments)
    let name = try #require(program.line())
    #expect(program.wait() == 0)
    return name
  }

  @Test func whatWaitsIsListed() throws {
    defer { removeFiles() }
    let late = try send("--chain", "orders", "--delay", "1h", "--once", "order-17")
    let stalled = try send("--chain", "post")
    let program = try server.run("stored")
    let lines = program.remainingLines().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    #expect(program.wait() == 0)
    #expect(
      lines.first == ["stored", "chain", "state", "tries", "cause", "next_try_ms", "why", "identity", "ago_ms"])
    #expect(lines.dropFirst().map { $0[0] } == [Substring(late), Substring(stalled)], "\(lines)")
    #expect(lines.dropFirst().map { $0[1] } == ["orders", "post"])
    #expect(lines.dropFirst().map { $0[2] } == ["delayed", "waiting"])
    #expect(lines.last?[6] == "uncounted")
    // One chain, and fewer than there are.
    let one = try server.run("stored", "--chain", "post")
    #expect(one.remainingLines().dropFirst().allSatisfy { $0.hasPrefix(stalled) })
    #expect(one.wait() == 0)
    let few = try server.run("stored", "--limit", "1")
    #expect(few.remainingLines().count == 2)
    #expect(few.remainingErrorLines().first?.contains("and more: --limit 5") == true)
    #expect(few.wait() == 0)
    let terminal = try server.show("stored", columns: 80)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines[1].contains(late) && terminal.screen.lines[2].contains("waits for"))
    #expect(terminal.screen.faults == [])
  }

  @Test func oneIsAskedForByTheSendersOwnName() throws {
    defer { removeFiles() }
    let late = try send("--chain", "orders", "--delay", "1h", "--once", "order-17")
    let program = try server.run("stored", "--once", "order-17")
    #expect(program.line()?.hasPrefix("\(late)\torders\tdelayed\t0\t") == true)
    #expect(program.wait() == 0)
    let other = try server.run("stored", "--once", "order-18")
    #expect(other.errorLine()?.contains("--once order-18") == true)
    #expect(other.wait() == 1)
    let both = try server.run("stored", late, "--once", "order-17")
    #expect(both.errorLine()?.contains("give one of these") == true)
    #expect(both.wait() == 64)
  }

  @Test func nothingWaits() throws {
    defer { removeFiles() }
    let terminal = try server.show("stored", columns: 80)
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.lines.first == "No durable message waits.")
    let without = try RunningServer()
    let program = try without.run("stored")
    #expect(program.errorLine()?.contains("(no_store)") == true)
    #expect(program.wait() == 1)
  }
}
