import BatonModel
import WorldKit

/// What peers say about who they are.
extension Maker {
  /// What a connection says before anything else, or now and then; nil if it asks for something.
  mutating func introduction(_ model: Model, _ connection: Int, using luck: inout Generator) -> Asked? {
    guard let entries = model.entries else { return luck.below(1000) < plan.reloads ? Asked(.plain(.reload)) : nil }
    let peer = model.peers[connection]
    let usual = entries[connection % entries.count]
    if peer.isStranger {
      switch luck.below(100) {
      case ..<80: return hello(usual, using: &luck)
      case ..<84: return Asked(.hello(name: Self.name(using: &luck), heartbeatMilliseconds: nil))
      case ..<86: return Asked(.hello(name: nil, heartbeatMilliseconds: nil, token: "baton_wrong"))
      case ..<89: return Asked(.plain(.ping))
      case ..<90:
        var long = Asked(.plain(.ping))
        long.line = "{\"op\":\"ping\"\(String(repeating: " ", count: 4096))}"
        return long
      case ..<92: return Asked(wrong(using: &luck))
      default: return nil
      }
    }
    switch luck.below(1000) {
    case ..<15: return hello(usual, using: &luck)
    case ..<30: return hello(luck.pick(entries), using: &luck)
    case ..<32: return Asked(.hello(name: nil, heartbeatMilliseconds: nil, token: "baton_wrong"))
    case ..<(32 + plan.reloads): return Asked(.plain(.reload))
    case ..<100: return Asked(sight(model, connection, using: &luck))
    default: return peer.who == "anonymous" && luck.chance(3) ? hello(usual, using: &luck) : nil
    }
  }

  private func sight(_ model: Model, _ connection: Int, using luck: inout Generator) -> Request {
    switch luck.below(4) {
    case 3: .subscribe([luck.pick(["$baton.access.denied", "$baton.reloaded", "$baton.access.*"])], nil)
    case 0:
      .explain(
        topic: lines.topic(using: &luck), chain: luck.chance(80) ? luck.pick(plan.chains) : nil,
        key: luck.chance(20) ? luck.pick(RequestMaker<Plan>.keys) : nil,
        payload: luck.chance(40) ? "{\(RequestMaker<Plan>.said(using: &luck))}" : nil, page: page(using: &luck))
    case 1: .inspect(inspection(connection, using: &luck))
    default: plan.asksForWalks ? walks(model, using: &luck) : .plain(.ping)
    }
  }

  private func hello(_ entry: Entry, using luck: inout Generator) -> Asked {
    Asked(
      .hello(
        name: luck.chance(30) ? Self.name(using: &luck) : nil,
        heartbeatMilliseconds: luck.chance(5) ? luck.between(100...2000) : nil,
        token: entry.tokens.first ?? "baton_wrong"))
  }

  private static func name(using luck: inout Generator) -> String {
    luck.chance(8) ? String(repeating: "n", count: luck.pick([32, 33, 64])) : luck.pick(["night", "x.y", "ann"])
  }
}
