/// Walks that did not end well or that links failed are kept, and `walks` tells of them (contract, section 8, "Walks").
struct KeptWalk {
  /// Its number among those that were kept, in the order of their ends.
  let order: Int
  let walk: Int
  let chain: String
  let topic: String
  let status: String
  /// Whether links failed it and others were asked. An unhandled one is of another kind then.
  let isPassedBy: Bool
  /// Whether it is kept because a shadow disagreed. Those are a kind of their own.
  let isDisagreed: Bool
  /// The link that ended it, or that failed it first where others were asked; and the cause, or what the shadow said.
  let link: String?
  let cause: String?
  /// The handler that its result tells.
  let by: String?
  let key: String?
  /// Whether it is the first of its group in ten minutes.
  var isFirst = false
  let ended: Int
  /// All of it but how long ago it ended.
  let line: Line
  /// Its first members, up to `status`; nil if it went through no mount. They are for those who may not see every chain.
  let beginning: Line?
  let seen: Seen

  /// What is kept apart.
  var kind: String {
    isDisagreed ? "\"disagreed\":true" : "\"status\":\"\(status)\"" + (isPassedBy ? ",\"with_failures\":true" : "")
  }

  /// What messages have in common that are like each other.
  var group: [String] { [kind, chain, link ?? "", cause ?? ""] }
}

/// Messages of a kind that are like each other.
struct KeptGroup {
  /// When its last first one ended, and when it last had more or fewer, in the order of that.
  var begun: Int
  var changed = 0
}

extension Model {
  // MARK: Steps

  /// Something has happened from which on the steps of a walk are recorded. `offer` is the one that it happened to.
  mutating func startRecording(_ walk: Int, with offer: Offer? = nil) {
    guard !walks[walk].isTraced, !walks[walk].isRecorded, walks[walk].mode != .notify else { return }
    walks[walk].isRecorded = true
    walks[walk].isPartial = walks[walk].hops > (offer == nil ? 0 : 1)
  }

  /// Without a trace, few steps are recorded, and they take memory like the message.
  mutating func record(_ entry: TraceEntry, of walk: Int) {
    guard walks[walk].isRecorded, !walks[walk].isOver, !entry.isUnwanted || !keeps(.keptLeavesTopicsOut) else {
      return
    }
    guard walks[walk].trace.count < (keeps(.keptStepsAreFew) ? 32 : 33), !walks[walk].isCut, hasRoomForStep(of: walk)
    else {
      return walks[walk].isCut = true
    }
    walks[walk].trace.append(entry)
    checkOpen(of: walks[walk].sender)
  }

  // MARK: Keeping

  /// A walk has ended.
  mutating func keep(_ walk: Int, _ outcome: Outcome) {
    let hasFailures = !walks[walk].failures.isEmpty || walks[walk].hasMoreFailures
    let endedWell = hasFailures && keeps(.passedFailuresAreKept) ? ["handled", "published"] : []
    let statuses =
      ["failed", "timeout", "rejected", "unhandled"] + (keeps(.cancelledIsKept) ? ["cancelled"] : []) + endedWell
      + (keeps(.publishedIsNotKept) ? [] : ["published"])
    guard statuses.contains(outcome.status) else { return }
    keep(describe(walk, outcome, hasFailures: hasFailures))
  }

  /// Keeps one, and forgets one of its kind if there are too many.
  mutating func keep(_ one: KeptWalk) {
    var one = one
    let begun = keptGroups[one.group]?.begun
    one.isFirst = begun.map { one.ended >= $0 + 600_000 } ?? true
    keptGroups[one.group, default: KeptGroup(begun: one.ended)].begun = one.isFirst ? one.ended : begun ?? one.ended
    changeGroup(one.group)
    kept.append(one)
    let same = kept.indices.filter { other in
      if one.isDisagreed || kept[other].isDisagreed { return one.isDisagreed == kept[other].isDisagreed }
      let isSame =
        one.status != "unhandled" || kept[other].isPassedBy == one.isPassedBy || !keeps(.failuresAreKeptApart)
      return kept[other].status == one.status && isSame || !keeps(.keptPerStatus)
    }
    guard same.count > settings.maxKeptWalks, let place = nextForgotten(among: same) else { return }
    seen.insert(.keptForgotten)
    if place != same.first { seen.insert(.keptShared) }
    let gone = kept.remove(at: place)
    keptForgotten[gone.kind, default: 0] += 1
    changeGroup(gone.group)
    if !kept.contains(where: { $0.group == gone.group }) { keptGroups[gone.group] = nil }
  }

