/// The configuration file is read anew: who asks for it, and what is taken away from whom (contract, section 11).
extension Router {
  /// A peer asks for the file to be read anew, or what a file would change.
  mutating func requestReload(for connection: Slot<Connection>) throws(Fault) {
    guard !connections[connection].awaitsReload else {
      throw Fault(.busy, "this connection waits for a reload already; wait for its reply")
    }
    let isCheck = request.has(.check)
    if isCheck, reloads.checks.count >= Reloads.mostChecks {
      throw Fault(.busy, "\(Reloads.mostChecks) files wait to be checked already; try again in some seconds")
    }
    if !isCheck { journalReload(by: connection) }
    // An error comes although no reply is wanted.
    let id = Array(request.id(isOffer: false))
    connections[connection].awaitsReload = true
    let asker = Reloads.Asker(connection: connections.ref(connection), id: id, wantsReply: request.wantsReply)
    if isCheck {
      let text = request.copyText(.check)
      spent &+= Cost.copying(text.count)
      reloads.add(Reloads.Check(asker: asker, text: text))
    } else {
      reloads.add(asker)
    }
  }

  /// The first of the texts that wait has been checked.
  mutating func tellChecked(_ news: ReloadNews, at now: Instant) {
    guard !reloads.checks.isEmpty else { return }
    let asker = reloads.takeFirstCheck().asker
    switch news {
    case .refused(let faults):
      tellRefused(faults, of: "this file has mistakes; nothing has changed", to: asker, at: now)
    case .read(let file): tellRead(Router.told(file), to: asker, at: now)
    }
    settle(asker)
  }

  /// The configuration file was read anew. What it takes away ends, one connection after the other; the replies come at the
  /// end.
  mutating func takeReload(_ news: ReloadNews, at now: Instant) {
    let askers = reloads.takeServed()
    switch news {
    case .refused(let faults):
      for asker in askers {
        tellRefused(
          faults, of: "the configuration file has mistakes, and nothing has changed; mend them and reload again",
          to: asker,
          at: now)
        settle(asker)
      }
    case .read(let file):
      // A reload that comes while another one is carried out begins it anew, for the askers of both.
      let isNew = reloads.review == nil
      if let access = file.access { identities.take(access, isUnderReview: !isNew) } else { identities.askNobody() }
      request.takeTokens(identities.isAsked)
      let areLimitsOthers = file.settings != nil || reloads.review?.areLimitsOthers == true
      let areOthers = declarations != file.chains || reloads.review?.areChainsOthers == true
      changeChains(to: file.chains, at: now)
      if keptEvents.rules != file.topics {
        keptEvents.take(file.topics)
        beginForgetting()
      }
      let told = Router.told(file)
      let before = reloads.review?.askers ?? []
      reloads.review = Reloads.Review(
        askers: before + askers, told: told, areLimitsOthers: areLimitsOthers, areChainsOthers: areOthers)
      noteReload(changed: file.changed, restart: file.restart, at: now)
      if isNew, reviewFurther(at: now) { beginJob(.review) }
    }
  }

  /// Reviews a piece of all connections. Returns true if more is left.
  mutating func reviewFurther(at now: Instant) -> Bool {
    var left = settings.pieces.size
    while left > 0, let review = reloads.review {
      guard review.connection < connections.extent else {
        // A connection has ended while its links were looked at.
        guard serveLeftLinks(upTo: &left, at: now) else { return true }
        endReview(review, at: now)
        return false
      }
      let connection = Slot<Connection>(review.connection)
      if review.isFirstPiece, connections.isTaken(connection) {
        if review.areLimitsOthers { applyLimits(to: connection, at: now) }
        // The limits of its identity may be higher.
        if connections[connection].pauses.contains(.account) { noteRoom(of: connections[connection].account) }
      }
      let isDone =
        !connections.isTaken(connection) || connections[connection].phase == .severed
        || reviewIdentity(of: connection, at: now) || reviewHoldings(of: connection, upTo: &left, at: now)
      left -= 1
      spent &+= Cost.look
      guard isDone else { continue }
      reloads.review?.goOn()
    }
    return true
  }

