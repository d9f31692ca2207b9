import ProgramKit
import Testing

/// A sender, a handler and a subscriber on a chain of their own, whom no fault of others may harm.
final class ControlClient {
  let sender: Peer
  let handler: Peer
  private let listener: Peer
  private let chain: String
  private var rounds = 0

  init(_ place: String, chain: String = "control") throws {
    self.chain = chain
    sender = try Peer(place)
    handler = try Peer(place)
    listener = try Peer(place)
    #expect(handler.ask(#"{"op":"insert","chain":"\#(chain)","handler":"control"}"#)?.hasPrefix(#"{"op":"ok""#) == true)
    #expect(listener.ask(#"{"op":"subscribe","topics":["\#(chain).tick"]}"#) == #"{"op":"ok"}"#)
  }

  /// A message with its result and a broadcast with its event, as on any other day.
  func round() throws {
    rounds += 1
    try send()
    try answer()
    sender.say(#"{"op":"broadcast","topic":"\#(chain).tick","payload":\#(rounds)}"#)
    try #require(sender.line() == #"{"op":"ok","delivered":1}"#)
    let event = try #require(listener.line())
    #expect(event.hasPrefix(#"{"op":"event","topic":"\#(chain).tick","payload":\#(rounds),"#), "\(event)")
  }

  /// The first half of a round: the message is with the handler.
  func send() throws {
    sender.say(#"{"op":"send","id":\#(rounds),"chain":"\#(chain)","topic":"t","timeout_ms":600000}"#)
    let offer = try #require(handler.line())
    #expect(offer.hasPrefix(#"{"op":"offer""#), "\(offer)")
  }

  /// The second half.
  func answer() throws {
    handler.say(#"{"op":"handled","payload":\#(rounds)}"#)
    let result = try #require(sender.line())
    #expect(result.hasPrefix(#"{"op":"result","id":\#(rounds),"status":"handled""#), "\(result)")
  }

  /// All links that the server knows besides the control client's own.
  func otherLinks() throws -> Int {
    let line = try #require(sender.ask(#"{"op":"inspect"}"#))
    return line.matches(of: /"handler":"/).count - 1
  }
}
