/// Counts what peers asked for that come and go, and what became of it.
struct ChurnLedger {
  private var done: [String: Int] = [:]
  private var refused: [String: [String: Int]] = [:]

  /// A reply to what goes under that `id`; `code` is of an error.
  mutating func count(_ id: String, refusedFor code: String?) {
    if let code { refused[id, default: [:]][code, default: 0] += 1 } else { done[id, default: 0] += 1 }
  }

  /// What was never done; nil where everything was.
  var shortfall: String? {
    let missing = ChurnLines.Kind.allCases.map(\.rawValue).filter { done[$0, default: 0] == 0 }
    return missing.isEmpty ? nil : "never done: \(missing.joined(separator: ", "))"
  }

  /// A line for each kind: how often it was done, and how often refused for what.
  var table: String {
    ChurnLines.Kind.allCases.map { kind in
      let refusals = refused[kind.rawValue, default: [:]].sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      let name = kind.rawValue + String(repeating: " ", count: 12 - kind.rawValue.count)
      return (["\(name)\(done[kind.rawValue, default: 0])"] + refusals).joined(separator: ", ")
    }.joined(separator: "\n")
  }
}