  /// Finds out anew who a connection is. Returns true if nothing more is to be reviewed: it may do what it could, or it
  /// has been closed.
  private mutating func reviewIdentity(of connection: Slot<Connection>, at now: Instant) -> Bool {
    let before = connections[connection].identity
    guard identities.isAsked, let credentials = connections[connection].credentials else {
      if identities.isAsked || before != .nobody || connections[connection].isStranger {
        endChanged(connection, at: now)
      }
      return true
    }
    // Who it is will be found out when its encryption has begun.
    if credentials.facts.isHandshaking { return true }
    let found = identities.find(credentials.facts)
    var identity = Slot<Identity>.nobody
    if let token = credentials.token {
      guard let named = identities.find(token) else { return endUnknown(connection, at: now) }
      identity = named
      if case .one(let other) = found, other != named { return endUnknown(connection, at: now) }
    } else if case .one(let one) = found {
      identity = one
    }
    if found == .several { return endUnknown(connection, at: now) }
    let wasKnown = before != .nobody && !identities[before].isAnonymous
    if identity == .nobody, wasKnown { return endUnknown(connection, at: now) }
    if identity == .nobody {
      // It may be anonymous with its next line.
      if connections[connection].isStranger { return true }
      identity = identities.anonymous
    }
    guard identity == before else {
      endChanged(connection, at: now)
      return true
    }
    return identity == .nobody || !identities[identity].hasLost && reloads.review?.areChainsOthers != true
  }

  private mutating func endUnknown(_ connection: Slot<Connection>, at now: Instant) -> Bool {
    sever(
      connection, .authFailed,
      says: "the configuration file was read anew, and your token, certificate or user names nobody in it; "
        + "ask its operator",
      at: now)
    return true
  }

  private mutating func endChanged(_ connection: Slot<Connection>, at now: Instant) {
    sever(
      connection, .identityChanged,
      says: "the configuration file was read anew, and you are somebody else in it, or nobody; connect again", at: now)
  }

  /// Ends what a connection may not have any more: links, open offers, subscriptions. Returns true if all was looked at.
  private mutating func reviewHoldings(
    of connection: Slot<Connection>, upTo left: inout Int, at now: Instant
  ) -> Bool {
    while let review = reloads.review {
      switch review.holding {
      case .links:
        guard reviewLinks(of: connection, from: review.replica, upTo: &left, at: now) else { return false }
        let first = connections[connection].handling.offers.first
        let last = connections[connection].handling.offers.lastID
        let next = first == .nobody ? last + 1 : offers[first].id
        reloads.review?.holding = .offers(next: next, last: last)
      case .offers(let next, let last):
        guard reviewOffers(of: connection, from: next, to: last, upTo: &left, at: now) else { return false }
        reloads.review?.holding = .waiting
      case .waiting:
        guard serveLeftLinks(upTo: &left, at: now) else { return false }
        reloads.review?.holding = .subscriptions
      case .subscriptions:
        return reviewSubscriptions(of: connection, from: review.subscription, upTo: &left, at: now)
      }
    }
    return true
  }

  private mutating func reviewLinks(
    of connection: Slot<Connection>, from first: Ref<Replica>?, upTo left: inout Int, at now: Instant
  ) -> Bool {
    var replica = connections[connection].serving.firstReplica
    if let first, replicas.contains(first), !replicas[first.slot].isDetached { replica = first.slot }
    while replica != .nobody {
      guard left > 0 else {
        reloads.review?.replica = replicas.ref(replica)
        return false
      }
      let next = replicas[replica].next
      left -= 1
      if !mayStillServe(replica) { revoke(replica, at: now) }
      replica = next
    }
    return true
  }

