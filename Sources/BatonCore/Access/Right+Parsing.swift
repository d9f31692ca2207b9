/// What is wrong with the text of a right.
public struct RightError: Error, Equatable, Sendable {
  /// The byte of the text at which it goes wrong, from 0.
  public let offset: Int
  /// What is wrong, and how to mend it.
  public let message: String
}

/// Reads the text of a right.
extension Right {
  /// How rights are spelled, one of each kind, for messages and help.
  public static let examples = [
    "send to CHAIN [on PATTERN]", "broadcast PATTERN [via CHAIN]", "subscribe PATTERN",
    "serve CHAIN[/HANDLER] [on PATTERN]", "see CHAIN", "see server", "manage CHAIN", "manage server", "everything",
  ]

  /// Reads a right. Words are separated by spaces.
  public init(parsing text: String) throws(RightError) {
    var words = RightWords(text)
    let first = words.next()
    guard let first, let kind = Kind(rawValue: first.text) else { throw Right.unknown(first) }
    switch kind {
    case .everything: self.init(.everything)
    case .subscribe: self.init(.subscribe, pattern: try words.pattern(after: "subscribe"))
    case .broadcast:
      let pattern = try words.pattern(after: "broadcast")
      self.init(.broadcast, chain: try words.has("via") ? try words.chain(after: "via") : nil, pattern: pattern)
    case .send:
      try words.expect("to", after: "send")
      let chain = try words.chain(after: "send to")
      self.init(.send, chain: chain, pattern: try words.topics())
    case .serve:
      let (chain, handler) = try words.link()
      self.init(.serve, chain: chain, handler: handler, pattern: try words.topics())
    case .see, .manage:
      let place = try words.place(after: kind.rawValue)
      self.init(kind, chain: place, isServer: place == nil)
    }
    try words.expectEnd()
  }

  private static func unknown(_ word: RightWord?) -> RightError {
    guard let word else {
      return RightError(
        offset: 0, message: "the right is empty; a right is one of: " + examples.joined(separator: ", "))
    }
    let nearest = nearestName(to: word.text, among: Kind.allCases.map(\.rawValue))
    let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "a right is one of: " + examples.joined(separator: ", ")
    return RightError(offset: word.offset, message: "no right begins with \"\(shortened(word.text))\"; \(hint)")
  }
}
