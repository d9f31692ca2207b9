import BatonCore
import BatonLasting
import WorldKit

/// Plants one fault in a world, once, at one of the first chances.
struct Planter {
  let fault: Fault?
  /// How many chances pass before the fault is planted.
  private var patience: Int
  private(set) var hasPlanted = false
  /// Whether the file has changed.
  private var isReloaded = false
  /// Messages that have been in a stage.
  private var staged: Set<Int> = []
  /// The latest link that was asked for each message.
  private var asked: [Int: (chain: String, link: String)] = [:]
  /// The trace and span of the latest offer that had some.
  private var traceparent: String?

  /// `patience` is below twelve.
  init(fault: Fault?, patience: Int) {
    (self.fault, self.patience) = (fault, fault?.isSeldom == true ? patience / 6 : patience)
  }

  private mutating func isTime() -> Bool {
    if hasPlanted { return false }
    patience -= 1
    hasPlanted = patience < 0
    return hasPlanted
  }

  /// `close-untold`: the core is not told that a connection is gone.
  mutating func forgetsClose() -> Bool { (fault == .closeUntold || fault == .churnCloseUntold) && isTime() }

  /// `wake-stale`: the next wake-up lies in the past.
  mutating func wakeAt(_ real: Instant?, _ now: Instant) -> Instant? {
    guard fault == .wakeStale, real != nil, hasPlanted || isTime() else { return real }
    return Instant(microseconds: now.microseconds - 1)
  }

  /// What becomes of a line that the core sends.
  mutating func alter(_ line: [UInt8], toListener: Bool) -> [[UInt8]] {
    guard let fault, !hasPlanted, fault.isOfWhatStays == toListener, let read = try? SaidLine.read(line) else {
      return [line]
    }
    if fault == .stageLeftTwice, read.isTrue("together"), let walk = read.number("walk") { staged.insert(walk) }
    switch fault {
    case .keptTwice where read.op == "event" && read["seq"] != nil && isTime(): return [line, line]
    case .keptLeftOut where read.op == "event" && read["seq"] != nil && isTime(): return []
    case .goneUntold where read.op == "missed" && read["gone"] != nil && isTime(): return []
    case .goneMiscounted where read.op == "missed" && read["gone"] != nil:
      guard let place = read["count"], isTime() else { return [line] }
      var other = line
      other.insert(UInt8(ascii: "1"), at: place.lowerBound)
      return [other]
    case .valueLeftOut where read.isTrue("retained") && isTime(): return []
    case .valueTwice where read.isTrue("retained") && isTime(): return [line, line]
    case .resultSwallowed where read.op == "result" && isTime(),
      .churnResultSwallowed where read.op == "result" && isTime():
      return []
    // The message is at its next link, and says that it is at the one before.
    case .offerTwice where read.isWalkedOffer:
      guard let walk = read.number("walk"), let chain = read.text("chain"), let link = read.text("handler") else {
        return [line]
      }
      let before = asked.updateValue((chain, link), forKey: walk)
      guard let before, before.chain == chain, before.link != link,
        let other = line.replacing(",\"handler\":\"\(link)\"", by: ",\"handler\":\"\(before.link)\""), isTime()
      else { return [line] }
      return [other]
    // The message is said to be asked for behind the stage, or once more.
    case .stageLeftEarly where read.op == "offer":
      guard let other = line.replacing(",\"together\":true", by: ""), isTime() else { return [line] }
      return [other]
    case .stageLeftTwice where read.isWalkedOffer && !read.isTrue("together") && read.isOf(staged) && isTime():
      return [line, line.offer(numbered: (read.number("id") ?? 0) + 1)]
    case .takenBackUntold where read.op == "lapsed" && read.text("why") == "cancelled" && isTime(): return []
    case .doubtUntold where read.isWalkedOffer:
      guard let other = line.replacing(",\"when\":\"unknown\"", by: ""), isTime() else { return [line] }
      return [other]
    case .doubtForged where read.isWalkedOffer && !read.has("when") && isTime():
      return [line.dropLast() + Array(",\"when\":\"unknown\"}".utf8)]
    case .traceForgotten where read.op == "result":
      guard let own = read.text("traceparent"), (read.number("hops") ?? 0) > 0, isTime() else { return [line] }
      return [line.replacing(",\"traceparent\":\"\(own)\"", by: "") ?? line]
    case .spanRepeated where read.isWalkedOffer:
      guard let own = read.text("traceparent") else { return [line] }
      defer { traceparent = own }
      guard let other = traceparent, isTime() else { return [line] }
      return [line.replacing(own, by: other) ?? line]
    case .depthForgotten where read.isWalkedOffer:
      guard let within = read.number("within"), let other = line.replacing(",\"within\":\(within)", by: ""), isTime()
      else { return [line] }
      return [other]
    case .depthOneMore where read.isWalkedOffer:
      guard let within = read.number("within"),
        let other = line.replacing(",\"within\":\(within)", by: ",\"within\":\(within + 1)"), isTime()
      else { return [line] }
      return [other]
    case .depthForged where read.isWalkedOffer && !read.has("within") && isTime():
      return [line.dropLast() + Array(",\"within\":1}".utf8)]
    case .reloadInPlace where isReloaded && read.op == "result":
      guard let other = line.swappingSteps(of: read), isTime() else { return [line] }
      return [other]
    case .linkLeftOut where isReloaded && read.op == "result":
      guard let other = line.leavingOutStep(of: read), isTime() else { return [line] }
      return [other]
    case .resultTwice where read.op == "result" && isTime(): return [line, line]
    case .cancelledInVain where read.op == "ok":
      guard let other = line.replacing(",\"cancelled\":false", by: ",\"cancelled\":true"), isTime() else {
        return [line]
      }
      return [other]
    case .cancelledUnasked where read.op == "result":
      guard let other = line.replacing("\"timeout\"", by: "\"cancelled\""), isTime() else { return [line] }
      return [other]
    // The message is said to be cancelled, and goes on.
    case .cancelledLater where read.op == "result" && read.text("status") == "cancelled" && isTime(): return []
    case .lineCut where isTime(): return [line.dropLast()]
    case .wrongID where read.isReply && read.op != "result" && read.op != "error":
      guard let id = read["id"], let digit = line[id].lastIndex(where: { (48...57).contains($0) }), isTime() else {
        return [line]
      }
      var other = line
      other.insert(UInt8(ascii: "7"), at: digit)
      return [other]
    default: return [line]
    }
  }

