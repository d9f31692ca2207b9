public import BatonCore

/// What the file answers to the question whether a peer may do something.
public enum Judgment: Sendable {
  /// These rights together allow it.
  case allowed(by: [Sourced<Right>])
  /// None does. Each element is one way to allow it: the rights that are missing for it.
  case refused(missing: [[Right]])
}

extension PeerEntry {
  /// Whether the peer may do what a right stands for.
  public func judge(_ asked: Right) -> Judgment {
    let rights = may.map(\.value)
    if let found = rights.allowing(asked) { return .allowed(by: found.map { may[$0] }) }
    return .refused(missing: asked.ways.map { way in way.filter { right in !rights.contains { $0.covers(right) } } })
  }
}

extension Right {
  /// The ways to allow what this right stands for, but for `everything`: the rights that each of them takes.
  fileprivate var ways: [[Right]] {
    let words = spelling.split(separator: " ").map(String.init)
    var ways = [[self]]
    if kind == .subscribe, words.last?.hasPrefix("$") == true {
      ways = [[self] + Right.read("see server")]
    } else if kind == .broadcast, words.count == 4 {
      ways.append(Right.read("broadcast \(words[1])") + Right.read("send to \(words[3]) on \(words[1])"))
    }
    return ways
  }

  private static func read(_ text: String) -> [Right] { (try? [Right(parsing: text)]) ?? [] }
}
