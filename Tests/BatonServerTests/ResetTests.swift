import Foundation
import ProgramKit
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Connections that are reset, in every state that a connection can have: no other peer notices.
@Suite struct ResetTests {
  /// What is going on when the connection is reset.
  enum State: CaseIterable {
    case beforeTheFirstByte, inALine, sending, serving, subscribed, notReading, halfClosed, halfClosedAndNotReading
    case severed
  }

  @Test(arguments: State.allCases, ["127.0.0.1:0", "unix:"])
  func harmsNobodyElse(in state: State, at endpoint: String) throws {
    let server = try RunningServer(at: [endpoint])
    let (program, place) = (server.program, server.place)
    let control = try ControlClient(place)
    try control.round()
    var victim: Peer? = try Peer(place)
    try reach(state, victim, control)
    victim?.resetsAtTheEnd()
    victim = nil
    try afterwards(state, control)
    for _ in 0..<3 { try control.round() }
    #expect(try control.otherLinks() == 0)
    program.send(SIGTERM)
    #expect(program.wait() == 0)
  }

  @Test(arguments: ["127.0.0.1:0", "unix:"])
  func harmsNobodyElseWhileTheServerGoes(at endpoint: String) throws {
    let server = try RunningServer(at: [endpoint])
    let (program, place) = (server.program, server.place)
    let control = try ControlClient(place)
    var victims = try State.allCases.map { state in
      let victim = try Peer(place)
      if state != .sending, state != .halfClosed { try reach(state, victim, control) }
      victim.resetsAtTheEnd()
      return victim
    }
    try control.send()
    control.isServerGoing = true
    program.send(SIGTERM)
    for peer in [control.sender, control.handler] { #expect(peer.line()?.hasPrefix(#"{"op":"draining""#) == true) }
    victims = []
    // The message that the victim was offered is unhandled now. It was sent before the control client's own.
    #expect(control.sender.line()?.contains(#""status":"unhandled""#) == true)
    try control.answer()
    #expect(victims.isEmpty && program.wait() == 0)
  }

  /// Brings the victim's connection into the state.
  private func reach(_ state: State, _ victim: Peer?, _ control: ControlClient) throws {
    let victim = try #require(victim)
    switch state {
    case .beforeTheFirstByte: break
    case .inALine: victim.say(unended: #"{"op":"send","topic":"#)
    case .sending, .halfClosed:
      victim.say(#"{"op":"send","chain":"\#(control.chain)","topic":"t"}"#)
      try control.hearOffer()
      if state == .halfClosed { victim.halfClose() }
    case .serving:
      #expect(victim.ask(#"{"op":"insert","chain":"victim","handler":"victim"}"#)?.hasPrefix(#"{"op":"ok""#) == true)
      control.sender.say(#"{"op":"send","chain":"victim","topic":"t","timeout_ms":600000}"#)
      #expect(victim.line()?.hasPrefix(#"{"op":"offer""#) == true)
    case .subscribed: #expect(victim.ask(#"{"op":"subscribe","topics":["quiet"]}"#) == #"{"op":"ok"}"#)
    case .notReading, .halfClosedAndNotReading:
      let topic = "flood.\(state)"
      #expect(victim.ask(#"{"op":"subscribe","topics":["\#(topic)"]}"#) == #"{"op":"ok"}"#)
      let payload = String(repeating: "x", count: 1 << 19)
      // This goes on until so much is unsent that it misses events.
      var reply: String?
      repeat {
        reply = control.sender.ask(#"{"op":"broadcast","topic":"\#(topic)","payload":"\#(payload)"}"#)
      } while reply == #"{"op":"ok","delivered":1}"#
      #expect(reply == #"{"op":"ok","delivered":0}"#)
      if state == .halfClosedAndNotReading { victim.halfClose() }
    case .severed:
      victim.say("GET / HTTP/1.1")
      #expect(victim.line()?.contains(#""code":"not_json_lines""#) == true)
    }
  }

  /// Finishes what the victim had begun with the control client.
  private func afterwards(_ state: State, _ control: ControlClient) throws {
    switch state {
    case .sending, .halfClosed: control.handler.say(#"{"op":"handled"}"#)
    case .serving: #expect(control.sender.line()?.contains(#""status":"unhandled""#) == true)
    default: break
    }
  }
}
