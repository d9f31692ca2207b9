/// Who is there: identities, those without one, and strangers (contract, section 11).
extension Model {
  /// The names of the entries that a certificate or a user names.
  func named(by facts: Facts) -> [String] {
    (entries ?? []).filter { entry in
      entry.certificates.contains(where: facts.certificates.contains)
        || entry.users.contains(where: facts.users.contains)
    }.map(\.name)
  }

  private var takesAnonymous: Bool { entries?.contains { $0.name == Entry.anonymous } ?? false }

  /// Whether its address may have one more connection that is anonymous.
  private func hasRoomForAnonymous(_ connection: Int) -> Bool {
    guard takesAnonymous else { return false }
    let entry = entries?.first { $0.name == Entry.anonymous }
    guard let most = entry?.limits["max_connections"], keeps(.identitiesAreLimited) else { return true }
    return peers.count { peer in
      peer.who == Entry.anonymous && peer.phase != .gone && peer.phase != .ended
        && peer.facts.address == peers[connection].facts.address
    } < most
  }

  /// A peer has connected to a server that asks who is there.
  mutating func admit(_ connection: Int) {
    peers[connection].isStranger = true
    let found = named(by: peers[connection].facts)
    if found.count > 1 {
      seen.insert(.fitsTwo)
      return end(connection, "auth_failed")
    }
    if let one = found.first {
      seen.insert(.knownByFacts)
      return become(one, connection)
    }
    if hasRoomForAnonymous(connection) { return become(Entry.anonymous, connection) }
    if keeps(.strangersHaveTime) {
      alarms.set(.connection(connection), at: now + settings.authMilliseconds)
    }
    let strangers = peers.indices.filter { isStranger($0) }
    if strangers.count > settings.maxStrangers, keeps(.strangersAreFew), let one = newestOfMost(strangers) {
      seen.insert(.strangerMadeRoom)
      endToMakeRoom(one, "too_many_connections")
    }
  }

  /// The newest of the address with the most; of several such addresses, the newest of all.
  private func newestOfMost(_ strangers: [Int]) -> Int? {
    let numbers = strangers.map { one in
      strangers.count { peers[$0].facts.address == peers[one].facts.address }
    }
    return zip(strangers, numbers).filter { $0.1 == numbers.max() }.last?.0
  }

  /// Whether the server does not know yet who it is.
  func isStranger(_ connection: Int) -> Bool { peers[connection].isStranger && hears(connection) }

  /// It is this identity from now on. If there are too many, it is ended.
  mutating func become(_ name: String, _ connection: Int) {
    let old = peers[connection].who
    peers[connection].who = name
    peers[connection].isStranger = false
    peers[connection].isNamedNoMore = false
    peers[connection].isNamedAlone = !keeps(.identityStandsInFront)
    guard old != name, isOneTooMany(connection) else { return }
    seen.insert(.oneTooMany)
    end(connection, "too_many_connections")
  }

  // MARK: hello

  /// `hello` says who the peer is. Returns false if it was ended.
  mutating func identify(
    _ name: String?, _ token: String?, _ asked: Asked, _ connection: Int
  ) throws(Refusal) -> Bool {
    var who = peers[connection].who
    if let token {
      let named = entries?.first { $0.tokens.contains(token) }?.name
      let found = self.named(by: peers[connection].facts).first
      guard let named, found == nil || found == named, peers[connection].facts.takesTokens || !keeps(.plainTokensFail)
      else {
        seen.insert(.authFailed)
        end(connection, "auth_failed", id: asked.id)
        return false
      }
      if let who, who != named, holdsSomething(connection), keeps(.identityStaysWithLinks) {
        seen.insert(.otherTokenRefused)
        throw Refusal("not_allowed")
      }
      if let who, who != named { seen.insert(.becameAnother) }
      who = named
    }
    if let name, name.utf8.count > 32, keeps(.namesAreShort) {
      throw Refusal("bad_name")
    }
    if let name { peers[connection].name = name }
    if token != nil { peers[connection].token = token }
    if let who {
      become(who, connection)
    } else if takesAnonymous {
      end(connection, "too_many_connections", id: asked.id)
    }
    return hears(connection)
  }

  /// Whether something here belongs to who it is.
  private func holdsSomething(_ connection: Int) -> Bool {
    let peer = peers[connection]
    let hasMounts = liveLinks.contains { links[$0].isMount && links[$0].maker == connection }
    return !peer.serving.isEmpty || hasMounts || !peer.patterns.isEmpty || peer.openMessages > 0 || peer.owed > 0
      || peer.row.contains { $0.state != .lapsed } && keeps(.identityStaysWithOffers)
  }

