/// The way of a message along the links, through mounts (contract, section 5).
extension Model {
  /// What happens when a walk reaches a link.
  enum Step { case stays, goesOn, isOver }

  /// Goes on to the next link at which the walk stays, or to its end.
  mutating func walkOn(_ walk: Int) {
    if walks.isPlace(walk) { return settle(walk) }
    // At its deadline it goes no further.
    if let link = walks[walk].stand?.link, lastMoment(of: walk) <= now, keeps(.deadlineWins) {
      return end(walk, Outcome(status: "timeout", by: links[link].name))
    }
    leave(walk)
    goAlong(walk)
  }

  /// A walk enters a chain. It takes a copy of the chain with it.
  mutating func enter(_ chain: String, _ walk: Int, by mount: Int? = nil, isByFile: Bool = true) {
    walks[walk].visits.enter(chain, isByFile: isByFile)
    let there = chains[chain]
    walks[walk].frames.append(
      Walk.Frame(
        chain: chain, mount: mount, isByFile: isByFile, entered: there?.version ?? version, links: there?.links ?? []))
  }

  /// The next handler's link for the message, removed ones left out; enters mounted chains on the way.
  mutating func nextLink(of walk: Int) -> Int? {
    while let frame = walks[walk].frames.indices.last {
      if !keeps(.insertedSinceIsNotVisited) { refresh(&walks[walk].frames[frame]) }
      if !keeps(.orderIsOfEntry) { reorder(&walks[walk].frames[frame]) }
      guard walks[walk].frames[frame].next < walks[walk].frames[frame].links.count else {
        if walks[walk].stage?.depth == walks[walk].frames.count { return nil }
        walks[walk].frames.removeLast()
        continue
      }
      let link = walks[walk].frames[frame].links[walks[walk].frames[frame].next]
      walks[walk].frames[frame].next += 1
      if links[link].isGoing { continue }
      guard isAccepted(walk, by: link) else {
        if links[link].state == .there { note(link, skipped: "topic", walk) }
        continue
      }
      if links[link].state == .removed && keeps(.removedIsSkipped) || isWithdrawn(link, walk) {
        seen.insert(.removedMidWalk)
        continue
      }
      if isPassed(link, by: walk) {
        seen.insert(links[link].isMount ? .mountPassed : .partPassed)
        if links[link].state == .there { note(link, skipped: "percent", walk) }
        continue
      }
      let answer = ask(link, about: walk)
      if answer == .no {
        seen.insert(links[link].isMount ? .mountDoesNotFit : .doesNotFit)
        if links[link].state == .there { note(link, skipped: "when", walk) }
        continue
      }
      walks[walk].isDoubtful = answer == .unknown && !links[link].isMount
      if !links[link].isMount { return link }
      pass(link, walk)
    }
    return nil
  }

  private func isAccepted(_ walk: Int, by link: Int) -> Bool {
    if links[link].isMount, !keeps(.mountIsBoundary) { return true }
    return Subject.matches(walks[walk].message.topic, anyOf: seen(link, by: walk).settings.accepts)
  }

  /// Whether the file does not declare the link any more, and the message may pass it.
  private func isWithdrawn(_ link: Int, _ walk: Int) -> Bool {
    links[link].state == .withdrawn && (!seen(link, by: walk).settings.required || !keeps(.requiredIsNotPassed))
  }

  /// Only for a model that breaks the rule: the links that are still ahead, in the order in which they are now.
  private func reorder(_ frame: inout Walk.Frame) {
    let ahead = frame.links[frame.next...].sorted { links[$0].rank < links[$1].rank }
    frame.links.replaceSubrange(frame.next..., with: ahead)
  }

  /// Comes to a mounted chain: enters it, unless it has been there.
  private mutating func pass(_ mount: Int, _ walk: Int) {
    let chain = links[mount].name
    let isByFile = isByFile(seen(mount, by: walk).isDeclared, walks[walk].frames.last?.isByFile ?? true)
    let visits = walks[walk].visits
    if !enters(chain, isByFile: isByFile, visits), keeps(.diamondEnteredOnce) || walks[walk].frames.count > 8 {
      seen.insert(.mountSkipped)
      note(mount, skipped: "visited", walk)
      return
    }
    seen.insert(visits.contains(chain) ? .mountEnteredAgain : .mountEntered)
    if keeps(.mountIsRecorded) { startRecording(walk) }
    let settings = seen(mount, by: walk).settings
    enter(chain, walk, by: mount, isByFile: isByFile)
    beginStage(mount, walk, settings)
  }

