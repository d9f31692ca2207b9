/// Finds out who a connection is, and keeps few of those that nobody knows (contract, section 11).
extension Router {
  /// The bytes that a line of a stranger may have, with its LF.
  static let strangersLine = 4096

  /// A server that asks who is there lets a newcomer in: by its certificate, its user, as anonymous, or as a stranger.
  mutating func admit(_ connection: Slot<Connection>, _ facts: PeerFacts, at now: Instant) {
    connections[connection].credentials = Credentials(facts: facts, since: now)
    if facts.isHandshaking { return admitStranger(connection, facts.address, at: now) }
    findOut(connection, at: now)
  }

  /// The encryption has begun: the peer may speak from now on, and its certificate is known.
  mutating func noteHandshake(_ connection: Slot<Connection>, _ facts: PeerFacts, at now: Instant) {
    guard connections[connection].isStranger else { return }
    connections[connection].credentials = Credentials(facts: facts, since: now)
    findOut(connection, at: now)
    if connections[connection].isStranger {
      armConnection(connection, at: now.advanced(milliseconds: settings.authMilliseconds))
    }
  }

  /// Finds out by its certificate or its user who a connection is.
  private mutating func findOut(_ connection: Slot<Connection>, at now: Instant) {
    guard let facts = connections[connection].credentials?.facts else { return }
    switch identities.find(facts) {
    case .one(let identity): takeIdentity(identity, for: connection, at: now)
    case .several:
      sever(
        connection, .authFailed,
        says: "your certificate or your user fits two entries of the configuration file; "
          + "ask its operator to change one",
        at: now)
    case .nobody where hasRoomForAnonymous(from: facts.address):
      takeIdentity(identities.anonymous, for: connection, at: now)
    case .nobody: if !connections[connection].isStranger { admitStranger(connection, facts.address, at: now) }
    }
  }

  /// Whether an address may have one more connection that is anonymous.
  private mutating func hasRoomForAnonymous(from address: UInt64) -> Bool {
    let anonymous = identities.anonymous
    guard anonymous != .nobody else { return false }
    guard let most = identities[anonymous].limits.connections else { return true }
    return accounts.connections(of: PeerAccount.Owner(identity: anonymous, address: address)) < most
  }

  /// Whether strangers are those whose address has as many anonymous connections as it may have.
  private var areStrangersSurplus: Bool { identities.anonymous != .nobody }

  /// Others of its address may have gone since it came. Returns whether it is anonymous now.
  private mutating func becomesAnonymous(_ connection: Slot<Connection>, at now: Instant) -> Bool {
    guard let facts = connections[connection].credentials?.facts, hasRoomForAnonymous(from: facts.address) else {
      return false
    }
    takeIdentity(identities.anonymous, for: connection, at: now)
    return connections[connection].phase == .open
  }

  private mutating func admitStranger(_ connection: Slot<Connection>, _ address: UInt64, at now: Instant) {
    connections[connection].place = strangers.append(connection, of: Crowd.owner(address: address))
    armConnection(connection, at: now.advanced(milliseconds: settings.authMilliseconds))
    if strangers.count > settings.maxStrangers {
      endStranger(
        strangers.newestOfMost(), setting: "max_strangers",
        says:
          "\(settings.maxStrangers) connections have not said who they are, and no more are allowed (max_strangers); "
          + "say hello with a token sooner", at: now)
    }
    let isNearlyFull = connections.count - endedConnections > settings.maxConnections - strangersPlaces
    if isNearlyFull, strangers.count > strangersPlaces {
      endStranger(
        strangers.oldestOfMost(), setting: "max_connections",
        says:
          "the server is nearly full, and of the address that has the most connections that have not said who they are, the "
          + "oldest one makes room; say hello with a token sooner", at: now)
    }
  }

  /// The places of `max_connections` that are kept for newcomers of which the server does not know who they are.
  private var strangersPlaces: Int { max(1, settings.maxConnections / 10) }

  private mutating func endStranger(
    _ connection: Slot<Connection>, setting: StaticString, says message: String, at now: Instant
  ) {
    guard connection != .nobody else { return }
    endToMakeRoom(connection, .tooManyConnections, setting: setting, says: message, at: now)
  }