  private mutating func mayStillServe(_ replica: Slot<Replica>) -> Bool {
    let identity = connections[replicas[replica].connection].identity
    let link = replicas[replica].link.slot
    let chain = links[link].chain
    spent &+= Cost.list
    let isDeclared = links[link].isDeclared
    for pattern in links[link].settings.accepts {
      let isAllowed = pattern.withUnsafeBytes {
        identities[identity].mayServe(
          links[link].name.bytes, in: chains[chain].name.bytes, on: $0, isDeclared: isDeclared)
      }
      if !isAllowed { return !isDeclared && identities[identity].allows(.manage, chain: chains[chain].name.bytes) }
    }
    return true
  }

  /// A connection leaves a link that it may not serve any more, as if it were lost there.
  private mutating func revoke(_ replica: Slot<Replica>, at now: Instant) {
    tellRevoked(replica, at: now)
    reloads.left.append(replicas[replica].link)
    loseReplica(replica, at: now)
  }

  /// Tells a connection that the reload has taken a link from it.
  mutating func tellRevoked(_ replica: Slot<Replica>, at now: Instant) {
    let connection = replicas[replica].connection
    var writer = beginLine(to: connection, atMost: 64 + replicas[replica].label.count)
    writer.literal("{\"op\":\"removed\",")
    writer.raw(replicas[replica].label.bytes)
    writer.literal(",\"by\":\"reload\"}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// Ends the open offers of links that the connection has left, and those of links that were replaced or removed that it
  /// may not answer any more. They are repeated or fail.
  private mutating func reviewOffers(
    of connection: Slot<Connection>, from first: Int, to last: Int, upTo left: inout Int, at now: Instant
  ) -> Bool {
    var id = first
    while id <= last {
      guard left > 0 else {
        reloads.review?.holding = .offers(next: id, last: last)
        return false
      }
      left -= 1
      spent &+= Cost.look
      guard let offer = unansweredOffer(id, of: connection) else {
        // It was answered since the last piece.
        id += 1
        continue
      }
      let next = offers[offer].next
      id = next == .nobody ? last + 1 : offers[next].id
      guard !offers[offer].isLapsed, isTakenAway(offer) else { continue }
      spent &+= Cost.step
      failOffer(offer, of: connection, isRevoked: true, at: now)
    }
    return true
  }

  private mutating func isTakenAway(_ offer: Slot<Offer>) -> Bool {
    let replica = offers[offer].replica
    guard replicas[replica].isDetached else { return false }
    if replicas[replica].wasServing { return true }
    switch offers[offer].subject {
    case .walk(let walk), .place(let walk): return !mayStillAnswer(offer, about: walk.slot)
    case .copy, .lapsed: return false
    }
  }

  /// What waits at the links that were left is offered to others, waits on, or fails. Returns true if none is left.
  private mutating func serveLeftLinks(upTo left: inout Int, at now: Instant) -> Bool {
    while let link = reloads.left.popFirst() {
      if links.contains(link) { leaveWaiting(at: link, at: now) }
      left -= 1
      spent &+= Cost.step
      if left <= 0 { return reloads.left.isEmpty }
    }
    return true
  }

  private mutating func mayStillAnswer(_ offer: Slot<Offer>, about walk: Slot<Walk>) -> Bool {
    let identity = connections[offers[offer].connection].identity
    let link = walks[walk].link
    let chain = links[link].chain
    let quoted = replicas[offers[offer].maker].name
    let name = quoted.part(1, quoted.count - 1)
    let isDeclared = links[link].isDeclared
    return identities[identity].mayServe(
      name, in: chains[chain].name.bytes, on: walks[walk].message.topic, isDeclared: isDeclared)
      || !isDeclared && identities[identity].allows(.manage, chain: chains[chain].name.bytes)
  }

  private mutating func reviewSubscriptions(
    of connection: Slot<Connection>, from first: Ref<Subscription>?, upTo left: inout Int, at now: Instant
  ) -> Bool {
    let identity = connections[connection].identity
    var subscription = connections[connection].listening.firstSubscription
    if let first, subscriptions.contains(first) { subscription = first.slot }
    var ended: [[UInt8]] = []
    while subscription != .nobody, left > 0 {
      let next = subscriptions.next(subscription)
      let pattern = subscriptions.copyPattern(of: subscription)
      left -= 1
      spent &+= Cost.list
      if !pattern.withUnsafeBytes({ identities[identity].maySubscribe(to: $0) }) {
        dropSubscription(subscription, of: connection)
        ended.append(pattern)
      }
      subscription = next
    }
    if !ended.isEmpty { tellEnded(ended, to: connection, at: now) }
    reloads.review?.subscription = subscription == .nobody ? nil : subscriptions.ref(subscription)
    return subscription == .nobody
  }

  // MARK: Lines

  private mutating func tellEnded(_ patterns: [[UInt8]], to connection: Slot<Connection>, at now: Instant) {
    let topics = Router.quoted(patterns.map { String(decoding: $0, as: UTF8.self) })
    mark(.error(.notAllowed), for: connection)
    var writer = beginLine(to: connection, atMost: 256 + topics.utf8.count)
    writer.literal("{\"op\":\"error\",\"code\":\"not_allowed\",\"message\":")
    writer.text("the configuration file was read anew, and you may not be subscribed to these topics any more")
    writer.literal(",\"topics\":")
    writer.raw(topics)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  private mutating func endReview(_ review: Reloads.Review, at now: Instant) {
    reloads.review = nil
    for asker in review.askers { tellRead(review.told, to: asker, at: now) }
    for asker in review.askers { settle(asker) }
  }

  private mutating func tellRead(_ told: String, to asker: Reloads.Asker, at now: Instant) {
    guard asker.wantsReply, isListening(asker.connection) else { return }
    mark(.ok, for: asker.connection.slot)
    var writer = beginLine(to: asker.connection.slot, atMost: 64 + asker.id.count + told.utf8.count)
    writer.literal("{\"op\":\"ok\"")
    asker.id.withUnsafeBytes { writer.id($0) }
    writer.raw(told)
    writer.literal("}\n")
    commitLine(writer, to: asker.connection.slot, at: now)
  }

  /// An asker has its reply.
  private mutating func settle(_ asker: Reloads.Asker) {
    guard connections.contains(asker.connection) else { return }
    connections[asker.connection.slot].awaitsReload = false
    noteIfFinished(asker.connection.slot)
  }

  private mutating func tellRefused(
    _ faults: [ConfigurationFault], of message: String, to asker: Reloads.Asker, at now: Instant
  ) {
    guard isListening(asker.connection) else { return }
    let errors = Router.list(faults)
    mark(.error(.badConfig), for: asker.connection.slot)
    var writer = beginLine(to: asker.connection.slot, atMost: 256 + asker.id.count + errors.utf8.count)
    writer.literal("{\"op\":\"error\"")
    asker.id.withUnsafeBytes { writer.id($0) }
    writer.literal(",\"code\":\"bad_config\",\"message\":")
    writer.raw(Router.quoted(message))
    writer.literal(",\"errors\":")
    writer.raw(errors)
    writer.literal("}\n")
    commitLine(writer, to: asker.connection.slot, at: now)
  }

  /// The members of the reply.
  private static func told(_ file: ReloadedFile) -> String {
    var told = "," + reloadMembers(changed: file.changed, restart: file.restart)
    if !file.links.isEmpty {
      told += ",\"changed_links\":[\(file.links.map(Router.member).joined(separator: ","))]"
    }
    if !file.warnings.isEmpty { told += ",\"warnings\":\(list(file.warnings))" }
    return told
  }

  private static func member(_ change: LinkChange) -> String {
    "{\"what\":\"\(change.what.rawValue)\",\"chain\":\(quoted(change.chain)),"
      + "\"\(change.link.isMount ? "mount" : "handler")\":\(quoted(change.link.name))"
      + (change.settings.isEmpty ? "" : ",\"settings\":\(quoted(change.settings))")
      + (change.isUnguarded ? ",\"unguarded\":true}" : "}")
  }

  private static func list(_ faults: [ConfigurationFault]) -> String {
    let all = faults.prefix(100).map {
      "{\"line\":\($0.line),\"column\":\($0.column),\"message\":\(quoted($0.message))}"
    }
    return "[\(all.joined(separator: ","))]"
  }
}
