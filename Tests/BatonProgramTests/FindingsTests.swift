import Foundation
import ProgramKit
import Testing

/// Each finding of the real server is brought about, and `baton doctor` shows it.
@Suite struct FindingsTests {
  /// What the doctor says of a finding; nil if it does not have it.
  private func find(_ what: String, at server: RunningServer) throws -> [Substring]? {
    let doctor = try server.run("doctor")
    let lines = doctor.remainingLines().map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
    let found = lines.first { $0[1] == what }
    #expect(doctor.wait() == (lines.contains { $0[0] == "wrong" } ? 1 : 0))
    return found
  }

  /// Expects the finding, with a reason and with what to do.
  private func expect(_ level: String, _ what: String, about subject: String, at server: RunningServer) throws {
    let found = try #require(try find(what, at: server), "there is no finding \(what)")
    #expect(found[0] == level)
    #expect(found[2] == subject)
    #expect(!found[3].isEmpty && !found[4].isEmpty, "\(found)")
  }

  @Test func aBreaker() throws {
    let server = try RunningServer(set: ["breaker_offers": 1])
    let slow = try server.peer(saying: #"{"op":"insert","handler":"slow","timeout_ms":20}"#)
    _ = try server.send("door.open")
    try expect("wrong", "breaker", about: "main/slow", at: server)
    withExtendedLifetime(slow) {}
  }

  @Test func anEmptyGuardedPlace() throws {
    let server = try RunningServer(["--guard", "main/policy"])
    try expect("wrong", "absent", about: "main/policy", at: server)
    let policy = try server.peer(saying: #"{"op":"insert","handler":"policy"}"#)
    #expect(try find("absent", at: server) == nil)
    withExtendedLifetime(policy) {}
  }

  @Test func aLinkThatFails() throws {
    let server = try RunningServer()
    let words = try server.peer(saying: #"{"op":"insert","handler":"words"}"#)
    let sender = try server.peer()
    for number in 1...20 {
      sender.say(#"{"op":"send","topic":"chat.room"}"#)
      _ = words.line()
      words.say(number > 17 ? #"{"op":"failed","message":"no such file"}"# : #"{"op":"handled"}"#)
      _ = sender.line()
      if number == 19 { #expect(try find("failing", at: server) == nil) }
    }
    try expect("warning", "failing", about: "main/words", at: server)
  }

  @Test func aMessageThatWaits() throws {
    let server = try RunningServer()
    let slow = try server.peer(saying: #"{"op":"insert","handler":"slow","window":1}"#)
    let sender = try server.peer()
    for _ in 1...2 { sender.say(#"{"op":"send","topic":"door.open","timeout_ms":60000}"#) }
    _ = slow.line()
    #expect(sender.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    #expect(try find("waiting", at: server) == nil)
    try server.waitForDeadline(of: 10_100)
    try expect("warning", "waiting", about: "main/slow", at: server)
  }

  @Test func aSenderThatIsNotRead() throws {
    let server = try RunningServer(set: ["max_open_messages": 1])
    let slow = try server.peer(saying: #"{"op":"insert","handler":"slow"}"#)
    let sender = try server.peer(saying: #"{"op":"hello","name":"anna"}"#)
    sender.say(#"{"op":"send","topic":"door.open"}"#)
    _ = slow.line()
    try server.waitForDeadline(of: 1100)
    try expect("warning", "paused", about: "connection 2 (anna)", at: server)
  }

  @Test func aSubscriberThatMissesEvents() throws {
    let server = try RunningServer(at: ["unix:"], set: ["events_unsent_bytes": 4096])
    let reader = try server.peer(saying: #"{"op":"hello","name":"slow"}"#, #"{"op":"subscribe","topics":[">"]}"#)
    let sender = try server.peer()
    let text = String(repeating: "t", count: 1000)
    for _ in 0..<5000 { sender.say(#"{"op":"broadcast","topic":"a","payload":"\#(text)","reply":false}"#) }
    #expect(sender.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    try expect("warning", "missed", about: "connection 1 (slow)", at: server)
    withExtendedLifetime(reader) {}
  }

  @Test func aLimitThatIsNear() throws {
    let server = try RunningServer(set: ["max_links": 4])
    let peers = try (1...4).map { try server.peer(saying: #"{"op":"insert","handler":"h\#($0)"}"#) }
    try expect("warning", "limit", about: "max_links", at: server)
    withExtendedLifetime(peers) {}
  }

  @Test func aServerThatIsOpenToOtherMachines() throws {
    try expect("warning", "open", about: "", at: RunningServer(["--open"], at: ["0.0.0.0:0"]))
    #expect(try find("open", at: RunningServer()) == nil)
  }
}