  /// What `welcome` tells of who it is.
  func addIdentity(of connection: Int, to line: inout Line) {
    guard let who = peers[connection].who, let entry = entries?.first(where: { $0.name == who }) else { return }
    if who != Entry.anonymous { line.add("identity", who) }
    line.add("may", json: "[\(entry.may.map { "\"\($0)\"" }.joined(separator: ","))]")
  }

  // MARK: Strangers

  static let strangersLine = 4096

  /// Reads a line of a stranger. Returns whether it is carried out; if not, the stranger was ended.
  mutating func readStrangersLine(_ asked: Asked, _ connection: Int) -> Bool {
    if asked.line.utf8.count + 1 > Model.strangersLine, keeps(.strangersLinesAreShort) {
      seen.insert(.strangersLineTooLong)
      end(connection, "line_too_long")
      return false
    }
    // Others of its address have gone.
    if takesAnonymous, hasRoomForAnonymous(connection) {
      seen.insert(.becameAnonymousLater)
      become(Entry.anonymous, connection)
      return true
    }
    switch asked.request {
    case .hello, .plain(.ping), .plain(.pong): return true
    case .wrong(let line, _) where line.contains("\"op\":\"ping\"") || !keeps(.strangersFormIsUntold): return true
    case .send where !keeps(.strangersSayLittle): return true
    case .wrong(_, "bad_json"): endStranger(connection, "bad_json", asked)
    default: endStranger(connection, takesAnonymous ? "too_many_connections" : "auth_required", asked)
    }
    return false
  }

  private mutating func endStranger(_ connection: Int, _ code: String, _ asked: Asked) {
    seen.insert(code == "bad_json" ? .strangersJSON : takesAnonymous ? .tooManyAnonymous : .authRequired)
    var line = Line("error")
    if case .verdict = asked.request { line.add("offer", json: asked.id) } else { line.add("id", json: asked.id) }
    line.add("code", code)
    line.add("message", json: Line.anyText)
    say(line, to: connection)
    end(connection, nil, as: takesAnonymous ? "too_many_connections" : "auth_required")
  }

  /// A stranger has not said in time who it is.
  mutating func checkStranger(_ connection: Int) {
    guard isStranger(connection) else { return }
    let due = peers[connection].opened + settings.authMilliseconds
    if due > now { return alarms.set(.connection(connection), at: due) }
    if takesAnonymous, hasRoomForAnonymous(connection) { return become(Entry.anonymous, connection) }
    seen.insert(.strangersTimeOver)
    end(connection, takesAnonymous ? "too_many_connections" : "auth_required")
  }

  // MARK: Denials

  /// The words of `not_allowed`: only identities are told the right.
  func words(ofMissing right: String, to connection: Int) -> String {
    guard let who = peers[connection].who, who != Entry.anonymous || !keeps(.anonymousLearnsNoRight) else {
      let certificate =
        "; your certificate was seen, and no entry of the configuration file has one of its names under "
        + "\\\"certificate\\\", or its authority is in tls: clients no more; ask its operator"
      return "this needs a right that you do not have; say who you are with a token: in hello, "
        + "or over HTTP in Authorization" + (peers[connection].facts.certificates.isEmpty ? "" : certificate)
    }
    return "\(who) needs \\\"\(right)\\\""
  }

  /// The first denial of a right is told at once, then one a second, with their number.
  mutating func countDenial(of right: String, to connection: Int) {
    guard let who = peers[connection].who else { return }
    var denial = denials["\(who) \(right)"] ?? Denial()
    denial.untold += 1
    let isDue = denial.toldAt == nil || now >= (denial.toldAt ?? 0) + 1000
    if isDue && tellsMoreDenials(to: who) || !keeps(.denialsOnceASecond) {
      var line = Line()
      line.add("identity", who)
      line.add("right", right)
      line.add("count", keeps(.denialsAreCounted) ? denial.untold : 1)
      if denial.untold > 1 { seen.insert(.severalDenials) }
      let named = Right(right)
      tell("access.denied", line, to: named.isForServer ? .everybody : named.chain.map { .seers(of: $0) } ?? .everybody)
      denial = Denial(toldAt: now)
    }
    denials["\(who) \(right)"] = denial
  }

  /// At most sixteen rights of an identity are told in the second that begins with the first of them.
  private mutating func tellsMoreDenials(to who: String) -> Bool {
    var second = denialSeconds[who] ?? (began: now, told: 0)
    if now >= second.began + 1000 { second = (now, 0) }
    guard second.told < 16 else { return false }
    second.told += 1
    denialSeconds[who] = second
    return true
  }
}

/// A right that an identity was refused.
struct Denial {
  var toldAt: Int?
  var untold = 0
}
