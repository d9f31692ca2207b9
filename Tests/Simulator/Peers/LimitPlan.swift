import BatonCore
import DoorKit
import WorldKit

/// Worlds in which the server asks who is there, and identities have limits. Everybody may do everything within them.
struct LimitPlan {
  static let names = ["web", "ops", "bot"]
  static let anonymous = "anonymous"
  /// What each identity may have; for `anonymous`, each address.
  let limits: [String: PeerLimits]

  init(using luck: inout Generator) {
    var limits: [String: PeerLimits] = [:]
    for name in Self.names + [Self.anonymous] {
      var own = PeerLimits()
      if luck.chance(60) { own.links = luck.between(1...6) }
      if luck.chance(60) { own.patterns = luck.between(2...12) }
      if luck.chance(40) { own.openMessages = luck.between(1...20) }
      if luck.chance(30) { own.perSecond = luck.pick([2, 30, 1000]) }
      if own.perSecond != nil, luck.chance(50) { own.burst = luck.between(1...10) }
      limits[name] = own
    }
    self.limits = limits
  }

  var access: AccessRules { rules(limits) }

  /// The same without limits.
  var unlimited: AccessRules { rules([:]) }

  private func rules(_ limits: [String: PeerLimits]) -> AccessRules {
    AccessRules(
      forTests: (Self.names + [Self.anonymous]).map { name in
        var peer = AccessRules.Peer(name, may: ["everything"])
        if let own = limits[name] { peer.limits = own }
        return peer
      })
  }

  /// Whether the server stops reading from peers of an identity that has its messages.
  var mayPause: Bool { limits.values.contains { $0.openMessages != nil } }
}
