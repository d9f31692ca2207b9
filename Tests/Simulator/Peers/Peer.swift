import BatonCore
import WorldKit

/// A peer's habits and plans. Its random choices come from the world's generator.
struct Peer {
  enum Reading { case eager, slow, stuck }
  enum Chunks { case lines, bytes, random }
  enum Act: CaseIterable {
    case send, broadcast, insert, replace, remove, subscribe, unsubscribe, hello, ask, silence, wrong, guess, fatal
    case stall, move, mount, reload, cancel
  }

  var reading = Reading.eager
  var chunks = Chunks.random
  /// How likely each act is.
  private var weights: [Int]
  private var weightSum: Int
  /// How likely each plan for an offer is.
  private var temper: [Int]
  private(set) var chain: Int
  /// Verdicts that it plans to give, and when.
  var todo: [(due: Instant, verdict: Verdict)] = []
  /// Offers that it has got. Peers that are nuisances answer them once more.
  private(set) var known: [Int] = []
  /// Ids of the messages that it has sent, the newest last. It cancels some of them, also such as have ended.
  private var messages: [[UInt8]] = []

  init(plan: Plan, using luck: inout Generator) {
    var weights = Array(repeating: 0, count: Act.allCases.count)
    func add(_ roles: [(Int, Int)]) { for (index, weight) in roles { weights[index] += weight } }
    // The indices are those of the acts, in their order.
    if luck.chance(60) { add([(0, 40)]) }
    if luck.chance(60) { add([(2, 12), (3, 6), (4, 4)]) }
    if luck.chance(35) { add([(5, 6), (6, 2)]) }
    if luck.chance(35) { add([(1, 20)]) }
    if luck.chance(25) { add([(10, 6), (11, 6), (3, 5), (4, 5), (13, 1)]) }
    if luck.chance(5) { add([(12, 2), (10, 40)]) }
    if luck.chance(30) { add([(14, 8)]) }
    if luck.chance(30) { add([(17, 10)]) }
    if plan.declares || plan.limits != nil, luck.chance(30) { add([(14, 10), (15, 6), (16, 1)]) }
    add([(7, 1), (8, 4), (9, 2)])
    if weights[0] + weights[1] + weights[2] + weights[5] == 0 { add([(0, 20), (2, 10)]) }
    self.weights = weights
    weightSum = weights.reduce(0, +)
    reading = luck.chance(plan.isSlow ? 50 : 8) ? .slow : .eager
    if luck.chance(plan.isSlow ? 10 : 2) { reading = .stuck }
    chunks = luck.chance(15) ? .bytes : luck.chance(50) ? .lines : .random
    // Otherwise a version may be there for a part of one call, in which nobody can see it.
    if plan.isWatched, chunks == .random { chunks = .lines }
    chain = luck.below(plan.chains)
    temper = (0..<Self.plans).map { _ in luck.chance(40) ? 0 : luck.between(1...20) }
    if temper.allSatisfy({ $0 == 0 }) { temper[0] = 1 }
  }

  mutating func act(using luck: inout Generator) -> Act {
    Act.allCases[Self.draw(weights, sum: weightSum, using: &luck)]
  }

  private static func draw(_ weights: [Int], sum: Int, using luck: inout Generator) -> Int {
    var left = luck.below(sum)
    return weights.firstIndex { weight in
      left -= weight
      return left < 0
    } ?? 0
  }

  // MARK: Offers

  private static let plans = 8

  /// An offer has come: the peer plans what to do with it.
  mutating func consider(_ line: ServerLine, at now: Instant, limit: Int, using luck: inout Generator) {
    guard let id = line.integer(.id) else { return }
    known.append(id)
    if known.count > 20 { known.removeFirst(10) }
    let delay = luck.chance(60) ? 0 : luck.chance(70) ? luck.below(20_000) : luck.below(300_000)
    let due = Instant(microseconds: now.microseconds + Int64(delay))
    let offer = luck.chance(12) ? nil : id
    let kind: Verdict.Kind
    switch Self.draw(temper, sum: temper.reduce(0, +), using: &luck) {
    case 0, 1: kind = .handled
    case 2, 3: kind = .continue
    case 4: kind = .reject
    case 5: kind = .failed
    case 6:
      kind = luck.chance(50) ? .handled : .continue
      todo.append((due, Verdict(kind: .working, offer: offer)))
    default: return
    }
    let later = Instant(microseconds: due.microseconds + (luck.chance(50) ? 0 : Int64(luck.below(20_000))))
    todo.append((later, Self.verdict(kind, offer, limit: limit, using: &luck)))
    if luck.chance(5) { todo.append((later, Self.verdict(.handled, id, limit: limit, using: &luck))) }
  }

  static func verdict(
    _ kind: Verdict.Kind, _ offer: Int?, limit: Int, using luck: inout Generator
  ) -> Verdict {
    var verdict = Verdict(kind: kind, offer: offer)
    switch kind {
    case .handled, .continue:
      if luck.chance(50) { verdict.payload = Bytes.payload(mark: luck.below(1000), limit: limit, using: &luck) }
    case .reject:
      if luck.chance(60) { verdict.message = Array("\"no, \(luck.below(100))\"".utf8) }
      if luck.chance(60) {
        verdict.code = Array((luck.chance(50) ? "\"c\(luck.below(9))\"" : "-\(luck.below(9))").utf8)
      }
    case .failed:
      if luck.chance(50) { verdict.message = Array("\"\"".utf8) }
    case .working: break
    }
    return verdict
  }

  // MARK: Messages

  /// The peer has sent a message.
  mutating func sent(_ message: [UInt8]) {
    messages.append(message)
    if messages.count > 20 { messages.removeFirst(10) }
  }

  /// A message to cancel: most often the newest; nil if it has sent none.
  func message(using luck: inout Generator) -> [UInt8]? {
    messages.isEmpty || luck.chance(50) ? messages.last : luck.pick(messages)
  }

  /// A verdict out of turn: on an earlier offer, on one that never was, or without an id.
  mutating func guess(using luck: inout Generator) -> Verdict {
    let kind = luck.pick([Verdict.Kind.handled, .continue, .reject, .failed, .working])
    if luck.chance(20) { return Verdict(kind: kind, offer: nil) }
    if known.isEmpty || luck.chance(20) { return Verdict(kind: kind, offer: luck.pick([7, 1000, 1_000_000])) }
    return Verdict(kind: kind, offer: luck.pick(known))
  }

  /// Takes the first verdict that is due off the list.
  mutating func dueVerdict(at now: Instant) -> Verdict? {
    guard let index = todo.firstIndex(where: { $0.due <= now }) else { return nil }
    return todo.remove(at: index).verdict
  }
}