  /// The connection is this identity from now on. If there are too many, it is ended.
  mutating func takeIdentity(_ identity: Slot<Identity>, for connection: Slot<Connection>, at now: Instant) {
    let before = connections[connection].identity
    if before != identity {
      connections[connection].identity = identity
      let address = connections[connection].credentials?.facts.address ?? 0
      holdAccount(
        of: PeerAccount.Owner(identity: identity, address: identities[identity].isAnonymous ? address : 0),
        for: connection)
    }
    noteKnown(connection)
    nameConnection(connection)
    if before != identity, let most = limits(of: connection)?.connections,
      accounts[connections[connection].account].connections > most
    {
      return sever(
        connection, .tooManyConnections, setting: "max_connections",
        says: "your identity has \(most) connections, and no more are allowed (its max_connections); close one", at: now
      )
    }
    guard before == .nobody else { return }
    let known = connections.count - strangers.count - endedConnections
    if known > max(1, settings.maxConnections - strangersPlaces), !makeRoom(at: now) {
      sever(
        connection, .tooManyConnections, setting: "max_connections",
        says:
          "the server holds \(settings.maxConnections) connections, a tenth of them for newcomers, and accepts no more; "
          + "raise max_connections", at: now)
    }
  }

  /// The connection is no stranger any more, or ends.
  mutating func noteKnown(_ connection: Slot<Connection>) {
    guard connections[connection].isStranger else { return }
    strangers.remove(connections[connection].place)
    connections[connection].place = .nobody
  }

  /// What others see of the connection as `from` and `by`: the identity, and behind it the name that it said.
  private mutating func nameConnection(_ connection: Slot<Connection>) {
    let said = connections[connection].credentials?.said ?? ""
    let identity = connections[connection].identity
    var name = "#\(connections[connection].number)"
    if identity != .nobody {
      if !identities[identity].isAnonymous || !said.isEmpty { name = identities[identity].name }
      if !said.isEmpty { name += "." + said }
    }
    nameConnection(connection, name)
  }

  mutating func nameConnection(_ connection: Slot<Connection>, _ name: String) {
    connections[connection].from = OwnedBytes(padded: "\"\(name)\"")
  }

  /// `hello` says who the connection is, by a token or by a name. Returns false if the connection has been ended: the
  /// token is not right. Throws a `Fault` if nothing has changed.
  mutating func identify(_ connection: Slot<Connection>, at now: Instant) throws(Fault) -> Bool {
    var identity = connections[connection].identity
    var token: TokenDigest?
    if request.has(.token) {
      token = identities.digest(of: request.text(.token))
      guard let named = findNamed(by: token, connection, at: now) else { return false }
      if identity != .nobody, identity != named { try refuseAnother(connection) }
      identity = named
    }
    if request.has(.name) {
      try checkSaid(request.text(.name))
      connections[connection].credentials?.said = request.text(.name).string
    }
    if let token { connections[connection].credentials?.token = token }
    if identity != .nobody {
      takeIdentity(identity, for: connection, at: now)
    } else if areStrangersSurplus {
      sever(connection, .tooManyConnections, id: request.id(isOffer: false), says: surplus(connection), at: now)
    }
    return connections[connection].phase == .open
  }

  /// The identity that a token names; nil if the connection was ended because of it.
  private mutating func findNamed(
    by token: TokenDigest?, _ connection: Slot<Connection>, at now: Instant
  ) -> Slot<Identity>? {
    guard let facts = connections[connection].credentials?.facts, let token else { return nil }
    guard facts.takesTokens || identities.takesPlainTokens else {
      if let exposed = identities.find(token) { journalExposed(exposed, by: connection) }
      failAuthentication(
        connection,
        "a token must not come over plain TCP from another machine, where others can read it; use TLS, and ask the "
          + "operator for a new token", at: now)
      return nil
    }
    guard let identity = identities.find(token) else {
      failAuthentication(connection, "the token names nobody; ask the server's operator for another one", at: now)
      return nil
    }
    if case .one(let known) = identities.find(facts), known != identity {
      failAuthentication(
        connection, "the token names somebody else than your certificate or your user does; leave the token out",
        at: now)
      return nil
    }
    return identity
  }

  private mutating func failAuthentication(_ connection: Slot<Connection>, _ message: String, at now: Instant) {
    sever(connection, .authFailed, id: request.id(isOffer: false), says: message, at: now)
  }

