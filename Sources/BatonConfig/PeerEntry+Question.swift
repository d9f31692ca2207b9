public import BatonCore

/// What the file answers to the question whether a peer may do something.
public enum Judgment: Sendable {
  /// These rights together allow it.
  case allowed(by: [Sourced<Right>])
  /// None does. Each element is one way to allow it: the rights that are missing for it.
  case refused(missing: [[Right]])
}

extension PeerEntry {
  /// Whether the peer may do what a right stands for. `chains` are those that the file declares: a right to serve means a
  /// declared link only if it names the link in full (contract, section 11).
  public func judge(_ asked: Right, in chains: [ChainEntry] = []) -> Judgment {
    let isDeclared = chains.contains { $0.declares(asked) }
    let may = may.filter { !isDeclared || $0.value.namesInFull }
    let rights = may.map(\.value)
    if let found = rights.allowing(asked) { return .allowed(by: found.map { may[$0] }) }
    return .refused(missing: asked.ways.map { way in way.filter { right in !rights.contains { $0.covers(right) } } })
  }
}

extension ChainEntry {
  /// Whether it is about serving one of the handlers that the file names here.
  fileprivate func declares(_ right: Right) -> Bool {
    guard right.kind == .serve, right.oneChain == name, let handler = right.oneHandler else { return false }
    return links.contains { !$0.link.isMount && $0.link.name == handler }
  }
}

extension Right {
  /// Whether it counts for declared links: a right to serve does if it names one link.
  var namesInFull: Bool { kind != .serve || oneChain != nil && oneHandler != nil }

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
