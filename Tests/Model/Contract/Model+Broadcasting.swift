/// `subscribe`, `unsubscribe` and `broadcast` (section 7), and messages of mode `notify` (sections 4 and 5).
extension Model {
  mutating func subscribe(
    _ patterns: [String], _ wish: TraceWish?, _ kept: KeptWish, _ asked: Asked, from connection: Int
  ) throws(Refusal) {
    if wish != nil, patterns != ["$baton.trace"] { throw Refusal("bad_member") }
    try checkKept(kept, isChosen: wish != nil)
    try checkPatterns(of: connection, new: patterns.count { !peers[connection].patterns.contains($0) })
    for pattern in patterns where !peers[connection].patterns.contains(pattern) {
      peers[connection].patterns.append(pattern)
    }
    if patterns.contains("$baton.trace") { choose(wish, of: connection) }
    var line = Line("ok", to: asked)
    addKept(to: &line)
    reply(line, to: asked, of: connection)
    give(kept, patterns, to: connection)
  }

  mutating func unsubscribe(_ patterns: [String]?, _ asked: Asked, from connection: Int) {
    peers[connection].patterns.removeAll { patterns?.contains($0) ?? true }
    reply(Line("ok", to: asked), to: asked, of: connection)
  }

  /// The patterns of one connection, and those of all, have limits. `old` goes with the new ones. The patterns of a mount
  /// count for the connection that made it.
  mutating func checkPatterns(
    of connection: Int, new: Int, insteadOf old: Replaced = Replaced()
  ) throws(Refusal) {
    if new > old.own, patterns(of: connection) - old.own + new > settings.maxPatterns, keeps(.patternsAreLimited) {
      throw Refusal("limit_reached")
    }
    try checkPatternsOfIdentity(connection, more: new, less: old.ofOwner.patterns)
    if new > old.patterns, patternsOfAll() - old.patterns + new > settings.maxTotalPatterns,
      keeps(.totalPatternsAreLimited)
    {
      seen.insert(.tooManyPatterns)
      throw Refusal("limit_reached")
    }
    guard new > old.own, settings.maxTotalPatterns < 10_000, keeps(.totalPatternsAreLimited) else { return }
    let left = keeps(.whatIsLeftIsShared) ? weigh(left(by: owner(of: connection))) - old.left.patterns : 0
    if left > 0 { seen.insert(.leftPatternsCounted) }
    try checkShare(
      .patternsAreShared, has: patterns(of: connection) - old.own + left, more: new,
      free: settings.maxTotalPatterns - patternsOfAll() + old.patterns)
  }

  /// One more link. There is a limit to all of them, with those of a connection and the mounts that it made.
  mutating func checkLinks(of connection: Int) throws(Refusal) {
    let isTight = settings.maxLinks < 10_000 && keeps(.linksAreLimited)
    if isTight, liveLinks.count >= settings.maxLinks {
      seen.insert(.tooManyLinks)
      throw Refusal("limit_reached")
    }
    try checkLinksOfIdentity(connection)
    guard isTight else { return }
    let mounts = liveLinks.count { links[$0].isMount && links[$0].maker == connection }
    let left = left(by: owner(of: connection)).count
    if left > 0 { seen.insert(.leftLinksCounted) }
    try checkShare(
      .linksAreShared, has: peers[connection].serving.count + mounts + left, more: 1,
      free: settings.maxLinks - liveLinks.count)
  }

  private func patterns(of connection: Int) -> Int {
    guard settings.maxPatterns < 10_000 || settings.maxTotalPatterns < 10_000 else { return 0 }
    let mounts = liveLinks.filter { links[$0].isMount && links[$0].maker == connection }
    return (peers[connection].serving + mounts).reduce(peers[connection].patterns.count) {
      $0 + links[$1].settings.weight
    }
  }

  /// With those of mounts whose makers are gone, and of places that are kept.
  func patternsOfAll() -> Int {
    guard settings.maxTotalPatterns < 10_000 else { return 0 }
    return liveLinks.reduce(peers.reduce(0) { $0 + $1.patterns.count }) {
      $0 + links[$1].settings.weight * max(1, links[$1].servers.count)
    }
  }

  var liveLinks: [Int] { chains.values.flatMap(\.links) }

  /// Publishes a broadcast at once, or sends it down a chain first.
  mutating func broadcast(_ message: Broadcast, _ asked: Asked, from connection: Int) throws(Refusal) {
    guard let via = message.via else {
      if message.timeoutMilliseconds != nil || message.key != nil || message.trace != nil {
        throw Refusal("bad_member")
      }
      try refuseWhileDraining()
      try checkCargo(message.payload, beside: message.meta)
      try refuseLoop(message.within)
      try checkRoom(for: message, of: connection)
      try checkRate(of: connection)
      let delivered = publish(
        message.topic, message.payload, message.meta, from: peers[connection].from,
        except: message.echo == false ? connection : nil, isRetained: message.retain == true,
        by: peers[connection].who ?? "", within: keeps(.eventsTellWithin) ? message.within : nil)
      return reply(delivered, to: asked, of: connection)
    }
    var first = Send(topic: message.topic)
    first.payload = message.payload
    first.meta = message.meta
    first.chain = via
    first.timeoutMilliseconds = message.timeoutMilliseconds
    first.key = message.key
    first.trace = message.trace
    first.within = message.within
    try refuseWhileDraining()
    try checkCargo(message.payload, beside: message.meta)
    try refuseLoop(message.within)
    try checkRoom(for: message, of: connection)
    let publication = Walk.Publication(
      echo: message.echo ?? true, isRetained: message.retain == true, owner: peers[connection].who ?? "")
    try takeIn(first, publication, asked, from: connection)
  }

