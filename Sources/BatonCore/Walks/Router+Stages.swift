/// Stages: the links of a chain that is mounted `together` are asked at once (contract, section 5, `Stages`). The message
/// goes through the chain as ever, leaves a place at each link that it is for, and goes on behind the stage when each
/// place is settled.
extension Router {
  // MARK: Going through

  /// A walk has entered the chain of a stage.
  private mutating func beginStage(with walk: Slot<Walk>, at now: Instant) {
    var rewritten: StagedMessage?
    if !walks[walk].rewritten.isEmpty {
      paySender(Cost.copying(walks[walk].bytes), of: walk)
      let message = Message(
        walk: walks[walk].number, spelled: &spelledWalk, id: .empty, topicText: walks[walk].message.topicText,
        topic: walks[walk].message.topic, payload: walks[walk].rewritten.bytes, meta: walks[walk].message.meta,
        key: walks[walk].message.key, from: walks[walk].message.from, in: &messagePool)
      rewritten = StagedMessage(message)
    }
    let before = walks[walk].bytes
    walks[walk].stage = Stage(depth: walks[walk].outer.count, rewritten: rewritten)
    changeAccount(for: walk, before: before, at: now)
  }

  /// A walk passes links of its stage. Returns true if it stays there or has ended, or waits for its sender's turn; false if
  /// it is behind the stage, or has no steps left.
  @inline(never)
  mutating func goThroughStage(_ walk: Slot<Walk>, _ steps: inout Int, at now: Instant) -> Bool {
    if !walks[walk].isInStage { beginStage(with: walk, at: now) }
    while steps > 0 {
      if openPlaces(of: walk) >= Stage.mostPlaces {
        stayInStage(walk)
        return true
      }
      guard let next = nextLink(of: walk, &steps, at: now) else {
        if steps <= 0 { return false }
        walks[walk].stage?.isPassed = true
        guard openPlaces(of: walk) == 0 else {
          stayInStage(walk)
          return true
        }
        leaveStage(walk, at: now)
        return false
      }
      if reachTogether(next, by: walk, at: now) { return true }
      walks[walk].place.passed = links[next].order
      walks[walk].forgetMarksOfLink()
      steps &-= 1
      if mustWait(walk) {
        parkWalk(walk)
        return true
      }
    }
    return false
  }

  /// A walk comes to a link of its stage, and leaves a place there if it would stand. Returns true if that has ended it.
  private mutating func reachTogether(_ next: Slot<Link>, by walk: Slot<Walk>, at now: Instant) -> Bool {
    switch meetLink(next, by: walk, at: now) {
    case .passes: return false
    case .ends: return true
    case .mayStand(let link, let until):
      let shareEnd = walks[walk].stage?.shareEnd ?? until
      walks[walk].stage?.shareEnd = shareEnd
      let place = beginPlace(of: walk, at: now)
      guard stands(place, at: link, until: shareEnd, now) else {
        forgetPlace(place)
        return fails(walk, at: link, seenAt: next, .overload, at: now)
      }
      let before = walks[walk].bytes
      walks[walk].stage?.bytes += Stage.placeBytes
      changeAccount(for: walk, before: before, at: now)
      return false
    }
  }

  private mutating func beginPlace(of walk: Slot<Walk>, at now: Instant) -> Slot<Walk> {
    let message = shareMessage(of: walk)
    let place = walks.insert(Walk(placeOf: walks[walk], walk, message))
    placesInStages += 1
    copyWay(of: walk, to: place)
    walks[walk].stage?.places.append(place)
    return place
  }

  private mutating func shareMessage(of walk: Slot<Walk>) -> Message {
    if let rewritten = walks[walk].stage?.rewritten { return Message(sharing: rewritten.message) }
    return Message(sharing: walks[walk].message)
  }

  private mutating func openPlaces(of walk: Slot<Walk>) -> Int { walks[walk].stage?.places.count ?? 0 }

  /// A walk waits until a place is settled. The timers of its places tell when its time is over.
  private mutating func stayInStage(_ walk: Slot<Walk>) { walks[walk].due = walks[walk].deadline }

  /// Each place is settled, and the walk is behind the stage.
  private mutating func leaveStage(_ walk: Slot<Walk>, at now: Instant) {
    forgetStage(of: walk, at: now)
    leaveMount(walk)
  }

