import FuzzKit

/// What peers that come and go send. All lines are well formed. They name a few chains that are always there, and names
/// that no peer has had before.
///
/// The `id` of a line says what it asks for, so that the reply tells what became of it.
struct ChurnLines {
  /// One thing that comes and goes; its raw value is the `id` of its lines.
  enum Kind: String, CaseIterable {
    case hello, insert, replica, hold, required, replace, remove, mount, unmount, subscribe, unsubscribe, broadcast
    case message, key, all, notify, chain, via, trace, watch, cancel
  }

  /// Messages that walk a chain: what can be cancelled.
  private let walking: [Kind] = [.message, .key, .all, .via, .trace]
  private let number: Int
  private var generator: SeededGenerator
  private var serial = 0
  /// Links of this peer that have not been removed: the chain and the name of each.
  private var links: [(chain: String, name: String)] = []

  /// Chains that all peers share. Mounts lead from lower to higher ones, so that there are no circles.
  private static let chains = 12
  /// Names of links that peers share as replicas, or whose places are held for them.
  private static let names = 8

  init(number: Int, seed: UInt64) {
    self.number = number
    generator = SeededGenerator(seed: seed &* 0x9E37_79B9 ^ UInt64(number))
  }

  /// A number below `limit`.
  mutating func draw(below limit: Int) -> Int { .random(in: 0..<limit, using: &generator) }

  /// The next request.
  mutating func request() -> String {
    serial += 1
    let kind = Kind.allCases[draw(below: Kind.allCases.count)]
    let (op, members) = words(of: kind)
    return #"{"op":"\#(op)","id":"\#(kind.rawValue)"\#(members)}"#
  }

  /// An answer to an offer; nil if the offer shall time out.
  mutating func verdict(for offer: String) -> String? {
    switch draw(below: 16) {
    case 0: nil
    case 1: #"{"op":"reject","id":\#(offer),"message":"no"}"#
    case 2: #"{"op":"failed","id":\#(offer)}"#
    case 3...6: #"{"op":"continue","id":\#(offer),"payload":"\#(text(upTo: 300))"}"#
    case 7...12: #"{"op":"continue","id":\#(offer)}"#
    default: #"{"op":"handled","id":\#(offer),"payload":"\#(text(upTo: 300))"}"#
    }
  }

  // MARK: The words

  /// The `op` and the members behind the `id`.
  private mutating func words(of kind: Kind) -> (op: String, members: String) {
    switch kind {
    case .hello: ("hello", #","name":"peer-\#(number)""#)
    case .insert: ("insert", link(named: own("link"), #","accepts":\#(patterns())\#(position())"#))
    case .replica: ("insert", link(named: shared("replica"), #","share":true,"window":4"#))
    case .hold: ("insert", link(named: shared("held"), #","hold_ms":\#(1 + draw(below: 300))"#))
    case .required: ("insert", link(named: shared("required"), #","accepts":["wanted"],"required":true"#))
    case .replace: ("replace", replacement())
    case .remove: ("remove", removal())
    case .mount, .unmount: (kind.rawValue, pair())
    case .subscribe: ("subscribe", #","topics":\#(patterns())"#)
    case .unsubscribe: ("unsubscribe", draw(below: 4) == 0 ? "" : #","topics":\#(patterns())"#)
    case .broadcast: ("broadcast", #","topic":"\#(topic())","payload":"\#(text(upTo: 2000))""#)
    case .message: ("send", message())
    case .key: ("send", message() + #","key":"\#(draw(below: 2) == 0 ? own("key") : shared("key"))""#)
    case .all: ("send", message() + #","mode":"all""#)
    case .notify: ("send", #","chain":"\#(chain())","topic":"\#(topic())","mode":"notify""#)
    case .chain: ("insert", ownChain())
    case .via: ("broadcast", via())
    case .trace: ("send", message() + #","trace":true"#)
    case .cancel: ("cancel", #","request":"\#(walking[draw(below: walking.count)].rawValue)""#)
    case .watch: ("subscribe", #","topics":["$baton.\#(draw(below: 2) == 0 ? "link.*" : ">")"]"#)
    }
  }

  private mutating func link(named name: String, _ settings: String) -> String {
    let chain = chain()
    links.append((chain, name))
    return #","chain":"\#(chain)","handler":"\#(name)"\#(settings)"#
  }

  /// A link of a chain that no other peer knows.
  private mutating func ownChain() -> String {
    let name = own("chain")
    links.append((name, "only"))
    return #","chain":"\#(name)","handler":"only""#
  }

  private mutating func replacement() -> String {
    guard !links.isEmpty else { return #","handler":"nobody""# }
    let at = draw(below: links.count)
    let (chain, name) = links[at]
    links[at].name = own("link")
    // A required place would be kept for ever, under a name to which no peer comes back.
    return #","chain":"\#(chain)","handler":"\#(name)","as":"\#(links[at].name)","required":false"#
  }

  private mutating func removal() -> String {
    guard !links.isEmpty else { return #","handler":"nobody""# }
    let (chain, name) = links.remove(at: draw(below: links.count))
    return #","chain":"\#(chain)","handler":"\#(name)""#
  }

  private mutating func pair() -> String {
    let outer = draw(below: Self.chains - 1)
    let inner = outer + 1 + draw(below: Self.chains - outer - 1)
    return #","chain":"pool-\#(outer)","on":"pool-\#(inner)""#
  }

  private mutating func message() -> String {
    let chain = links.isEmpty || draw(below: 2) == 0 ? chain() : links[draw(below: links.count)].chain
    let time = 5 + draw(below: 100)
    return #","chain":"\#(chain)","topic":"\#(topic())","timeout_ms":\#(time),"payload":"\#(text(upTo: 2000))""#
  }

  private mutating func via() -> String {
    let time = 5 + draw(below: 100)
    return #","via":"\#(chain())","topic":"\#(topic())","timeout_ms":\#(time),"key":"\#(shared("key"))""#
  }

  private mutating func chain() -> String { "pool-\(draw(below: Self.chains))" }
  /// A name that no peer has had before.
  private func own(_ kind: String) -> String { "\(kind)-\(number)-\(serial)" }
  private mutating func shared(_ kind: String) -> String { "\(kind)-\(draw(below: Self.names))" }

  private mutating func topic() -> String {
    draw(below: 2) == 0 ? "news.\(draw(below: 50))" : "topic.\(number).\(serial)"
  }

  private mutating func patterns() -> String {
    let own = (0...draw(below: 4)).map { #""topic.\#(number).\#(serial).\#($0)""# }
    return "[\"news.\(draw(below: 50))\",\(own.joined(separator: ",")),\"wide.\(draw(below: 50)).>\"]"
  }

  private mutating func position() -> String {
    ["", #","at":"front""#, #","at":"back""#, #","rank":\#(draw(below: 100))"#][draw(below: 4)]
  }

  /// A text that is nearly always short, and now and then long.
  private mutating func text(upTo most: Int) -> String {
    String(repeating: "x", count: draw(below: draw(below: 8) == 0 ? most : 64))
  }
}
