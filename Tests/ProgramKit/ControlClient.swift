/// Something came that was not expected.
package struct Deviation: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A sender, a handler and a subscriber on a chain of their own. Nothing that other peers do may harm them. They take
/// turns: each message gets its result, each broadcast its event, in order, and nothing else comes.
package final class ControlClient {
  package let sender: Peer
  package let handler: Peer
  package let listener: Peer
  /// No other peer can guess this name.
  package let chain = "control-\(UInt64.random(in: .min ... .max))"
  /// Messages and broadcasts that have come back.
  package private(set) var rounds = 0
  /// Offers that the handler has received.
  private var offers = 0
  /// Whether others subscribe to all topics, and so to these broadcasts.
  private let isOverheard: Bool
  /// Whether the server has been told to drain, and ends connections to which it owes nothing more.
  package var isServerGoing = false

  package convenience init(_ place: String, isOverheard: Bool = false) throws {
    try self.init((0..<3).map { _ in try Peer(place) }, isOverheard: isOverheard)
  }

  /// A client over three connections that are open.
  package init(_ peers: [Peer], isOverheard: Bool = false) throws {
    self.isOverheard = isOverheard
    (sender, handler, listener) = (peers[0], peers[1], peers[2])
    handler.say(#"{"op":"insert","chain":"\#(chain)","handler":"control"}"#)
    try hear(handler, #"{"op":"ok","chain":"\#(chain)","handler":"control","rank":1,"position":1,"links":1,"#)
    listener.say(#"{"op":"subscribe","topics":["\#(chain).tick"]}"#)
    try hear(listener, #"{"op":"ok""#)
  }

  package var peers: [Peer] { [sender, handler, listener] }

  /// A message with its result and a broadcast with its event.
  package func round() throws {
    try send()
    try answer()
    let number = rounds + 1
    sender.say(#"{"op":"broadcast","id":\#(number),"topic":"\#(chain).tick","payload":\#(number)}"#)
    try hear(sender, #"{"op":"ok","id":\#(number),"delivered":"# + (isOverheard ? "" : "1}"))
    try hear(listener, #"{"op":"event","topic":"\#(chain).tick","payload":\#(number),"#)
    rounds = number
  }

  /// The first half of a message's round: afterwards the handler has it. Its deadline is so late that even a slow
  /// machine does not reach it. So only a message that is lost can end without the handler's answer.
  package func send() throws {
    let number = rounds + 1
    let send = #"{"op":"send","id":\#(number),"chain":"\#(chain)","topic":"step","timeout_ms":3600000"#
    sender.say(#"\#(send),"payload":\#(number)}"#)
    try hearOffer(#""topic":"step","payload":\#(number),"#)
  }

  /// The second half.
  package func answer() throws {
    let number = rounds + 1
    handler.say(#"{"op":"handled","id":\#(offers),"payload":-\#(number)}"#)
    try hear(
      sender, #"{"op":"result","id":\#(number),"status":"handled","by":"control","payload":-\#(number),"hops":1,"#)
  }

  /// The handler receives an offer that contains this part.
  package func hearOffer(_ part: String = "") throws {
    offers += 1
    let offer = try hear(handler, #"{"op":"offer","id":\#(offers),"#)
    guard offer.contains(#""chain":"\#(chain)","handler":"control","#), part.isEmpty || offer.contains(part) else {
      throw Deviation("an offer with \(part) had to come, but not \(offer.prefix(300))")
    }
  }

  /// All links that the server knows besides the control client's own; with `served`, only those that a connection
  /// serves.
  package func otherLinks(served: Bool = false) throws -> Int {
    sender.say(#"{"op":"inspect"}"#)
    let line = try hear(sender, #"{"op":"chains""#)
    let links = line.split(separator: #""handler":""#).dropFirst()
    return links.count { !served || !$0.contains(#""connections":0,"#) } - 1
  }

  /// How many of its connections have ended.
  package func losses() -> Int { peers.count { $0.isLost() } }

  @discardableResult private func hear(_ peer: Peer, _ beginning: String) throws -> String {
    let line = peer.line(orEndOf: isServerGoing ? [] : peers.filter { $0 !== peer })
    guard let line, line.hasPrefix(beginning) else {
      throw Deviation("\(beginning) had to come, but not \(line?.prefix(300) ?? "nothing")")
    }
    return line
  }
}
