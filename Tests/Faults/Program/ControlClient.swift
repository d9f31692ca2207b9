import ProgramKit

/// A sender, a handler and a subscriber who live through all acts, and whom the faults of others may not harm.
final class ControlClient {
  private let cast: Cast
  private let sender: Peer
  private let handler: Peer
  private let listener: Peer
  private var rounds = 0

  init(_ cast: Cast) throws {
    self.cast = cast
    sender = try cast.join()
    handler = try cast.join()
    listener = try cast.join()
    try cast.ask(handler, #"{"op":"insert","chain":"\#(cast.name)","handler":"control"}"#)
    try cast.ask(listener, #"{"op":"subscribe","topics":["\#(cast.name).tick"]}"#)
  }

  /// A message with its result, and a broadcast with its event.
  func round() throws {
    rounds += 1
    sender.say(#"{"op":"send","id":\#(rounds),"chain":"\#(cast.name)","topic":"t","payload":\#(rounds)}"#)
    try cast.hear(handler, #"{"op":"offer""#, #""payload":\#(rounds),"#)
    handler.say(#"{"op":"handled","payload":-\#(rounds)}"#)
    try cast.hear(sender, #"{"op":"result","id":\#(rounds),"status":"handled""#, #""payload":-\#(rounds),"#)
    sender.say(#"{"op":"broadcast","topic":"\#(cast.name).tick","payload":\#(rounds)}"#)
    try cast.hear(sender, #"{"op":"ok","delivered":1}"#)
    try cast.hear(listener, #"{"op":"event","topic":"\#(cast.name).tick","payload":\#(rounds),"#)
  }

  /// Whether its own link is the only one that is left.
  func isAlone() throws -> Bool {
    sender.say(#"{"op":"inspect"}"#)
    return try cast.hear(sender, #"{"op":"chains""#).split(separator: #""handler":""#).count == 2
  }

  /// How many of its connections have ended.
  func losses() -> Int { cast.losses() }
}
