import BatonClient

/// What a link decided, beside what another one would have: how often they differ, and where. Outcomes are those of a step.
struct DecisionChanges {
  private(set) var compared = 0
  private(set) var changed = 0
  /// How often one that is tried again contradicts itself.
  var disagreesWithItself = 0
  private var counts: [Change: (count: Int, examples: [Int])] = [:]
  private var notCompared: [String: Int] = [:]

  private struct Change: Hashable {
    let then: String
    let now: String

    /// What was refused and would pass comes first; what would run at once before what another link decides.
    var rank: Int { then != "reject" ? 3 : now == "handled" ? 0 : now == "continue" ? 1 : 2 }
  }

  private static let mostExamples = 3

  /// Counts one question, of line `n` of the record.
  mutating func compare(_ then: String, _ now: String, n: Int) {
    compared += 1
    guard then != now else { return }
    changed += 1
    var found = counts[Change(then: then, now: now)] ?? (0, [])
    found.count += 1
    if found.examples.count < Self.mostExamples { found.examples.append(n) }
    counts[Change(then: then, now: now)] = found
  }

  /// Counts one that cannot be compared.
  mutating func leaveOut(_ why: String) { notCompared[why, default: 0] += 1 }

  private var sorted: [(change: Change, count: Int, examples: [Int])] {
    counts.map { ($0.key, $0.value.count, $0.value.examples) }.sorted {
      ($0.change.rank, -$0.count, $0.change.then, $0.change.now)
        < ($1.change.rank, -$1.count, $1.change.then, $1.change.now)
    }
  }

  /// Each kind of change, the worst first, and how often it happened.
  var kinds: [(words: String, count: Int, examples: [Int])] {
    sorted.map { ("\($0.change.then) → \($0.change.now)", $0.count, $0.examples) }
  }

  /// For people.
  var lines: [String] {
    var lines = sorted.map { change, count, examples in
      "\(change.then) → \(change.now): \(count), line \(examples.map { "\($0)" }.joined(separator: ", "))"
    }
    lines.append("\(counted(compared, "question", "questions")) compared, \(changed) decided otherwise")
    for (why, count) in notCompared.sorted(by: { $0.key < $1.key }) { lines.append("not compared: \(count) (\(why))") }
    if disagreesWithItself > 0 { lines.append("\(disagreesWithItself) decided in two ways when asked twice") }
    return lines
  }

  /// One object.
  var json: String {
    let changes = sorted.map { change, count, examples in
      let numbers = examples.map { "\($0)" }.joined(separator: ",")
      return "{\"then\":\"\(change.then)\",\"now\":\"\(change.now)\",\"count\":\(count),\"examples\":[\(numbers)]}"
    }
    let left = notCompared.sorted { $0.key < $1.key }.map { "\(Payload(text: $0.key).json):\($0.value)" }
    return "{\"compared\":\(compared),\"changed\":\(changed),\"changes\":[\(changes.joined(separator: ","))],"
      + "\"not_compared\":{\(left.joined(separator: ","))},\"disagrees_with_itself\":\(disagreesWithItself)}"
  }
}