  private mutating func changeGroup(_ group: [String]) {
    keptChanges += 1
    keptGroups[group]?.changed = keptChanges
  }

  /// Of the largest group, and of those as large the one that has been so for longest: the oldest one, without the first ones
  /// as long as they are fewer than half.
  private func nextForgotten(among same: [Int]) -> Int? {
    guard keeps(.keptAreShared) else { return same.first }
    let groups = Dictionary(grouping: same) { kept[$0].group }
    let rank = { (group: [String]) in (-(groups[group]?.count ?? 0), keptGroups[group]?.changed ?? 0) }
    guard let largest = groups.keys.min(by: { rank($0) < rank($1) }), let all = groups[largest] else { return nil }
    let firsts = all.filter { kept[$0].isFirst }
    guard keeps(.firstOnesStay) else { return all.first }
    return firsts.count * 2 >= all.count ? firsts.first : all.first { !kept[$0].isFirst }
  }

  private func describe(_ walk: Int, _ outcome: Outcome, hasFailures: Bool) -> KeptWalk {
    let order = (kept.last?.order ?? 0) + 1
    var seen = Seen()
    let message = walks[walk].message
    var line = beginStory(of: walk, outcome)
    line.add("cause", outcome.cause?.rawValue)
    line.add("message", json: outcome.message == Line.anyText ? Line.anyText : cut(outcome.message))
    line.add("code", json: outcome.code)
    line.add("hops", walks[walk].hops)
    line.add("again", ifTrue: walks[walk].again)
    line.add("total_us", (now - walks[walk].sent) * 1000)
    // A message that came to a chain without links has met nothing.
    let hasWalked = walks[walk].version != nil || walks[walk].keyWait != nil
    let isRecorded = (walks[walk].isTraced || walks[walk].isRecorded) && hasWalked
    let isPartial = isRecorded ? walks[walk].isPartial : walks[walk].hops > 0
    if walks[walk].isSpanned { line.add("traceparent", json: Line.anyText) }
    line.add("partial", ifTrue: isPartial && keeps(.partialIsTold))
    // Without steps and without offers, a version says that there were links, and none accepted the topic.
    if isRecorded || walks[walk].hops == 0, let version = walks[walk].version { line.add("version", version) }
    if let waited = walks[walk].keyWait { line.add("key_wait_us", waited * 1000) }
    let isWhole = message.trace == true || !keeps(.keptLeavesTopicsOut)
    let steps = walks[walk].trace.filter { isWhole || !$0.isUnwanted }
    let told = steps.prefix(keeps(.keptStepsAreFew) ? 32 : 33)
    if isRecorded { addEntries(Array(told), to: &line) }
    let isCut = walks[walk].isCut || told.count < steps.count
    line.add("truncated", ifTrue: isCut)
    if isCut { seen.insert(.keptCut) }
    if isPartial { seen.insert(.keptPartial) }
    seen.insert(!isRecorded ? .keptWithoutSteps : walks[walk].isTraced ? .keptWithTrace : .toldWalks)
    let isPassedBy = hasFailures && ["unhandled", "handled", "published"].contains(outcome.status)
    let failure = walks[walk].firstFailure
    return KeptWalk(
      order: order, walk: walk, chain: walks[walk].chain, topic: message.topic, status: outcome.status,
      isPassedBy: isPassedBy, isDisagreed: false, link: isPassedBy ? failure?.by : outcome.by,
      cause: isPassedBy ? failure?.cause.rawValue : outcome.cause?.rawValue, by: outcome.by, key: message.key,
      ended: now, line: line,
      beginning: walks[walk].visits.chains.count > 1 ? beginStory(of: walk, outcome.status) : nil, seen: seen)
  }

