import Foundation
import ProgramKit
import Testing

/// `baton handle --persistent`: one program that talks JSON lines.
@Suite struct HandlePersistentTests {
  /// Answers offers with its process number, and does what their topics say.
  private static let script = #"""
    while read -r line; do
      echo "$line" >&2
      id=${line#*'"id":'}; id=${id%%,*}
      case $line in
        *'"topic":"die"'*) echo dying >&2; exit 3;;
        *'"topic":"wait"'*|*'"op":"lapsed"'*|*'"op":"notice"'*) ;;
        *'"topic":"chat"'*) echo; echo hello;;
        *'"topic":"dance"'*) echo '{"op":"dance","id":'$id'}';;
        *'"topic":"long"'*) printf 'é%.0s' $(seq 200); echo;;
        *'"topic":"endless"'*) cat /dev/zero;;
        *'"topic":"first"'*) echo '{"op":"handled","id":1}';;
        *'"topic":"other"'*) echo '{"op":"handled","id":99}'; echo '{"op":"handled","id":'$id'}';;
        *'"topic":"typo"'*) echo '{"op":"handled","id":'$id',"payloda":1}';;
        *'"topic":"no"'*) echo '{"op":"reject","id":'$id',"message":"no","code":7}';;
        *'"topic":"nameless"'*) echo '{"op":"handled"}';;
        *) echo '{"op":"handled","id":'$id',"payload":'$$'}';;
      esac
    done
    """#

  private func handler(_ server: RunningServer, policy: [String] = ["--on-failure", "stop"]) throws -> Program {
    let program = try Program(
      ["handle", "--server", server.address, ">", "--name", "h", "--persistent"] + policy
        + ["--", "sh", "-c", Self.script])
    try server.expectConnected(program)
    return program
  }

  /// The next line with this beginning that the program got, or that tells something of it.
  private func line(_ handler: Program, _ start: String) -> String? {
    var line = handler.errorLine()
    while line?.hasPrefix(start) == false { line = handler.errorLine() }
    return line
  }

  private func pid(_ result: String) -> Substring? { result.firstMatch(of: /"payload":(\d+)/)?.1 }

  @Test func oneProgramServesAll() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    let pids = try (1...5).map { _ in try #require(pid(server.send("t"))) }
    #expect(Set(pids).count == 1)
    #expect(
      handler.errorLine()?.hasPrefix(#"{"op":"offer","id":1,"walk":1,"chain":"main","handler":"h","topic":"t","#)
        == true)
    #expect(
      try server.send("no") == #"{"op":"result","status":"rejected","by":"h","message":"no","code":7,"hops":1}"#)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
    #expect(try isGone(#require(Int32(pids[0]))))
  }

  /// The result of an offer that was answered with a line that is no verdict.
  private func failed(_ line: String) -> String {
    let why = "the program wrote a line that is not a verdict: \(line)"
    return #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"\#(why)","hops":1}"#
  }

  @Test func whatIsNoVerdictFailsItsOfferAtOnce() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    #expect(try server.send("chat") == failed("hello"))
    #expect(try server.send("long") == failed(String(repeating: "é", count: 128)))
    let start = "h: the program wrote a line that is not a verdict: "
    #expect(line(handler, start) == start + "it is no JSON object: hello")
    #expect(try server.send("t").contains(#""status":"handled""#))
  }

  /// A line that names an offer fails that one, and not the oldest.
  @Test func aLineThatIsNoVerdictFailsTheOfferThatItNames() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    let sender = try server.peer()
    sender.say(#"{"op":"send","id":1,"topic":"wait"}"#)
    #expect(line(handler, #"{"op":"offer","id":1"#) != nil)
    #expect(try server.send("dance") == failed(#"{\"op\":\"dance\",\"id\":2}"#))
    handler.send(SIGKILL)
    #expect(sender.line()?.contains(#""cause":"disconnect""#) == true)
  }

  @Test func anAnswerToAnOfferThatIsNotOpenIsSaid() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    #expect(try server.send("other") == #"{"op":"result","status":"handled","by":"h","hops":1}"#)
    let start = "h: the program wrote a line that is not a verdict: "
    #expect(line(handler, start) == start + #"it answers an offer that is not open: {"op":"handled","id":99}"#)
    #expect(try server.send("typo").contains(#"did you mean \"payload\"?"#))
    #expect(line(handler, "baton: the server refused the answer of main/h at typo (walk ") != nil)
  }

  @Test func aProgramThatDiesFailsItsOffersAndIsStartedAgain() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    let first = try pid(server.send("t"))
    let sender = try server.peer()
    sender.say(#"{"op":"send","id":1,"topic":"wait"}"#)
    #expect(line(handler, #"{"op":"offer","id":2"#) != nil)
    #expect(
      try server.send("die")
        == #"{"op":"result","status":"failed","by":"h","cause":"failed","message":"dying","hops":1}"#)
    #expect(sender.line()?.contains(#""message":"dying""#) == true)
    #expect(line(handler, "h: the program ended with exit code 3; starting it again in ") != nil)
    let second = try pid(server.send("t"))
    #expect(second != nil && second != first)
  }

  @Test func itIsToldWhatHasLapsed() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    #expect(try server.send("wait", nil, #","timeout_ms":100"#).contains(#""status":"timeout""#))
    #expect(line(handler, #"{"op":"lapsed""#) == #"{"op":"lapsed","id":1,"chain":"main","handler":"h"}"#)
    // It still owes the answer to the offer that timed out: an answer without an id would belong to that one.
    #expect(try server.send("no").contains(#""status":"rejected""#))
  }

  @Test func noticesArePassedOn() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    _ = try server.peer().ask(#"{"op":"send","topic":"t","mode":"notify","payload":5}"#)
    #expect(line(handler, #"{"op":"notice""#)?.contains(#""topic":"t","payload":5"#) == true)
  }

  /// Offers of the next connection have the same numbers for the server, and others for the program. So it may answer
  /// late, or once more.
  @Test func aLostConnectionKeepsTheProgram() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    let first = try pid(server.send("t"))
    let sender = try server.peer()
    sender.say(#"{"op":"send","topic":"wait"}"#)
    #expect(line(handler, #"{"op":"offer","id":2"#) != nil)
    try server.replace()
    #expect(line(handler, #"{"op":"lapsed""#) == #"{"op":"lapsed","id":2,"chain":"main","handler":"h"}"#)
    try server.expectConnected(handler)
    #expect(try server.send("first", nil, #","timeout_ms":100"#).contains(#""status":"timeout""#))
    let start = "h: the program wrote a line that is not a verdict: "
    #expect(line(handler, start) == start + #"it answers an offer that is not open: {"op":"handled","id":1}"#)
    #expect(try pid(server.send("t")) == first)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
    #expect(try isGone(#require(first.flatMap { Int32($0) })))
  }

  /// A program that does not name offers serves a link that helps, while it has one offer to answer. If it has left one
  /// out, another program is started, and not one of its answers goes to another offer.
  @Test func aProgramThatNamesNoOfferIsStartedAnewWhenItLostOne() throws {
    let server = try RunningServer()
    let handler = try handler(server, policy: [])
    let handled = #"{"op":"result","status":"handled","by":"h","hops":1}"#
    for _ in 1...2 { #expect(try server.send("nameless") == handled) }
    let first = try pid(server.send("t"))
    #expect(try server.send("wait", nil, #","timeout_ms":100"#).contains(#""status":"timeout""#))
    #expect(try server.send("nameless").contains(#""status":"unhandled""#))
    let why = #"it has no "id", and needs it, because 2 offers wait for answers: {"op":"handled"}"#
    #expect(line(handler, "h: the program wrote a line that is not a verdict: ")?.contains(why) == true)
    let second = try pid(server.send("t"))
    #expect(second != nil && second != first)
    #expect(try server.send("nameless") == handled)
  }

  /// No message passes a guard with a verdict that may be on another one, also where only the configuration file says that it is
  /// one, or the handler before.
  @Test(arguments: [["--guard"], ["--on-failure", "timeout=stop"], ["--replace"], []])
  func whereALinkMayStopEachVerdictNamesItsOffer(policy: [String]) throws {
    let path = freshPath() + ".yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file =
      "peers: { anonymous: { may: [everything] } }\nchains: { main: { links: [{ handler: h, on_failure: stop }] } }"
    try Data(file.utf8).write(to: URL(fileURLWithPath: path))
    let server = try RunningServer(policy.isEmpty ? ["--config", path] : [])
    let replaced =
      try policy == ["--replace"]
      ? server.peer(saying: #"{"op":"insert","handler":"h","on_failure":"stop"}"#) : nil
    defer { withExtendedLifetime(replaced) {} }
    let handler = try handler(server, policy: policy)
    #expect(try server.send("nameless").contains("a line that is not a verdict"))
    let why = #"it has no "id", and needs it, because this link may stop messages: {"op":"handled"}"#
    #expect(line(handler, "h: the program wrote a line that is not a verdict: ")?.hasSuffix(why) == true)
    #expect(try server.send("t").contains(#""status":"handled""#))
  }

  /// A program that writes a line without end is started again after a while, and does not keep the command.
  @Test func aLineWithoutEndIsPausedAfterAndEnds() throws {
    let server = try RunningServer()
    let handler = try handler(server)
    let sender = try server.peer()
    for _ in 1...3 { sender.say(#"{"op":"send","topic":"endless"}"#) }
    for _ in 1...3 { #expect(sender.line()?.contains("a line that is too long") == true) }
    #expect(line(handler, "h: the program wrote a line that is too long; starting it again in ") != nil)
    sender.say(#"{"op":"send","topic":"endless"}"#)
    #expect(line(handler, #"{"op":"offer""#) != nil)
    handler.send(SIGTERM)
    #expect(sender.line()?.contains("a line that is too long") == true)
    #expect(handler.wait() == 0)
  }
}