  /// Only for a model that breaks the rule: the chain as it is now.
  private func refresh(_ frame: inout Walk.Frame) {
    let known = frame.links
    for link in chains[frame.chain]?.links ?? [] where !known.contains(link) {
      let index = frame.links.firstIndex(where: { links[$0].rank > links[link].rank }) ?? frame.links.count
      if index >= frame.next { frame.links.insert(link, at: index) }
    }
  }

  // MARK: At a link

  mutating func reach(_ link: Int, _ walk: Int) -> Step {
    if links[link].state != .there {
      guard keeps(.lostFails) || links[link].state != .lost else { return .goesOn }
      seen.insert(links[link].state == .withdrawn ? .withdrawnRequired : .lostMidWalk)
      return miss(walk, at: link, .disconnect)
    }
    if seen(link, by: walk).settings.shadow {
      copy(walk, to: link)
      note(link, skipped: "shadow", walk)
      return .goesOn
    }
    if case .empty = links[link].vacancy {
      if passesEmpty(link, walk) {
        seen.insert(.passedEmpty)
        if keeps(.emptyIsRecorded) { startRecording(walk) }
        note(link, skipped: "empty", walk)
        return .goesOn
      }
      seen.insert(.emptyPlace)
      return miss(walk, at: link, keeps(.emptyPlaceIsDisconnect) ? .disconnect : .overload)
    }
    if isBroken(link) { return miss(walk, at: link, .breaker) }
    let share = max(1000, (walks[walk].deadline - now) * 1000 / (1 + linksAhead(of: walk)))
    let shareEnd = walks[walk].stage?.shareEnd ?? (now * 1000 + share)
    guard walks[walk].stage != nil else { return stand(walk, at: link, until: shareEnd, of: walk) }
    if keeps(.stageSharesTime) { walks[walk].stage?.shareEnd = shareEnd }
    return stand(beginPlace(of: walk), at: link, until: shareEnd, of: walk)
  }

  /// A message, or one place of it, begins to stand at a link.
  private mutating func stand(_ walk: Int, at link: Int, until shareEnd: Int, of message: Int) -> Step {
    let stand = Walk.Stand(link: link, reached: now, since: now, shareEnd: shareEnd, due: shareEnd)
    if links[link].queue.isEmpty, let server = chooseServer(of: link) {
      walks[walk].stand = stand
      offer(walk, to: server)
      return stays(message)
    }
    if isFull(link, for: walk) {
      if walk != message { forgetPlace(walk) }
      return miss(message, at: link, .overload)
    }
    seen.insert(.waited)
    if keeps(.waitIsRecorded) { startRecording(walk) }
    walks[walk].stand = stand
    if !keeps(.waitingWithinShare), let own = seen(link, by: walk).settings.timeoutMilliseconds {
      walks[walk].stand?.due = (now + own) * 1000
    }
    if links[link].queue.isEmpty { links[link].waitedSince = now }
    lineUp(walk, at: link)
    setAlarm(of: walk)
    return stays(message)
  }

  /// In a stage the message has one place more, and goes on.
  private mutating func stays(_ message: Int) -> Step {
    guard walks[message].stage != nil else { return .stays }
    if keeps(.placesAreWeighed) { walks[message].stage?.begun += 1 }
    checkOpen(of: walks[message].sender)
    return .goesOn
  }

  /// The links that still share the message's time with the one that it has reached. These are the links that would be
  /// asked if all of them handed it on, as the chains are now.
  private func linksAhead(of walk: Int) -> Int {
    var visits = walks[walk].visits
    let innermost = walks[walk].frames.count - 1
    // All links of a stage are one, the link that it has reached.
    let stage = keeps(.stageSharesTime) ? walks[walk].stage?.depth : nil
    return walks[walk].frames.indices.reversed().reduce(0) { count, at in
      let frame = walks[walk].frames[at]
      let own = at == innermost || !keeps(.elsewhereEachCounts) ? walk : nil
      let more = countHandlers(
        frame.links[frame.next...], for: walks[walk].message.topic, of: own, since: frame.entered, frame.isByFile,
        &visits)
      return at + 1 >= stage ?? .max ? 0 : count + more
    }
  }

