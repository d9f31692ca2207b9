import BatonCore
import BatonLasting
import DoorKit
import WorldKit

/// Holds what peers are told against what is written in the record: in these worlds the record holds back each line, or fails,
/// for the length of a call. It knows nothing of the core's inside.
struct RecordWatch {
  let isStrict: Bool
  /// Whether some see less than others, so that results and lines may name other handlers.
  let hidesSome: Bool
  /// The lines that are written, by walk, and how many of them were looked at.
  private var lines: [Int: RecordedEnd] = [:]
  private var looked = 0
  /// The walks of which handlers had offers, and of which senders had results.
  private var offered: Set<Int> = []
  private var missed = 0
  private(set) var violation: Violation?
  private(set) var covered: Set<String> = []

  init(isStrict: Bool, hidesSome: Bool) { (self.isStrict, self.hidesSome) = (isStrict, hidesSome) }

  private mutating func fail(_ detail: String) {
    if violation == nil { violation = Violation(invariant: .recorded, detail: detail) }
  }

  /// Reads what was written since.
  mutating func look(_ record: MemoryRecord) {
    for item in record.items[looked...] {
      switch item {
      case .end(let end):
        covered.insert("record: a line")
        if lines.updateValue(end, forKey: end.head.walk) != nil { fail("message \(end.head.walk) has two lines") }
      case .missed(let count, _): missed += count
      case .dead: break
      }
    }
    looked = record.items.count
  }

  mutating func said(_ line: SaidLine) {
    guard let walk = line.number("walk") else { return }
    if line.op == "offer", !line.isTrue("shadow") { offered.insert(walk) }
    guard line.op == "result", isStrict else { return }
    guard let end = lines[walk] else { return fail("a result is told before its line is written: \(line.spelled)") }
    if "\(end.head.status)" != line.text("status") {
      fail("the line of \(walk) has another status than \(line.spelled)")
    }
    if end.head.hops != line.number("hops") { fail("the line of \(walk) has other hops than \(line.spelled)") }
    guard !hidesSome else { return }
    if end.part(.by) != (line.raw("by") ?? [])[...] {
      fail("the line of \(walk) names another handler than \(line.spelled)")
    }
    guard let trace = line.raw("trace"), !line.has("truncated"), !end.head.isTruncated else { return }
    covered.insert("record: judged by a trace")
    let (told, written) = (RecordWatch.steps(trace), RecordWatch.steps([91] + end.part(.steps) + [93]))
    if told != written { fail("the line of \(walk) has the steps \(written), not \(told)") }
  }

  /// All is quiet: each message that was offered has a line, or was missed.
  mutating func judgeQuiet() {
    let left = offered.filter { lines[$0] == nil }
    if left.count > missed { fail("these messages have no line: \(left.sorted().prefix(10))") }
  }

  /// What each step says, but for times and words.
  private static func steps(_ list: [UInt8]) -> [String] {
    list.withUnsafeBytes { bytes in
      guard case .success(let whole) = LoneValue.readChecked(bytes, maximumDepth: 100) else { return ["no list"] }
      return ArrayElements(of: whole, in: bytes).map { step in
        ObjectMembers(of: step, in: bytes).compactMap { name, value -> String? in
          func text(_ part: MemberValue) -> String {
            String(decoding: bytes[Int(part.start)..<Int(part.end)].filter { $0 != 34 }, as: UTF8.self)
          }
          return ["wait_us", "service_us", "message", "peer", "span", "offered_us"].contains(text(name))
            ? nil : "\(text(name)) \(text(value))"
        }.joined(separator: ", ")
      }
    }
  }
}

/// The record within a call of the core.
extension Network {
  /// Before anything is taken from the core: nothing may have been told of which the line is not written. Then the lines are
  /// written.
  func releaseRecord() {
    guard let record = driver.record else { return }
    judgeRecord(record)
    (record.holds, record.failure) = (false, nil)
    driver.wake()
    judgeRecord(record)
  }

  /// During the next call nothing is written: because it takes its time, or because the disk fails.
  func holdRecord() {
    guard let record = driver.record else { return }
    switch calls % 3 {
    case 0: record.failure = "the disk is full"
    case 1: record.holds = true
    default: break
    }
  }

  private func judgeRecord(_ record: MemoryRecord) {
    ledger.records?.look(record)
    collectAll()
    if let violation = ledger.records?.violation { ledger.fail(violation.invariant, violation.detail) }
  }
}