  /// `places-kept`: a table has places for twice of what there was.
  mutating func alter(_ extents: [(name: String, count: Int)]) -> [(name: String, count: Int)] {
    guard fault == .placesKept, !hasPlanted else { return extents }
    hasPlanted = true
    return extents.map { ($0.name, 2 * $0.count + 64) }
  }

  // MARK: The record

  /// What the record keeps of what it is told.
  mutating func alter(_ item: RecordItem) -> [RecordItem] {
    guard case .end(let end) = item else { return [item] }
    switch fault {
    case .recordedTwice where isTime(): return [item, item]
    case .recordedNever where end.head.hops > 0 && isTime(): return []
    case .recordedOther where end.head.hops > 0 && isTime():
      var head = end.head
      head.hops += 1
      return [.end(RecordedEnd(head, end))]
    default: return [item]
    }
  }

  /// The record says that lines are written as soon as it has them.
  mutating func tellsEarly() -> Bool {
    guard fault == .toldEarly else { return false }
    hasPlanted = true
    return true
  }

  // MARK: What stays

  /// The settings that the core is told.
  mutating func alter(_ settings: Settings) -> Settings {
    var told = settings
    switch fault {
    case .historyTooLarge: told.maxHistoryBytes *= 4
    case .valuesTooMany: told.maxRetainedTopics += 10
    default: return settings
    }
    hasPlanted = true
    return told
  }

  /// Whom the core takes for whom.
  mutating func alter(_ access: AccessRules?, _ limits: LimitPlan?) -> AccessRules? {
    if fault == .limitUnheard, let limits {
      hasPlanted = true
      return limits.unlimited
    }
    guard fault == .identitiesConfused, access != nil else { return access }
    hasPlanted = true
    return StayPlan.confused
  }

  // MARK: Accounts

  /// What the core counts for identities and addresses: once, something is left out.
  mutating func miscount(_ router: inout Router) {
    let entry: Router.Entry
    switch fault {
    case .copyUncounted: entry = .copy
    case .placeUncounted: entry = .leftLink
    case .heldPlaceUncounted: entry = .emptyPlace
    case .mountUncounted: entry = .mount
    case .stageUncounted: entry = .placeInStage
    default: return
    }
    if !hasPlanted, router.leaveOut(entry) { hasPlanted = true }
  }

  // MARK: Chains

