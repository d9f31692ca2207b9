/// One right of an identity, as the configuration file spells it (contract, section 11): `send to main on door.*`.
public struct Right: Equatable, Sendable {
  /// What a right is about. The raw value is its first word.
  public enum Kind: String, CaseIterable, Sendable {
    case send, broadcast, subscribe, serve, see, manage, everything
  }

  /// What it is about.
  public let kind: Kind
  /// `send`, `serve`, `see`, `manage`: the chains. `broadcast`: those after `via`; nil without `via`.
  let chain: NamePattern?
  /// `serve`: the handlers.
  let handler: NamePattern?
  /// `send`, `broadcast`, `subscribe`, `serve`: the pattern in which topics must lie; `>` if the text does not say it.
  let pattern: [UInt8]
  /// Whether `see` or `manage` means the server itself, and no chain.
  public let isServer: Bool

  init(
    _ kind: Kind, chain: NamePattern? = nil, handler: NamePattern? = nil, pattern: [UInt8] = Right.everyTopic,
    isServer: Bool = false
  ) {
    self.kind = kind
    self.chain = chain
    self.handler = handler
    self.pattern = pattern
    self.isServer = isServer
  }

  static let everyTopic = Array(">".utf8)
  static let server = Array("server".utf8)

  /// Whether it allows all that the other one allows.
  public func covers(_ other: Right) -> Bool {
    if kind == .everything { return true }
    guard kind == other.kind, isServer == other.isServer, (chain == nil) == (other.chain == nil) else { return false }
    if let chain {
      guard let asked = other.chain, chain.covers(asked) else { return false }
    }
    if let handler {
      guard let asked = other.handler, handler.covers(asked) else { return false }
    }
    return pattern.withUnsafeBytes { mine in
      other.pattern.withUnsafeBytes { Pattern.covers($0, within: mine) }
    }
  }

  /// The one chain that it names; nil for all chains, for all that begin alike, and for none.
  package var oneChain: String? {
    guard let chain, !chain.isPrefix else { return nil }
    return chain.spelling
  }

  /// The one handler that it names; nil for all handlers, for all that begin alike, and for none.
  package var oneHandler: String? {
    guard let handler, !handler.isPrefix else { return nil }
    return handler.spelling
  }

  /// As the configuration file spells it.
  public var spelling: String {
    let place = chain?.spelling ?? ""
    let topics = String(decoding: pattern, as: UTF8.self)
    let on = pattern == Right.everyTopic ? "" : " on \(topics)"
    switch kind {
    case .send: return "send to \(place)\(on)"
    case .broadcast: return "broadcast \(topics)" + (chain == nil ? "" : " via \(place)")
    case .subscribe: return "subscribe \(topics)"
    case .serve: return "serve \(place)" + (handler.map { $0.isAny ? "" : "/\($0.spelling)" } ?? "") + on
    case .see, .manage: return "\(kind.rawValue) \(isServer ? "server" : place)"
    case .everything: return "everything"
    }
  }
}

extension [Right] {
  /// The positions of the rights that together allow what is asked; nil if it is not allowed.
  ///
  /// One right is enough, but for two things. `broadcast … via C` is also allowed by a `broadcast` without `via` and a
  /// `send to C` (contract, section 11). Topics of the server need `see server` as well.
  public func allowing(_ asked: Right) -> [Int]? {
    if let everything = firstIndex(where: { $0.kind == .everything }) { return [everything] }
    var found: [Int]?
    if let one = firstIndex(where: { $0.covers(asked) }) {
      found = [one]
    } else if asked.kind == .broadcast, let via = asked.chain {
      let plain = Right(.broadcast, pattern: asked.pattern)
      let send = Right(.send, chain: via, pattern: asked.pattern)
      if let one = firstIndex(where: { $0.covers(plain) }), let other = firstIndex(where: { $0.covers(send) }) {
        found = [one, other]
      }
    }
    guard asked.kind == .subscribe, asked.pattern.first == UInt8(ascii: "$"), let first = found else { return found }
    guard let see = firstIndex(where: { $0.covers(Right(.see, isServer: true)) }) else { return nil }
    return first + [see]
  }
}