  // MARK: Telling

  /// `walks`: the latest first.
  mutating func tellWalks(_ wish: WalksWish, _ asked: Asked, from connection: Int) {
    let after = wish.after.flatMap { Int($0) } ?? .max
    let ahead = kept.reversed().filter { one in
      one.isDisagreed == (wish.disagreed == true) && (one.order < after || !keeps(.walksContinue))
        && (wish.status == nil || wish.status == one.status || one.isDisagreed)
    }
    let rest = ahead.filter { one in
      (wish.status == nil || wish.status == one.status)
        && (wish.chain == nil || wish.chain == one.chain || !keeps(.walksAreOfTheirChain))
        && (wish.walk == nil || wish.walk == one.walk + 1)
        && (wish.topic.map { Subject.matches(one.topic, $0) } ?? true)
        && (wish.key == nil || wish.key == one.key || !keeps(.walksAreOfTheirKey))
        && (wish.since.map { now - one.ended <= $0 } ?? true || !keeps(.walksAreSince))
        && (wish.handler.map { seesLinks(of: one, connection) && [one.link, one.by].contains($0) } ?? true)
        && (!one.isDisagreed || seesLinks(of: one, connection))
        && (maySee(one.chain, connection) || !keeps(.walksAreOfSeenChains))
    }
    let told = keeps(.latestFirst) ? rest.prefix(wish.limit ?? 100) : rest.reversed().prefix(wish.limit ?? 100)
    var line = Line("walks", to: asked)
    line.add("walks", json: "[\(told.map { describe($0, for: connection) }.joined(separator: ","))]")
    for one in told { seen.insert(one.seen) }
    if wish.after == nil, maySeeAll(connection), keeps(.reachIsTold) {
      line.add("kinds", json: "[\(describeKinds(wish).joined(separator: ","))]")
    }
    if told.count < rest.count {
      // The next page begins at the next one that is to be told.
      let place = ahead.firstIndex { $0.order == rest[told.count].order } ?? 0
      let after = "\(ahead[max(0, place - 1)].order)"
      line.add("more", ifTrue: true)
      line.add("after", after)
      if asked.wantsReply {
        seen.insert(.toldWalksInPages)
        var next = wish
        next.after = after
        nextPage = .walks(next)
      }
    }
    reply(line, to: asked, of: connection)
  }

  /// The most bytes that a kept walk takes in an answer, with what is told of each.
  package var longestKeptWalk: Int { kept.reduce(1) { max($0, $1.line.whole.utf8.count + 200) } }

  /// Whether the connection may be told which links it met.
  private func seesLinks(of one: KeptWalk, _ connection: Int) -> Bool { one.beginning == nil || maySeeAll(connection) }

  /// How far back each kind reaches, and how many of it were forgotten.
  private func describeKinds(_ wish: WalksWish) -> [String] {
    let all = ["failed", "timeout", "rejected", "unhandled", "cancelled"].map { "\"status\":\"\($0)\"" }
    let passed = ["unhandled", "handled", "published"].map { "\"status\":\"\($0)\",\"with_failures\":true" }
    let kinds = wish.disagreed == true ? ["\"disagreed\":true"] : all + passed
    return kinds.compactMap { kind in
      if let status = wish.status, wish.disagreed != true, !kind.contains("\"\(status)\"") { return nil }
      let oldest = kept.first { $0.kind == kind }.map { ",\"oldest_ms\":\(now - $0.ended)" }
      let forgotten = keptForgotten[kind].map { ",\"forgotten\":\($0)" }
      return oldest == nil && forgotten == nil ? nil : "{\(kind)\(oldest ?? "")\(forgotten ?? "")}"
    }
  }

  private mutating func describe(_ one: KeptWalk, for connection: Int) -> String {
    var line = one.line
    if let beginning = one.beginning, !maySeeAll(connection), keeps(.walksHideMounts) {
      seen.insert(.walkHidden)
      line = beginning
      line.add("hidden", ifTrue: true)
    }
    line.add("ago_ms", now - one.ended)
    line.add("at", json: Line.anyText)
    return line.whole
  }
}