  private func countHandlers(
    _ ahead: ArraySlice<Int>, for topic: String, of walk: Int?, since version: Int, _ isHereByFile: Bool,
    _ visits: inout Visits
  ) -> Int {
    var count = 0
    for link in ahead where links[link].state == .there && !links[link].isGoing {
      let (settings, isDeclared) = seen(link, since: version)
      guard Subject.matches(topic, anyOf: settings.accepts) else { continue }
      if let walk, keeps(.passedTakesNoTime) {
        if isPassed(settings, bucket(of: walk)) { continue }
        if ask(settings, about: walk, areListsUnknown: keeps(.listsCountInTime)) == .no { continue }
      }
      let isByFile = isByFile(isDeclared, isHereByFile)
      if !links[link].isMount {
        if !settings.shadow { count += 1 }
      } else if keeps(.fairShareCountsMounts), enters(links[link].name, isByFile: isByFile, visits) {
        visits.enter(links[link].name, isByFile: isByFile)
        let inner = chains[links[link].name]?.links ?? []
        let more = countHandlers(
          inner[...], for: topic, of: keeps(.elsewhereEachCounts) ? nil : walk, since: .max, isByFile, &visits)
        count += settings.together && keeps(.stageSharesTime) ? min(1, more) : more
      }
    }
    return count
  }

  // MARK: Failing

  /// A link fails a message that does not stand there. The policy decides whether the walk goes on. At the deadline the
  /// result is `timeout`, whatever the policy says.
  private mutating func miss(
    _ walk: Int, at link: Int, _ cause: Cause, of offer: Offer? = nil, message: String? = nil
  ) -> Step {
    // A link that was lost before the message came to it is not among the failures, unless it stops the message.
    let isListed =
      links[link].state == .there || walks[walk].stand != nil || offer != nil
      || seen(link, by: walk).settings.onFailure.stops(cause)
    if isListed {
      count(cause, at: link)
      startRecording(walk, with: offer)
    }
    if isListed || walks[walk].isShown { note(walk, at: link, cause, of: offer, message: message) }
    let failure = Failure(
      by: offer?.handler ?? links[link].name, chain: links[link].chain, cause: cause, message: message)
    if isListed { remember(failure, of: walk, at: link, offer) }
    var policy = seen(link, by: walk).settings.onFailure
    if let offer, keeps(.offerKeepsPolicy) {
      if policy.stops(cause) != offer.policy.stops(cause) { seen.insert(.policyKept) }
      policy = offer.policy
    }
    guard keeps(.policyPerCause) ? policy.stops(cause) : Cause.allCases.contains(where: policy.stops) else {
      if isListed { list(failure, of: walk) }
      return .goesOn
    }
    if !keeps(.lastFailureIsNotListed) { list(failure, of: walk) }
    // The handler that was asked has the name that its offer said.
    if lastMoment(of: walk) <= now, keeps(.deadlineWins) {
      end(walk, Outcome(status: "timeout", by: failure.by))
      return .isOver
    }
    seen.insert(.stop)
    end(walk, Outcome(status: "failed", by: failure.by, message: message ?? Line.anyText, cause: cause))
    return .isOver
  }

  /// A link fails a message that stands there.
  mutating func fail(_ walk: Int, at link: Int, _ cause: Cause, of offer: Offer? = nil, message: String? = nil) {
    if miss(walk, at: link, cause, of: offer, message: message) == .goesOn { walkOn(walk) }
  }

  mutating func count(_ cause: Cause, at link: Int) {
    links[link].count(cause.rawValue, isFailure: true)
    note(cause.rawValue, at: link)
    switch cause {
    case .timeout: seen.insert(.timeout)
    case .disconnect: seen.insert(.disconnect)
    case .failed: break
    case .overload: seen.insert(.overload)
    case .breaker: seen.insert(.breaker)
    }
  }

  /// The walk stands nowhere any more.
  mutating func leave(_ walk: Int) {
    if let link = walks[walk].stand?.link { leaveQueue(walk, at: link) }
    walks[walk].stand = nil
  }
}
