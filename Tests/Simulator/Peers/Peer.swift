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
  /// Verdicts that it plans to give, and when.
  var todo: [(due: Instant, verdict: Asked)] = []
  /// Offers that it has got. Peers that are nuisances answer them once more.
  private(set) var known: [Int] = []
  /// Ids of the messages that it has sent, the newest last. It cancels some of them, also such as have ended.
  private var messages: [String] = []
  /// The chains that may be mounted.
  private let mounts: [String]

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
    if plan.mayStay, luck.chance(30) { add([(14, 10), (15, 6), (16, 1)]) }
    add([(7, 1), (8, 4), (9, 2)])
    if weights[0] + weights[1] + weights[2] + weights[5] == 0 { add([(0, 20), (2, 10)]) }
    self.weights = weights
    weightSum = weights.reduce(0, +)
    reading = luck.chance(plan.isSlow ? 50 : 8) ? .slow : .eager
    if luck.chance(plan.isSlow ? 10 : 2) { reading = .stuck }
    chunks = luck.chance(15) ? .bytes : luck.chance(50) ? .lines : .random
    // Otherwise a version may be there for a part of one call, in which nobody can see it.
    if plan.isWatched, chunks == .random { chunks = .lines }
    mounts = plan.mayStay ? plan.allChains : []
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
  mutating func consider(
    _ line: SaidLine, at now: Instant, _ maker: inout RequestMaker<Plan>, using luck: inout Generator
  ) {
    guard let id = line.number("id") else { return }
    known.append(id)
    if known.count > 20 { known.removeFirst(10) }
    let delay = luck.chance(60) ? 0 : luck.chance(70) ? luck.below(20_000) : luck.below(300_000)
    let due = Instant(microseconds: now.microseconds + Int64(delay))
    let offer = luck.chance(12) ? nil : "\(id)"
    let kind: Verdict.Kind
    switch Self.draw(temper, sum: temper.reduce(0, +), using: &luck) {
    case 0, 1: kind = .handled
    case 2, 3: kind = .continue
    case 4: kind = .reject
    case 5: kind = .failed
    case 6:
      kind = luck.chance(50) ? .handled : .continue
      todo.append((due, Asked(id: offer, .verdict(Verdict(.working)))))
    default: return
    }
    let later = Instant(microseconds: due.microseconds + (luck.chance(50) ? 0 : Int64(luck.below(20_000))))
    todo.append((later, Asked(id: offer, .verdict(maker.verdict(kind, using: &luck)))))
    if luck.chance(5) { todo.append((later, Asked(id: "\(id)", .verdict(maker.verdict(.handled, using: &luck))))) }
  }

  // MARK: Messages

  /// The peer has sent a message.
  mutating func sent(_ message: [UInt8]) {
    messages.append(String(decoding: message, as: UTF8.self))
    if messages.count > 4 { messages.removeFirst() }
  }

  /// A verdict out of turn: on an earlier offer, on one that never was, or without an id.
  func guess(using luck: inout Generator) -> Asked {
    let verdict = Request.verdict(Verdict(luck.pick(Verdict.Kind.allCases)))
    if luck.chance(20) { return Asked(verdict) }
    let isUnknown = known.isEmpty || luck.chance(20)
    return Asked(id: "\(luck.pick(isUnknown ? [7, 1000, 1_000_000] : known))", verdict)
  }

  /// Takes the first verdict that is due off the list.
  mutating func dueVerdict(at now: Instant) -> Asked? {
    guard let index = todo.firstIndex(where: { $0.due <= now }) else { return nil }
    return todo.remove(at: index).verdict
  }
}

/// It remembers what it has sent last, and knows of links what their names may be.
extension Peer: Surroundings {
  func walks(of connection: Int) -> [String] { messages }
  func names(in chain: String, isMount: Bool) -> [String] { isMount ? mounts : [] }
}