  /// Refuses to become somebody else while something here belongs to who it was.
  private mutating func refuseAnother(_ connection: Slot<Connection>) throws(Fault) {
    guard
      connections[connection].serving.links > 0 || connections[connection].listening.subscriptions > 0
        || connections[connection].openMessages > 0 || connections[connection].owed > 0
        || connections[connection].handling.offers.count > connections[connection].handling.lapsed
    else { return }
    throw Fault(
      .notAllowed,
      "the token names another identity, and this connection has links, subscriptions, offers or messages; use another "
        + "connection"
    )
  }

  /// A name stands behind an identity, or will when its peer gives a token later.
  private mutating func checkSaid(_ name: UnsafeRawBufferPointer) throws(Fault) {
    guard name.count > 32 else { return }
    throw Fault(.badName, "\"name\" takes \(name.count) bytes; beside an identity at most 32 are allowed")
  }

  // MARK: Strangers

  /// Reads a line of a stranger: only a few ops are for it (contract, section 11). Returns whether the line is carried
  /// out; otherwise the connection has been ended.
  mutating func readStrangersLine(
    _ line: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant
  ) throws(Fault) -> Bool {
    if areStrangersSurplus, becomesAnonymous(connection, at: now) {
      try request.read(line)
      return true
    }
    do throws(Fault) {
      try request.readOp(of: line)
    } catch {
      if error.code == .badJSON || error.code == .tooDeep {
        endStrangersLine(connection, error, at: now)
        return false
      }
      requireToken(from: connection, at: now)
      return false
    }
    guard request.op.isForStrangers else {
      requireToken(from: connection, at: now)
      return false
    }
    // What it does not read would be kept here, and a line of help is long.
    if connections[connection].unsentReplies > readingLimit(of: connection) { pauseForUnsent(connection, at: now) }
    try request.readAny(line)
    return true
  }

  mutating func requireToken(from connection: Slot<Connection>, at now: Instant) {
    endStrangersLine(
      connection,
      areStrangersSurplus
        ? Fault(.tooManyConnections, surplus(connection))
        : Fault(.authRequired, "this server must know who you are: \(howToBegin(connection))"), at: now)
  }

  /// Whether a request of HTTP without a token may go on. If not, it has been told so.
  mutating func letsIn(_ connection: Slot<Connection>, at now: Instant) -> Bool {
    if !areStrangersSurplus || becomesAnonymous(connection, at: now) { return true }
    sever(connection, .tooManyConnections, says: surplus(connection), at: now)
    return false
  }

  private mutating func surplus(_ connection: Slot<Connection>) -> String {
    "your address has as many connections that have not said who they are as it may have (max_connections of anonymous); "
      + ([.request, .events].contains(connections[connection].door)
        ? "wait until one has ended, or say who you are with a token in Authorization"
        : "close one, or begin with {\"op\":\"hello\",\"token\":…}")
  }

  /// What a stranger has to do.
  private mutating func howToBegin(_ connection: Slot<Connection>) -> String {
    let hello = "begin with {\"op\":\"hello\",\"token\":…}"
    return connections[connection].hasCertificate ? "\(PeerFacts.unknownCertificate), or \(hello)" : hello
  }

  private mutating func endStrangersLine(_ connection: Slot<Connection>, _ fault: Fault, at now: Instant) {
    let isVerdict = request.isVerdict
    sayError(fault, id: request.id(isOffer: isVerdict), isOffer: isVerdict, to: connection, at: now)
    sever(connection, areStrangersSurplus ? .tooManyConnections : .authRequired, isTold: true, says: "", at: now)
  }

  /// A connection has not said in time who it is.
  mutating func checkStranger(_ connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].isStranger, let credentials = connections[connection].credentials,
      !credentials.facts.isHandshaking
    else { return }
    let due = credentials.since.advanced(milliseconds: settings.authMilliseconds)
    if due > now { return armConnection(connection, at: due) }
    if areStrangersSurplus {
      if !becomesAnonymous(connection, at: now), connections[connection].phase == .open {
        sever(connection, .tooManyConnections, says: surplus(connection), at: now)
      }
      return
    }
    sever(
      connection, .authRequired, setting: "auth_ms",
      says: "you have not said within \(settings.authMilliseconds) ms who you are; \(howToBegin(connection))", at: now)
  }
}
