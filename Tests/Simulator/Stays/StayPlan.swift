import BatonCore
import DoorKit
import WorldKit

/// What stays in a world: topics of which events are kept, topics whose last payload stays, and who publishes there.
struct StayPlan {
  /// How many of a hundred acts of a peer publish something that stays.
  let busy: Int
  /// Whether the server asks who is there. Everybody may do everything then.
  let hasIdentities: Bool
  /// How many listeners come, leave and come back.
  let listeners: Int

  /// The names of the entries; who has no token is `anonymous`.
  static let names = ["web", "ops", "bot"]
  static let anonymous = "anonymous"
  /// Events of these topics are dropped for want of room only.
  static let lasting = ["k.a", "k.b", "k.c.x", "k.c.y"]
  /// Of these a few are kept, or for a short time.
  static let short = ["few.a", "few.b", "old.a", "old.b"]
  static let values = ["v.1", "v.2", "v.3", "v.w.4", "v.w.5"]
  private static let kept = [
    KeptTopics(pattern: Array("few.*".utf8), keep: 2),
    KeptTopics(pattern: Array("old.>".utf8), keep: 1000, keepMilliseconds: 40),
    KeptTopics(pattern: Array("k.>".utf8), keep: 1000),
  ]
  static let patterns = [
    [">"], [">"], ["k.>"], ["few.*", "k.a"], ["old.a"], ["k.c.*", "k.b", "few.a"], ["v.>", "k.a"],
  ]
  static let valuePatterns = [["v.>"], ["v.*"], ["v.1", "v.w.*"], [">"]]

  init(_ settings: inout Settings, using luck: inout Generator) {
    busy = luck.pick([40, 80])
    hasIdentities = luck.chance(60)
    listeners = luck.between(1...5)
    settings.keptTopics = Self.kept
    settings.maxHistoryBytes = luck.chance(80) ? luck.between(2000...8000) : 64 << 20
    // So much that the observer, who reads at once, misses nothing; slow listeners do.
    settings.eventsUnsentBytes = luck.chance(50) ? 4 << 20 : settings.maxLine + luck.between(5000...10_000)
    if luck.chance(50) { settings.maxRetainedTopics = luck.between(1...4) }
    if luck.chance(50) { settings.maxRetainedBytes = luck.between(600...3000) }
  }

  /// How many have a part of the history of their own.
  var identities: Int { hasIdentities ? Self.names.count + 1 : 1 }

  /// Who may come: three identities, and all others.
  var access: AccessRules? {
    guard hasIdentities else { return nil }
    return AccessRules(forTests: (Self.names + [Self.anonymous]).map { AccessRules.Peer($0, may: ["everything"]) })
  }

  /// The same, with one entry that has the tokens of all: the server takes them for one.
  static var confused: AccessRules {
    var all = AccessRules.Peer(names[0], may: ["everything"])
    all.tokens = names.map { TestToken.digest(of: $0) }
    return AccessRules(
      peers: [all, AccessRules.Peer(anonymous, may: ["everything"])], digest: { TestToken.digest($0) })
  }

  /// A broadcast of something that stays. Its `meta` says whose it is, so that nobody has to believe the server.
  static func broadcast(of identity: String, mark: Int, using luck: inout Generator) -> Broadcast {
    let isValue = luck.chance(30)
    let topic = luck.pick(isValue ? values : luck.chance(70) ? lasting : short)
    var event = Broadcast(topic: topic)
    event.meta = "\"\(identity)\""
    if isValue { event.retain = true }
    if isValue, luck.chance(20) {
      event.payload = luck.chance(50) ? nil : "null"
    } else {
      event.payload = "\"\(mark) \(String(repeating: "p", count: luck.below(luck.chance(20) ? 600 : 60)))\""
    }
    return event
  }
}
