import WorldKit

/// Makes up what peers of the churn send: valid lines. Any of them may be refused for what it means.
struct ChurnLines {
  struct Line {
    let id: Int
    let wantsReply: Bool
    let bytes: [UInt8]
  }

  private static let words = ["door", "open", "a", "b"]
  private static let chains = (0..<12).map { "c\($0)" }
  private static let names = (0..<40).map { "h\($0)" }
  private var nextID = 0

  mutating func line(isHandler: Bool, using luck: inout Generator) -> Line {
    switch luck.below(100) {
    case ..<(isHandler ? 25 : 60): make("send", send(using: &luck), using: &luck)
    case ..<(isHandler ? 50 : 60): make("insert", insert(using: &luck), using: &luck)
    case ..<(isHandler ? 56 : 62): make("replace", link(using: &luck) + settings(using: &luck), using: &luck)
    case ..<(isHandler ? 64 : 64): make("remove", link(using: &luck), using: &luck)
    case ..<68: make("mount", mount(using: &luck), using: &luck)
    case ..<72: make("unmount", mount(using: &luck), using: &luck)
    case ..<80: make("subscribe", ",\"topics\":[\(pattern(isOwn: luck.chance(3), using: &luck))]", using: &luck)
    case ..<84: make("unsubscribe", luck.chance(50) ? "" : ",\"topics\":[\(pattern(using: &luck))]", using: &luck)
    case ..<94: make("broadcast", broadcast(using: &luck), using: &luck)
    case ..<95: make("hello", ",\"name\":\"n\(luck.below(9))\",\"heartbeat_ms\":20000", isAsked: true, using: &luck)
    case ..<97: make("explain", topic(using: &luck) + chain(using: &luck), isAsked: true, using: &luck)
    // The message may be another peer's, and then it is in vain.
    case ..<98 where luck.chance(60): make("cancel", ",\"request\":\(nextID - luck.below(40))", using: &luck)
    case ..<98: make("inspect", chain(using: &luck) + ",\"server\":true", isAsked: true, using: &luck)
    default: make("ping", "", isAsked: true, using: &luck)
    }
  }

  /// A request of this op; the members begin with a comma each.
  mutating func make(
    _ op: String, _ members: String, isAsked: Bool = false, using luck: inout Generator
  ) -> Line {
    nextID += 1
    let wantsReply = isAsked || luck.chance(85)
    let text = "{\"op\":\"\(op)\",\"id\":\(nextID)\(members)\(wantsReply ? "" : ",\"reply\":false")}\n"
    return Line(id: nextID, wantsReply: wantsReply, bytes: Array(text.utf8))
  }

  // MARK: Members

  private func chain(using luck: inout Generator) -> String { ",\"chain\":\"\(luck.pick(Self.chains))\"" }

  private func topic(using luck: inout Generator) -> String {
    let words = (0..<luck.between(1...3)).map { _ in luck.pick(Self.words) }
    // Now and then a new one.
    return ",\"topic\":\"\((words + (luck.chance(10) ? ["t\(nextID)"] : [])).joined(separator: "."))\""
  }

  private func pattern(isOwn: Bool = false, using luck: inout Generator) -> String {
    if isOwn { return luck.pick(["\"$baton.>\"", "\"$baton.link.*\"", "\"$baton.trace\"", "\"$baton.message.*\""]) }
    switch luck.below(8) {
    case 0: return "\">\""
    case 1: return "\"\(luck.pick(Self.words)).>\""
    case 2: return "\"*.\(luck.pick(Self.words))\""
    default: return "\"\(luck.pick(Self.words))\""
    }
  }

  private func payload(using luck: inout Generator) -> String {
    let size = luck.chance(95) ? luck.below(60) : luck.below(5000)
    return ",\"payload\":\"\(String(repeating: "x", count: size))\""
  }

  private func send(using luck: inout Generator) -> String {
    let common = topic(using: &luck) + payload(using: &luck) + chain(using: &luck)
    switch luck.below(10) {
    case 0: return common + ",\"mode\":\"notify\""
    case 1, 2: return common + ",\"mode\":\"all\"" + way(using: &luck)
    default: return common + way(using: &luck)
    }
  }

  /// The members that every walk may have.
  private func way(using luck: inout Generator) -> String {
    ",\"timeout_ms\":\(luck.between(10...3000))" + (luck.chance(40) ? ",\"key\":\"k\(luck.below(9))\"" : "")
      + (luck.chance(10) ? ",\"trace\":true" : "")
  }

  private func broadcast(using luck: inout Generator) -> String {
    let common = topic(using: &luck) + payload(using: &luck) + (luck.chance(30) ? ",\"echo\":false" : "")
    return luck.chance(30) ? common + ",\"via\":\"\(luck.pick(Self.chains))\"" + way(using: &luck) : common
  }

  private func link(using luck: inout Generator) -> String {
    chain(using: &luck) + ",\"handler\":\"\(luck.pick(Self.names))\""
  }

  private func insert(using luck: inout Generator) -> String {
    let place = luck.pick(["", "", "", ",\"at\":\"front\"", ",\"rank\":2.5", ",\"rank\":0"])
    return link(using: &luck) + place + settings(using: &luck)
  }

  /// Few kinds of links, so that replicas often agree.
  private func settings(using luck: inout Generator) -> String {
    switch luck.below(10) {
    case 0, 1, 2: ",\"share\":true"
    case 3: ",\"share\":true,\"hold_ms\":3000,\"window\":2"
    case 4: ",\"hold_ms\":\(luck.between(100...5000)),\"timeout_ms\":100"
    case 5: ",\"required\":true,\"on_failure\":{\"timeout\":\"stop\"}"
    case 6: ",\"shadow\":true"
    case 7: ",\"on_failure\":\"stop\",\"timeout_ms\":\(luck.between(5...200))"
    default: ",\"accepts\":[\(pattern(using: &luck)),\(pattern(using: &luck))]"
    }
  }

  private func mount(using luck: inout Generator) -> String {
    chain(using: &luck) + ",\"on\":\"\(luck.pick(Self.chains))\""
  }
}
