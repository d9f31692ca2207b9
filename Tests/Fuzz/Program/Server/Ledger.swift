/// Counts what became of the lines, by their kinds: ops, and two kinds of line that want a store.
struct Ledger {
  /// One row.
  struct Counts {
    var accepted = 0
    var declined = 0
    var malformed = 0
    /// The connection ended before it was known.
    var unknown = 0

    var passed: Int { accepted + declined }
  }

  /// What a server that is no node of a cluster reads and declines (contract, section 16).
  private static let ofNodes: Set = ["nodes", "hand_over"]

  private var rows: [String: Counts] = [:]
  private(set) var total = Counts()

  mutating func count(_ fate: Exchange.Fate, of kind: String) {
    switch fate {
    case .accepted: add(\.accepted, kind)
    case .declined: add(\.declined, kind)
    case .malformed: add(\.malformed, "")
    }
  }

  mutating func countUnknown() { add(\.unknown, "") }

  private mutating func add(_ count: WritableKeyPath<Counts, Int>, _ kind: String) {
    rows[kind, default: Counts()][keyPath: count] += 1
    total[keyPath: count] += 1
  }

  /// What is below the required figures; nil if nothing is.
  func shortfall(passed: Int, accepted: Int, of kinds: [String]) -> String? {
    if total.passed < passed { return "\(total.passed) lines passed the decoder, \(passed) are asked for" }
    let short = kinds.filter { kind in
      let counts = rows[kind] ?? Counts()
      return (Self.ofNodes.contains(kind) ? counts.declined : counts.accepted) < accepted
    }
    return short.isEmpty ? nil : "fewer than \(accepted) accepted of: \(short.joined(separator: "; "))"
  }

  /// A line for each kind and one for all.
  func table(_ kinds: [String]) -> String {
    let head = Self.row("op", "accepted", "declined", "refused", "unknown")
    let body = (kinds.sorted() + [""]).map { kind in
      let counts = rows[kind] ?? Counts()
      return Self.row(kind.isEmpty ? "(not read)" : kind, counts)
    }
    return ([head] + body + [Self.row("all", total)]).joined(separator: "\n")
  }

  private static func row(_ name: String, _ counts: Counts) -> String {
    row(name, "\(counts.accepted)", "\(counts.declined)", "\(counts.malformed)", "\(counts.unknown)")
  }

  private static func row(_ name: String, _ numbers: String...) -> String {
    let name = name + String(repeating: " ", count: max(0, 18 - name.count))
    return name + numbers.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
  }
}