  /// What the core is told of the configuration file.
  mutating func alter(_ chains: [ChainDeclaration], before: [ChainDeclaration]) -> [ChainDeclaration] {
    isReloaded = isReloaded || chains != before && !before.isEmpty
    switch fault {
    // From then on.
    case .guardOpened where hasPlanted || isTime(): return chains.changingLinks { $0.isRequired = false }
    case .acceptsForgotten where hasPlanted || isTime(): return chains.changingLinks { $0.accepts = [">"] }
    case .partForgotten where hasPlanted || isTime(): return chains.changingLinks { $0.percent = 100 }
    case .partTurned where hasPlanted || isTime(): return chains.changingLinks { $0.percent = 100 - $0.percent }
    case .partShifted where hasPlanted || isTime():
      return chains.changingLinks { $0.percent = min(100, $0.percent + 10) }
    case .conditionForgotten where hasPlanted || isTime(): return chains.changingLinks { $0.when = nil }
    case .conditionOfAnother where hasPlanted || isTime():
      return chains.changingLinks { if $0.when != nil { $0.when = PlainCondition.unkeyed.link } }
    case .reloadUnheard where chains != before && !before.isEmpty && isTime(): return before
    case .orderSwapped:
      guard let at = chains.firstIndex(where: { $0.links.count > 1 }), isTime() else { return chains }
      var other = chains
      other[at].links.swapAt(0, 1)
      return other
    case .placeKept where chains.isEmpty && !before.isEmpty && isTimeAtOnce():
      return [ChainDeclaration(chain: Vocabulary.chains[0], links: [DeclaredLink(Vocabulary.names[0])])]
    default: return chains
    }
  }

  /// There is one chance in each world.
  private mutating func isTimeAtOnce() -> Bool {
    hasPlanted = true
    return true
  }

  /// The core keeps the older place of a link.
  mutating func alter(_ census: [String: Int]) -> [String: Int] {
    guard fault == .olderPlaceKept, isReloaded, hasPlanted || isTime() else { return census }
    return census.merging(["counted links": 1], uniquingKeysWith: +)
  }
}

extension [ChainDeclaration] {
  fileprivate func changingLinks(_ change: (inout DeclaredLink) -> Void) -> Self {
    map {
      var other = $0
      for index in other.links.indices { change(&other.links[index]) }
      return other
    }
  }
}

extension [UInt8] {
  /// The line with other text in that place; nil if the text is not there.
  fileprivate func replacing(_ text: String, by other: String) -> [UInt8]? {
    firstRange(of: Array(text.utf8)).map { Array(self[..<$0.lowerBound]) + Array(other.utf8) + self[$0.upperBound...] }
  }

  /// An offer with another id. The id stands behind the op.
  fileprivate func offer(numbered id: Int) -> [UInt8] {
    guard let read = try? SaidLine.read(self), let place = read["id"] else { return self }
    return Array(self[..<place.lowerBound]) + Array("\(id)".utf8) + Array(self[place.upperBound...])
  }

  /// A trace in which the message came to a link before the one that stands in front of it, as after a reload.
  fileprivate func swappingSteps(of read: SaidLine) -> [UInt8]? {
    let steps = read.objects("trace")
    let swapped = steps.indices.dropLast().first {
      steps[$0].raw("chain") == steps[$0 + 1].raw("chain") && steps[$0].raw("handler") != steps[$0 + 1].raw("handler")
    }
    guard let swapped else { return nil }
    var others = steps
    others.swapAt(swapped, swapped + 1)
    return replacingTrace(of: read, by: others)
  }

  /// A trace without a link that the message has passed.
  fileprivate func leavingOutStep(of read: SaidLine) -> [UInt8]? {
    let steps = read.objects("trace")
    guard steps.count > 1, steps[0].raw("chain") == steps[1].raw("chain"), steps[0].raw("handler") != nil else {
      return nil
    }
    return replacingTrace(of: read, by: Array<SaidLine>(steps.dropFirst()))
  }

  private func replacingTrace(of read: SaidLine, by steps: [SaidLine]) -> [UInt8]? {
    guard let place = read["trace"] else { return nil }
    let trace = steps.map(\.bytes).joined(separator: [UInt8(ascii: ",")])
    return Array(self[..<place.lowerBound]) + [UInt8(ascii: "[")] + Array(trace) + [UInt8(ascii: "]")]
      + Array(self[place.upperBound...])
  }
}

extension SaidLine {
  /// Whether it offers a message that waits for the verdict.
  fileprivate var isWalkedOffer: Bool { op == "offer" && !isTrue("shadow") }

  fileprivate func isOf(_ walks: Set<Int>) -> Bool { number("walk").map(walks.contains) ?? false }
}
