// Seeing: the answers to `explain` and `inspect`. It changes nothing.

/// `explain`: tells link by link what would happen to a message (contract, section 8). Nothing is offered, and nothing
/// changes.
extension Router {
  mutating func explain(to connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let name = request.chainName()
    let topic = OwnedBytes(copying: request.text(.topic))
    try checkExplained()
    var way = try wayOfLine(through: name.bytes, topic.bytes, for: connection)
    guard request.wantsReply else { return }
    var page = beginPage("explained")
    var writer = page.begin(atMost: 128 + LineWriter.bound(pattern: topic.count) + name.count)
    writer.literal(",\"topic\":")
    writer.text(topic.bytes)
    writer.literal(",\"chain\":")
    writer.text(name.bytes)
    if let chain = findChain(name.bytes), chains[chain].live > 0 {
      writer.literal(",\"version\":")
      writer.integer(chains[chain].version)
    }
    writer.literal(",\"links\":[")
    page.commit(writer)
    explainLinks(on: &way, topic.bytes, to: &page, for: connection, at: now)
    extendLifetime(topic)
    extendLifetime(name)
    sendPage(page, to: connection, at: now)
  }

  /// The most bytes of payload and meta of a message that is explained: each condition of a page is asked about it.
  private static var mostExplained: Int { 16 << 10 }

  private mutating func checkExplained() throws(Fault) {
    let count = request.raw(.payload).count + request.raw(.meta).count
    guard count > Router.mostExplained else { return }
    throw Fault(
      .badMember,
      "\"payload\" and \"meta\" take \(count) bytes, and \(Router.mostExplained) can be explained; leave out what no "
        + "condition asks for")
  }

  /// The way up to the place where the page begins. If a mount on the way is gone, the chains behind it are left.
  private mutating func wayOfLine(
    through name: UnsafeRawBufferPointer, _ topic: UnsafeRawBufferPointer, for connection: Slot<Connection>
  ) throws(Fault) -> ExplainedWay {
    var way = ExplainedWay()
    guard request.has(.after) else {
      if let chain = findChain(name) { way.enter(chain, isByFile: true) }
      return way
    }
    var start = PageStart(request.text(.after))
    var (isFirst, isLost) = (true, false)
    while let word = start.next() {
      switch word {
      case .stopped: way.isStopped = true
      case .entered(let name, let isByFile):
        if let chain = findChain(name) { way.noteEntered(chain, isByFile: isByFile) }
      case .place(let place):
        if isFirst, !place.chain.equals(name) { throw request.wrongPage }
        let mount = way.steps.last?.link ?? .nobody
        let mounted = mount == .nobody ? .nobody : links[mount].mounted
        let isByFile = isFirst || !isLost && mount != .nobody && way.isByFile(links[mount].isDeclared)
        let isCertain = isFirst || mount != .nobody && way.isCertain(chance(of: mount, for: connection))
        let chain = findChain(place.chain)
        if let chain { way.noteEntered(chain, isByFile: isByFile) }
        isLost = isLost || chain == nil || !(isFirst || chain == mounted)
        guard let chain, !isLost, maySee(chain, connection) else {
          isLost = true
          break
        }
        let (link, order) = findPlace(place, in: chain)
        way.steps.append(
          ExplainedWay.Step(chain: chain, link: link, passed: order, isByFile: isByFile, isCertain: isCertain))
      }
      isFirst = false
    }
    // The page before ended with a mount: its chain follows.
    if let last = way.steps.last?.link, last != .nobody, links[last].mounted != .nobody,
      !way.isStopped, way.enters(links[last].mounted, isDeclared: links[last].isDeclared),
      links[last].settings.accept(topic), maySee(links[last].mounted, connection)
    {
      let chance = chance(of: last, for: connection)
      if chance.isPossible { enterExplained(last, chance, on: &way) }
    }
    return way
  }

  /// How likely it is that a link is for the message, if it accepts its topic: without a key, nobody knows it of a link for
  /// a part of the messages, and without the message, of one with a condition.
  private mutating func chance(of link: Slot<Link>, for connection: Slot<Connection>) -> ExplainedWay.Chance {
    var chance = ExplainedWay.Chance()
    let percent = links[link].settings.percent
    if percent < 100 {
      let isKnown = percent == 0 || request.has(.key)
      if !isKnown { chance.percent = percent }
      if isKnown, percent == 0 || Bucket.of(request.text(.key)) >= percent { chance.reason = "percent" }
    }
    guard chance.isPossible, links[link].settings.when != nil else { return chance }
    if !request.has(.payload), !request.has(.meta), !request.has(.key) {
      (chance.when, chance.isDepending) = ("depends", true)
      return chance
    }
    switch answerToExplained(link, for: connection) {
    case .no: chance.reason = "when"
    case .unknown: chance.when = "unknown"
    case .fits: break
    }
    return chance
  }

  /// The explanation enters the chain that is mounted at a link.
  private mutating func enterExplained(_ link: Slot<Link>, _ chance: ExplainedWay.Chance, on way: inout ExplainedWay) {
    way.enter(links[link].mounted, isByFile: way.isByFile(links[link].isDeclared), isCertain: way.isCertain(chance))
  }

