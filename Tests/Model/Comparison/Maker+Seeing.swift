import BatonModel
import WorldKit

/// What peers ask to see what is there, and how they close connections.
extension Maker {
  func page(using luck: inout Generator) -> PageWish {
    PageWish(limit: luck.chance(60) ? luck.between(1...4) : nil)
  }

  func inspection(_ connection: Int, using luck: inout Generator) -> InspectWish {
    var wish = InspectWish()
    if luck.chance(60) { wish.chain = luck.pick(plan.chains) }
    wish.server = luck.chance(40)
    wish.page = page(using: &luck)
    guard eager.contains(connection), !plan.hasLongPayloads else { return wish }
    wish.messages = luck.chance(50)
    wish.connections = luck.chance(30)
    wish.changes = luck.chance(30)
    wish.history = luck.chance(40)
    if wish.history { wish.page.limit = luck.between(1...8) }
    return wish
  }

  /// Whether a peer asks what is wrong: where somebody has waited for long, which is seldom, more often than elsewhere.
  func asksForFindings(_ model: Model, _ connection: Int, using luck: inout Generator) -> Bool {
    let isLong = model.peers.contains { $0.phase == .open && ($0.stoppedAt ?? .max) < model.now - 1000 }
    return isLong && eager.contains(connection) && luck.chance(3)
  }

  func walks(_ model: Model, using luck: inout Generator) -> Request {
    var wish = WalksWish()
    if luck.chance(30) { wish.chain = luck.pick(plan.chains) }
    if luck.chance(30) {
      wish.status = luck.pick(["failed", "timeout", "rejected", "unhandled", "cancelled", "handled", "published"])
    }
    if luck.chance(30) { wish.topic = RequestMaker<Plan>.pattern(using: &luck) }
    if luck.chance(10) { wish.walk = luck.between(1...100) }
    if luck.chance(10) { wish.handler = luck.pick(plan.names) }
    if luck.chance(10) { wish.key = luck.pick(RequestMaker<Plan>.keys) }
    if luck.chance(10) { wish.since = luck.pick([1, 50, 1000, 100_000]) }
    if luck.chance(20) { wish.disagreed = luck.chance(90) }
    if luck.chance(80) { wish.limit = luck.pick([1, 2, 5, 20, 100]) }
    // The model counts a page's walks, and not its bytes.
    let most = max(1, (128 << 10) / model.longestKeptWalk)
    if (wish.limit ?? 100) > most { wish.limit = most }
    return .walks(wish)
  }

  /// Mostly another connection that is open.
  func close(_ model: Model, _ connection: Int, using luck: inout Generator) -> Request {
    let open = model.peers.indices.filter { model.peers[$0].phase == .open || model.peers[$0].phase == .halfClosed }
    switch luck.below(20) {
    case 0: return .close(connection: connection + 1)
    case ..<8: return .close(connection: luck.between(1...model.peers.count + 1))
    default:
      let half = open.filter { model.peers[$0].phase == .halfClosed }
      return .close(connection: luck.pick(half.isEmpty || luck.chance(70) ? open : half) + 1)
    }
  }

  /// Some traces only.
  func traces(using luck: inout Generator) -> TraceWish {
    var wish = TraceWish()
    if luck.chance(20) { wish.chain = luck.pick(plan.chains) }
    if luck.chance(20) { wish.topic = RequestMaker<Plan>.pattern(using: &luck) }
    if luck.chance(40) { wish.status = luck.pick(["handled", "unhandled", "published", "failed", "timeout"]) }
    if luck.chance(20) { wish.slowerThanMilliseconds = luck.pick([0, 4, 50]) }
    if luck.chance(20) { wish.from = luck.pick(["cli", "n1", "#1", "#2"]) }
    if luck.chance(70) { wish.perSecond = luck.pick([1, 2, 5]) }
    return wish
  }
}
