/// The way of a message along the links of its chain, and of the chains mounted in it (contract, section 5).
///
/// A walk continues until it stands at a link or has come to the end. When its stay at a link is over (by a verdict, by
/// time, by a lost connection, or because the link was removed), it leaves the link and walks on. A walk that passes
/// many links goes in steps, for which its sender pays: `Router+ParkedWalks`.
extension Router {
  /// The links that a walk passes in one go before its sender pays.
  private static let freeSteps = 8
  /// The links that it passes then, or in its sender's next turn.
  static let paidSteps = 64
  /// What is left of them when the walk goes on after its places in a stage, or has ended there.
  private static let staysInStage = Int.min

  /// A walk enters its chain.
  @inline(__always)
  mutating func beginWalk(_ walk: Slot<Walk>, at now: Instant) {
    walks[walk].place = enterChain(walks[walk].place.chain, with: walk)
    traceEntry(of: walk, at: now)
    walkOn(walk, at: now)
  }

  /// A walk continues behind the link at which it stands, or enters at the first link. It ends behind the last.
  mutating func walkOn(_ walk: Slot<Walk>, at now: Instant) {
    let link = walks[walk].link
    walks[walk].forgetMarksOfLink()
    if isOver(walk, at: now), link != .nobody {
      // Its deadline passed in this turn, before its timer fired.
      let by = nameAsked(nil, at: link)
      leaveLink(walk)
      endWalk(walk, .timeout, by: by.bytes, at: now)
      return extendLifetime(by)
    }
    leaveLink(walk)
    if mustWait(walk) { return parkWalk(walk) }
    if reachesPlain(walk, at: now) { return }
    passFreeLinks(walk, at: now)
  }

  /// A walk comes to the next link, where its chain has neither mounts nor shadows nor conditions for its topic, and nothing has
  /// changed: nearly always it stands there then, or has ended. Returns false if it has to be looked at closely.
  @inline(__always)
  private mutating func reachesPlain(_ walk: Slot<Walk>, at now: Instant) -> Bool {
    let place = walks[walk].place
    guard !walks[walk].isTraced, acceptLists.contains(place.list), place.revision == chains[place.chain].revision,
      acceptLists[place.list.slot].content.isPlain
    else { return false }
    let position = place.position + 1
    guard position < acceptLists[place.list.slot].content.links.count else { return false }
    let link = acceptLists[place.list.slot].content.links[position]
    guard isVisited(link, since: place.entered) else { return false }
    walks[walk].place.position = position
    if comesTo(link, by: walk, at: now) { return true }
    walks[walk].place.passed = links[link].order
    return false
  }

  /// A walk passes the links that cost its sender nothing, and perhaps more.
  @inline(never)
  private mutating func passFreeLinks(_ walk: Slot<Walk>, at now: Instant) {
    var steps = Router.freeSteps
    if passLinks(walk, &steps, at: now) { return }
    paySender(Cost.look * Router.freeSteps, of: walk)
    if !maySenderWork(walk) { return parkWalk(walk) }
    passMoreLinks(walk, at: now)
  }

  /// A walk that waited for its sender's turn passes more links.
  mutating func walkFurther(_ walk: Slot<Walk>, at now: Instant) {
    unparkWalk(walk)
    if isOver(walk, at: now) { endParked(walk, .timeout, at: now) } else { passMoreLinks(walk, at: now) }
  }

  /// A walk passes more links, for which its sender pays. If these are not all, it waits again.
  mutating func passMoreLinks(_ walk: Slot<Walk>, at now: Instant) {
    paySender(Cost.look * Router.paidSteps, of: walk)
    var steps = settings.pieces.areLimited ? Router.paidSteps : 1 << 20
    if walks[walk].isInStage, goThroughStage(walk, &steps, at: now) { return }
    if !passLinks(walk, &steps, at: now) { parkWalk(walk) }
  }

  /// Passes at most `steps` links. Returns true if the walk stands at a link now or has ended; false if it has to go on.
  private mutating func passLinks(_ walk: Slot<Walk>, _ steps: inout Int, at now: Instant) -> Bool {
    while steps > 0 {
      if let next = nextLink(of: walk, &steps, at: now) {
        if reachLink(next, by: walk, at: now) { return true }
        walks[walk].place.passed = links[next].order
        walks[walk].forgetMarksOfLink()
        steps &-= 1
      } else if steps > 0 {
        endOfChain(walk, at: now)
        return true
      }
    }
    return steps == Router.staysInStage
  }

  /// A walk has passed the last link.
  @inline(__always)
  private mutating func endOfChain(_ walk: Slot<Walk>, at now: Instant) {
    if walks[walk].mode == .notify { return endNotice(walk, at: now) }
    if walks[walk].mode.isBroadcast { return publishWalk(walk, at: now) }
    if walks[walk].hasNoResults { return endWalk(walk, .unhandled, by: .empty, at: now) }
    let by = OwnedBytes(copying: walks[walk].results.lastBy.bytes)
    let payload = walks[walk].results.lastPayload.bytes
    endWalk(walk, .handled(payload: payload), by: by.bytes, at: now)
    extendLifetime(by)
  }