  /// Writes links in the order of a walk, through mounts, each chain once; and the end of the reply.
  private mutating func explainLinks(
    on way: inout ExplainedWay, _ topic: UnsafeRawBufferPointer, to page: inout Page,
    for connection: Slot<Connection>, at now: Instant
  ) {
    var next = linkAhead(on: &way)
    while next != .nobody, page.hasRoom(for: 352, looking: looking(at: next)) {
      let link = next
      way.steps[way.steps.count - 1].link = link
      way.steps[way.steps.count - 1].passed = links[link].order
      let mounted = links[link].mounted
      let isWanted = links[link].settings.accept(topic)
      let chance = chance(of: link, for: connection)
      let isNew =
        isWanted && chance.isPossible && !way.isStopped && mounted != .nobody
        && way.enters(mounted, isDeclared: links[link].isDeclared)
      let isHidden = mounted != .nobody && !maySee(mounted, connection)
      let stops = writeExpectation(
        of: link, for: connection, isWanted: isWanted, chance, isReached: !way.isStopped, isNew: isNew,
        isHidden: isHidden, to: &page, at: now)
      if stops, way.isCertain(chance) { way.isStopped = true }
      page.countLink(looking: looking(at: link))
      if isNew {
        if way.entered.count == PageStart.mostChains { return page.literal("],\"truncated\":true") }
        if isHidden {
          way.noteEntered(mounted, isByFile: way.isByFile(links[link].isDeclared))
        } else {
          enterExplained(link, chance, on: &way)
        }
      }
      next = linkAhead(on: &way)
    }
    page.literal("]")
    if next != .nobody { writeMore(behind: way, to: &page) }
  }

  /// The next link on the way, or `nobody`. Chains that have no more links are left.
  private mutating func linkAhead(on way: inout ExplainedWay) -> Slot<Link> {
    while let step = way.steps.last {
      let next = firstLink(of: step.chain, behind: step.passed)
      if next != .nobody { return next }
      way.steps.removeLast()
    }
    return .nobody
  }

  /// Writes where the next page begins. If that would be too long, the explanation ends here. A chain in which nothing
  /// was told yet is left out: it follows its mount.
  private mutating func writeMore(behind way: ExplainedWay, to page: inout Page) {
    let left = way.left
    let bound =
      way.steps.count * PageStart.Place.bound + left.count * (65 + PageStart.byFile.utf8CodeUnitCount)
      + PageStart.stopped.utf8CodeUnitCount + 1
    guard bound <= pageStartBound else { return page.literal(",\"truncated\":true") }
    var writer = page.begin(atMost: bound + 64)
    writer.literal(",\"more\":true,\"after\":\"")
    for (number, step) in way.steps.enumerated() where step.link != .nobody {
      if number > 0 { writer.literal(" ") }
      writePlace(of: step.link, to: &writer)
    }
    for (chain, isByFile) in left {
      writer.literal(" ")
      writer.raw(chains[chain].name.bytes)
      if isByFile { writer.literal(PageStart.byFile) }
    }
    if way.isStopped {
      writer.literal(" ")
      writer.literal(PageStart.stopped)
    }
    writer.literal("\"")
    page.commit(writer)
  }

  /// Writes what the link would do. `isReached`: no link before it would end the walk. `isNew` is for a mount: whether its
  /// chain was not entered before. Returns whether the walk would end here.
  private mutating func writeExpectation(
    of link: Slot<Link>, for connection: Slot<Connection>, isWanted: Bool, _ chance: ExplainedWay.Chance,
    isReached: Bool, isNew: Bool, isHidden: Bool, to page: inout Page, at now: Instant
  ) -> Bool {
    var writer = page.begin(atMost: 352)
    let isMount = links[link].mounted != .nobody
    writer.literal(page.links == 0 ? "{\"chain\":\"" : ",{\"chain\":\"")
    writer.raw(chains[links[link].chain].name.bytes)
    writer.literal(isMount ? "\",\"mount\":\"" : "\",\"handler\":\"")
    writer.raw(links[link].name.bytes)
    writer.literal("\",\"would\":")
    var stops = false
    if !isWanted {
      writer.literal("\"skip\",\"reason\":\"topic\"")
    } else if let reason = chance.reason {
      writer.literal("\"skip\",\"reason\":\"")
      writer.literal(reason)
      writer.literal("\"")
    } else if !isReached {
      writer.literal("\"skip\",\"reason\":\"unreached\"")
    } else if isMount {
      writer.literal(isNew ? "\"offer\"" : "\"skip\",\"reason\":\"visited\"")
    } else {
      let state = state(of: link, for: connection, now)
      stops = state.cause.map { links[link].settings.onFailure[$0] } ?? false
      writer.literal("\"")
      writer.literal(state.would)
      if state != .serving {
        writer.literal("\",\"reason\":\"")
        writer.literal(state.spelling)
      }
      writer.literal(stops ? "\",\"on_failure\":\"stop\"" : "\"")
    }
    if isWanted, chance.reason == nil, let percent = chance.percent { writer.count(",\"percent\":", percent) }
    if isWanted, isReached, let when = chance.when {
      writer.literal(",\"when\":\"")
      writer.literal(when)
      writer.literal("\"")
    }
    if links[link].settings.isTogether { writer.literal(",\"together\":true") }
    if isHidden { writer.literal(",\"hidden\":true") }
    writer.literal("}")
    page.commit(writer)
    return stops
  }
}
