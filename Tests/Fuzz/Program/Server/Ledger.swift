/// Counts what became of the lines, by their ops.
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

  private var rows: [String: Counts] = [:]
  private(set) var total = Counts()

  mutating func count(_ exchange: Exchange) {
    switch exchange.fate {
    case .accepted: add(\.accepted, exchange)
    case .declined: add(\.declined, exchange)
    case .malformed: add(\.malformed, exchange)
    }
  }

  mutating func countUnknown(_ exchange: Exchange) { add(\.unknown, exchange) }

  private mutating func add(_ kind: WritableKeyPath<Counts, Int>, _ exchange: Exchange) {
    let passed = kind == \.accepted || kind == \.declined
    rows[passed ? exchange.op : "", default: Counts()][keyPath: kind] += 1
    total[keyPath: kind] += 1
  }

  /// What is below the required figures; nil if nothing is.
  func shortfall(passed: Int, accepted: Int, of ops: [String]) -> String? {
    if total.passed < passed { return "\(total.passed) lines passed the decoder, \(passed) are asked for" }
    let short = ops.filter { (rows[$0]?.accepted ?? 0) < accepted }
    return short.isEmpty ? nil : "fewer than \(accepted) accepted of: \(short.joined(separator: ", "))"
  }

  /// A line for each op and one for all.
  func table(ops: [String]) -> String {
    let head = Self.row("op", "accepted", "declined", "refused", "unknown")
    let body = (ops.sorted() + [""]).map { op in
      let counts = rows[op] ?? Counts()
      return Self.row(op.isEmpty ? "(not read)" : op, counts)
    }
    return ([head] + body + [Self.row("all", total)]).joined(separator: "\n")
  }

  private static func row(_ name: String, _ counts: Counts) -> String {
    row(name, "\(counts.accepted)", "\(counts.declined)", "\(counts.malformed)", "\(counts.unknown)")
  }

  private static func row(_ name: String, _ numbers: String...) -> String {
    let name = name + String(repeating: " ", count: max(0, 12 - name.count))
    return name + numbers.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
  }
}