  /// The next link with handlers for the message; nil at the end, or when no steps are left. Each chain counts as it
  /// stood when the walk entered it.
  @inline(__always)
  mutating func nextLink(of walk: Slot<Walk>, _ steps: inout Int, at now: Instant) -> Slot<Link>? {
    while steps > 0 {
      guard let link = nextInPlace(of: walk, &steps, at: now) else {
        if steps <= 0 || walks[walk].isWayOver { return nil }
        leaveMount(walk)
        continue
      }
      if !links[link].settings.isForAll, passes(link, by: walk, &steps, at: now) {
        steps &-= 1
        continue
      }
      if links[link].mounted == .nobody { return link }
      steps &-= 1
      if enterMount(link, with: walk, at: now), goThroughStage(walk, &steps, at: now) {
        steps = Router.staysInStage
      }
    }
    return nil
  }

  /// The next link of the chain that the walk is in. Links that were inserted since it entered are not visited. Links
  /// that were removed since then are skipped.
  @inline(__always)
  private mutating func nextInPlace(of walk: Slot<Walk>, _ steps: inout Int, at now: Instant) -> Slot<Link>? {
    if walks[walk].isTraced { return nextInOrder(of: walk, &steps, at: now) }
    let list = currentList(for: walk)
    while steps > 0 {
      walks[walk].place.position += 1
      let position = walks[walk].place.position
      guard position < acceptLists[list].content.links.count else {
        return acceptLists[list].content.isLong ? nextInOrder(of: walk, &steps, at: now) : nil
      }
      let link = acceptLists[list].content.links[position]
      if isVisited(link, since: walks[walk].place.entered) { return link }
      steps &-= 1
    }
    return nil
  }

  /// Whether a link stood here at a version and was not removed since then.
  @inline(__always)
  private mutating func isVisited(_ link: Slot<Link>, since entered: Int) -> Bool {
    guard links[link].birth <= entered else { return false }
    return links[link].fate == nil || isStillSeen(link, since: entered)
  }

  /// The same as `nextInPlace`, link by link: where a list would be too long, or for a trace, which shows the links that
  /// do not accept the topic, too.
  @inline(never)
  private mutating func nextInOrder(of walk: Slot<Walk>, _ steps: inout Int, at now: Instant) -> Slot<Link>? {
    let (chain, entered) = (walks[walk].place.chain, walks[walk].place.entered)
    spent &+= Cost.list
    var node = firstNode(of: chain, behind: walks[walk].place.passed)
    while node != .nobody, steps > 0 {
      let link = linkOrder.element(node)
      if isVisited(link, since: entered), links[link].fate == nil || links[link].isAwaited, !isGoing(link) {
        if links[link].settings.accept(walks[walk].message.topic) { return link }
        traceUnwanted(by: walk, link, "topic", at: now)
      }
      walks[walk].place.passed = links[link].order
      node = linkOrder.next(node)
      steps &-= 1
    }
    if node == .nobody { steps = max(steps, 1) }
    return nil
  }

  /// Whether the walk passes the link to which it comes now, because the message is not for it.
  @inline(never)
  private mutating func passes(
    _ link: Slot<Link>, by walk: Slot<Walk>, _ steps: inout Int, at now: Instant
  ) -> Bool {
    guard let reason = whyPassed(link, by: walk, &steps) else { return false }
    walks[walk].place.passed = links[link].order
    traceUnwanted(by: walk, link, reason, at: now)
    return true
  }

  /// Records a link that the walk passes because the message is not for it.
  private mutating func traceUnwanted(by walk: Slot<Walk>, _ link: Slot<Link>, _ reason: StaticString, at now: Instant)
  {
    guard tracesUnwanted(walk), isThere(link) else { return }
    traces[walks[walk].trace].countLooked()
    // It has the name that it has now.
    let present = links[link].fate == .moved ? links[link].present.slot : link
    traceSkip(of: walk, past: present, reason, at: now)
  }

  /// The walk's list of links. If the chain has changed, it is the new list, with the walk's position in it.
  @inline(__always)
  private mutating func currentList(for walk: Slot<Walk>) -> Slot<AcceptList> {
    let place = walks[walk].place
    if acceptLists.contains(place.list), place.revision == chains[place.chain].revision { return place.list.slot }
    return findPlaceAnew(for: walk)
  }

  @inline(never)
  private mutating func findPlaceAnew(for walk: Slot<Walk>) -> Slot<AcceptList> {
    let chain = walks[walk].place.chain
    let list = acceptList(of: walks[walk].message.topic, in: chain)
    walks[walk].place.list = list
    walks[walk].place.revision = chains[chain].revision
    var position = -1
    if let passed = walks[walk].place.passed {
      var (low, high) = (0, acceptLists[list.slot].content.links.count)
      while low < high {
        let middle = (low + high) / 2
        if links[acceptLists[list.slot].content.links[middle]].order <= passed {
          low = middle + 1
        } else {
          high = middle
        }
      }
      position = low - 1
    }
    walks[walk].place.position = position
    return list.slot
  }
}