  /// Publishes a broadcast that has walked, if its walk ends unhandled.
  mutating func publishIfFree(_ walk: Int, _ outcome: Outcome) -> Outcome {
    guard let publication = walks[walk].publication else { return outcome }
    let isFree = outcome.status == "unhandled"
    let message = walks[walk].message
    if !isFree, publication.isRetained, !keeps(.onlyPublishedStays) {
      let event = KeptEvent(topic: message.topic, payload: message.payload, meta: message.meta, from: walks[walk].from)
      keep(event, isRetained: true, isEchoed: true)
    }
    if !isFree, keeps(.viaDecides) { return outcome }
    let delivered = publish(
      message.topic, keeps(.publishedAsRewritten) ? walks[walk].payload : message.payload, message.meta,
      from: walks[walk].from, except: publication.echo || !keeps(.viaWithoutEcho) ? nil : walks[walk].sender,
      isRetained: publication.isRetained,
      by: publication.owner, within: keeps(.walkedEventsTellWithin) ? message.within : nil)
    return isFree ? Outcome(status: "published", delivered: delivered) : outcome
  }

  /// Every subscriber gets the event once, however many of its patterns match. Returns the number of those that got it.
  mutating func publish(
    _ topic: String, _ payload: String?, _ meta: String?, from: String, except: Int? = nil,
    as happening: Happening? = nil, isRetained: Bool = false, by owner: String = "", within: Int? = nil
  ) -> Int {
    var event = KeptEvent(topic: topic, payload: payload, meta: meta, from: from, owner: owner)
    event.seq = number(topic)
    let line = event.line(isRetained: isRetained && !keeps(.liveIsUnmarked), within: within ?? 0)
    if within ?? 0 > 0 { seen.insert(.toldWithin) }
    defer { keep(event, isRetained: isRetained, isEchoed: except == nil) }
    var delivered = 0
    for subscriber in peers.indices {
      if subscriber == except {
        seen.insert(.withoutEcho)
        continue
      }
      let matching = subscriptions(of: subscriber, to: topic)
      guard matching > 0, happening.map({ mayHear($0, subscriber) }) ?? true, hasRoomForEvent(subscriber) else {
        continue
      }
      for _ in 0..<(keeps(.eventOnce) ? 1 : matching) { say(line, to: subscriber, isEvent: true) }
      seen.insert(.event)
      delivered += 1
    }
    return delivered
  }

  /// Whether a connection has subscribed to the topic.
  func isHeard(_ topic: String) -> Bool {
    peers.indices.contains { subscriptions(of: $0, to: topic) > 0 }
  }

  private func subscriptions(of connection: Int, to topic: String) -> Int {
    peers[connection].patterns.count { Subject.matches(topic, $0, sparing: keeps(.serverTopicsAreSpelled)) }
  }

  /// Tells every link at once, and expects no answer. A link with several connections tells one of them. A held place
  /// misses the message. Nothing behind a link that stops is told. Shadows are told and not counted.
  mutating func notify(_ walk: Int, _ asked: Asked, from connection: Int) {
    seen.insert(.notify)
    var delivered = 0
    enter(walks[walk].chain, walk)
    var isStopped = false
    while !isStopped, let link = nextLink(of: walk) {
      let settings = seen(link, by: walk)
      isStopped = settings.settings.onFailure != .continue && keeps(.noticesStop)
      guard let server = chooseServer(of: link, forNotice: true) else {
        if !settings.settings.shadow, !keeps(.heldMissesNotice) { delivered += 1 }
        continue
      }
      guard hasRoomForEvent(server.connection) else { continue }
      var line = Line("notice")
      describe(walk, at: link, in: &line)
      line.add("from", walks[walk].from)
      if keeps(.noticesTellWithin) { line.add(within: walks[walk].message.within) }
      line.add("shadow", ifTrue: settings.settings.shadow)
      tellDoubt(walk, at: link, counts: true, in: &line)
      say(line, to: server.connection, isEvent: true)
      if !settings.settings.shadow { delivered += 1 }
    }
    walks[walk].isOver = true
    noteRoom(of: owner(of: connection))
    reply(delivered, to: asked, of: connection)
  }

  private mutating func reply(_ delivered: Int, to asked: Asked, of connection: Int) {
    var line = Line("ok", to: asked)
    line.add("delivered", delivered)
    reply(line, to: asked, of: connection)
  }
}