  private mutating func forgetStage(of walk: Slot<Walk>, at now: Instant) {
    let before = walks[walk].bytes
    walks[walk].stage = nil
    changeAccount(for: walk, before: before, at: now)
  }

  // MARK: Settling places

  /// A walk goes on behind the link at which it stands. If that was one place in a stage, the message goes on with it.
  mutating func goOnBehind(_ walk: Slot<Walk>, at now: Instant) {
    let message = walks[walk].whole
    if message == .nobody { return walkOn(walk, at: now) }
    let isLast = openPlaces(of: message) == 1
    if isOver(message, at: now) {
      // Its deadline passed in this turn, before its timer fired.
      if isLast {
        let by = nameAsked(nil, at: walks[walk].link)
        endAtLink(walk, .timeout, by: by.bytes, at: now)
        return extendLifetime(by)
      }
      forgetPlace(walk)
      return endEarly(message, .timeout, at: now)
    }
    forgetPlace(walk)
    // It waits for its sender's turn, or for other places.
    if walks[message].isParked { return }
    if walks[message].stage?.isPassed == true {
      guard isLast else { return }
      leaveStage(message, at: now)
      if mustWait(message) { return parkWalk(message) }
    }
    passMoreLinks(message, at: now)
  }

  /// A place is settled, or was none. Its offer must have been settled.
  private mutating func forgetPlace(_ place: Slot<Walk>) {
    let walk = walks[place].whole
    leaveLink(place)
    leaveChains(place)
    timers.end(walks[place].timer)
    if walks[place].wasRepeated { walks[walk].wasRepeated = true }
    if let at = walks[walk].stage?.places.firstIndex(of: place) { walks[walk].stage?.places.remove(at: at) }
    spent &+= Cost.step
    walks.remove(place)
    placesInStages -= 1
  }

  // MARK: Ending all places

  /// A link ends a walk that has left it, or one place of a walk.
  mutating func endAtLink(_ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    let message = whole(of: walk)
    guard walks[message].isInStage else { return endWalk(walk, outcome, by: by, at: now) }
    // The name may end with the other offers.
    let name = OwnedBytes(copying: by)
    if message != walk {
      tradeWays(message, walk)
      forgetPlace(walk)
    }
    endStage(of: message, outcome, by: name.bytes, at: now)
    extendLifetime(name)
  }

  /// Ends a walk that is in a stage, and takes back its other offers. Their links have not failed.
  private mutating func endStage(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant
  ) {
    var left: [Ref<Link>] = []
    for place in walks[walk].stage?.places ?? [] {
      left.append(links.ref(walks[place].link))
      cutShort(place, .cancelled, of: handlerAsked(by: place), at: now)
      forgetPlace(place)
    }
    endBehindPlaces(walk, outcome, by: by, left, at: now)
  }

  /// Ends a walk that is in a stage before its way is over: its deadline has passed, or its sender has cancelled it.
  mutating func endStageEarly(_ walk: Slot<Walk>, _ outcome: Outcome, at now: Instant) {
    var left: [Ref<Link>] = []
    var by = OwnedBytes()
    for place in walks[walk].stage?.places ?? [] {
      let link = links.ref(walks[place].link)
      let asked = handlerAsked(by: place)
      if left.isEmpty { by = nameAsked(asked, at: link.slot) }
      cutShort(place, outcome, of: asked, at: now)
      if left.isEmpty { tradeWays(walk, place) }
      left.append(link)
      forgetPlace(place)
    }
    endBehindPlaces(walk, outcome, by: by.bytes, left, at: now)
    extendLifetime(by)
  }

  private mutating func endBehindPlaces(
    _ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, _ left: [Ref<Link>], at now: Instant
  ) {
    if walks[walk].isParked { unparkWalk(walk) }
    forgetStage(of: walk, at: now)
    endWalk(walk, outcome, by: by, at: now)
    for link in left { serveQueue(of: link, at: now) }
  }

  /// What a sender may know of the end depends on the place where that was decided: the walk is there now.
  private mutating func tradeWays(_ walk: Slot<Walk>, _ place: Slot<Walk>) {
    let (own, others) = (walks[walk].place, walks[place].place)
    let (outer, othersOuter) = (walks[walk].outer, walks[place].outer)
    (walks[walk].place, walks[place].place) = (others, own)
    walks[walk].outer = othersOuter
    walks[place].outer = outer
  }
}
