/// Counts the requests of peers that come and go, and what became of them.
struct ChurnLedger {
  private var done: [String: Int] = [:]
  private var refused: [String: [String: Int]] = [:]

  /// Counts a reply to a request with that `id`; `code` is the error's, if it was refused.
  mutating func count(_ id: String, refusedFor code: String?) {
    if let code { refused[id, default: [:]][code, default: 0] += 1 } else { done[id, default: 0] += 1 }
  }

  /// The kinds that were never done; nil if all were.
  var shortfall: String? {
    let missing = ChurnLines.Kind.allCases.map(\.rawValue).filter { done[$0, default: 0] == 0 }
    return missing.isEmpty ? nil : "never done: \(missing.joined(separator: ", "))"
  }

  /// A line for each kind: how often it was done, and how often it was refused for each code.
  var table: String {
    ChurnLines.Kind.allCases.map { kind in
      let refusals = refused[kind.rawValue, default: [:]].sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      let name = kind.rawValue + String(repeating: " ", count: 12 - kind.rawValue.count)
      return (["\(name)\(done[kind.rawValue, default: 0])"] + refusals).joined(separator: ", ")
    }.joined(separator: "\n")
  }
}
