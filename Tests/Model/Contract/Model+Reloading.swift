/// The configuration file is read anew: what it takes away ends (contract, section 11, "Reload").
extension Model {
  /// The file is changed; it counts from the next reload on.
  package mutating func edit(_ entries: [Entry]?, _ chains: [Declaration]) { (file, fileChains) = (entries, chains) }

  /// Its settings are changed; they count from the next reload on.
  package mutating func edit(_ settings: Settings) { fileSettings = settings }

  /// A signal lets the server read its file anew.
  package mutating func reload(at time: Int) {
    pass(to: time)
    readFileAnew()
    finish()
  }

  /// A peer lets the server read its file anew, once all that came with this line is carried out.
  mutating func askForReload(_ asked: Asked, from connection: Int) throws(Refusal) {
    if reloadAskers.contains(where: { $0.connection == connection }) { throw Refusal("busy") }
    reloadAskers.append((connection, asked))
  }

  /// Those who asked for it are told when all of it has been carried out.
  mutating func readFileAnew() {
    let askers = reloadAskers
    reloadAskers = []
    entries = file
    for connection in peers.indices {
      guard let who = peers[connection].who, !(entries ?? []).contains(where: { $0.name == who }) else { continue }
      if let owner = owner(of: connection) { peers[connection].formerOwner = forgetOwner(owner) }
      peers[connection].isNamedNoMore = true
    }
    forgetDebts()
    let areLimitsOthers = fileSettings != nil
    if let fileSettings, keeps(.newLimitsHold) { settings = fileSettings }
    changeChains()
    var news = Line()
    news.add("changed", json: "[]")
    news.add("restart", json: "[]")
    noteReload()
    tell("reloaded", news, to: .everybody)
    seen.insert(.reloaded)
    let rest = peers.indices.filter { !reviewOrder.contains($0) }
    for connection in reviewOrder + rest where hears(connection) {
      if areLimitsOthers { applyLimits(to: connection) }
      if peers[connection].stops.contains(.identity), keeps(.raisedIdentitysLimitsWake) {
        noteRoom(of: account(of: connection))
      }
      review(connection)
    }
    for (connection, asked) in askers {
      var line = Line("ok", to: asked)
      line.add("changed", json: "[]")
      line.add("restart", json: "[]")
      reply(line, to: asked, of: connection)
    }
    tellHappenings()
  }

  /// Who waits because of a limit that is higher now goes on. Who has too much under way for a lower one is not read from
  /// until some of it has ended.
  private mutating func applyLimits(to connection: Int) {
    if !keeps(.whatIsThereStays), peers[connection].patterns.count > settings.maxPatterns {
      peers[connection].patterns.removeLast()
    }
    checkOpen(of: connection)
    guard keeps(.raisedLimitsWake) else { return }
    let stops = peers[connection].stops
    if stops.contains(.messages), !isTooMuch(of: connection) { seen.insert(.raisedLimitWoke) }
    goOnIfRoom(connection)
    // It may have more unsent now.
    guard peers[connection].unsent > 0, keepsUp(connection) else { return }
    for link in peers[connection].serving { offerWaiting(at: link) }
  }

  private mutating func review(_ connection: Int) {
    if let code = changeOfIdentity(of: connection), keeps(.identitiesAreFoundAnew) {
      seen.insert(code == "auth_failed" ? .namedNoMore : .namedAnew)
      return end(connection, code)
    }
    guard peers[connection].who != nil else { return }
    var left: [Int] = []
    if keeps(.linksEndWithRights) {
      left = peers[connection].serving.filter { !mayStillServe($0, connection) }
      for link in left { revoke(link, of: connection) }
    }
    for offer in peers[connection].row where !offer.isRevoked && offer.state != .lapsed {
      // The end of one offer may end others: of a stage.
      let isThere = peers[connection].row.contains { $0.id == offer.id && $0.state != .lapsed }
      guard isThere else { continue }
      if left.contains(offer.link) {
        seen.insert(.offerRevoked)
        end(offer, of: connection, served: true)
      } else if offer.state == .open, !mayStillAnswer(offer, connection) {
        end(offer, of: connection, served: false)
      }
    }
    for link in left { attend(to: link) }
    endSubscriptions(of: connection)
  }

  /// With which error a connection ends whose identity is another now; nil if it stays.
  private func changeOfIdentity(of connection: Int) -> String? {
    let (who, token) = (peers[connection].who, peers[connection].token)
    let found = named(by: peers[connection].facts)
    var now = found.first
    if let token {
      guard let named = entries?.first(where: { $0.tokens.contains(token) })?.name, now == nil || now == named else {
        return "auth_failed"
      }
      now = named
    }
    if found.count > 1 || now == nil && who != nil && who != Entry.anonymous { return "auth_failed" }
    // It may be anonymous with its next line.
    if now == nil, isStranger(connection) { return nil }
    if now == nil, entries?.contains(where: { $0.name == Entry.anonymous }) == true { now = Entry.anonymous }
    return now == who ? nil : "identity_changed"
  }

  /// Who took a link over because it manages the chain needs no right to serve it, unless the link is declared.
  private func mayStillServe(_ link: Int, _ connection: Int) -> Bool {
    let (name, chain) = (links[link].name, links[link].chain)
    if !links[link].isDeclared, mayManage(chain, connection) { return true }
    let inFull = isDeclared(name, in: chain)
    return links[link].settings.accepts.allSatisfy { mayServe(name, in: chain, on: $0, inFull: inFull, connection) }
  }

  /// The connection leaves the link as if it were lost there.
  private mutating func revoke(_ link: Int, of connection: Int) {
    seen.insert(.linkRevoked)
    var line = Line("removed")
    line.add("chain", links[link].chain)
    line.add("handler", links[link].name)
    line.add("by", "reload")
    say(line, to: connection)
    lose(connection, from: link)
  }

  /// Whether it may answer an offer of a link that it does not serve any more.
  private func mayStillAnswer(_ offer: Offer, _ connection: Int) -> Bool {
    if peers[connection].serving.contains(offer.link) || !keeps(.replacedAnswersEnd) { return true }
    let isDeclared = links[offer.link].isDeclared
    return mayServe(
      offer.handler, in: offer.chain, on: walks[offer.walk].message.topic, inFull: isDeclared, connection)
      || !isDeclared && mayManage(offer.chain, connection)
  }

  /// An offer is lost, and an answer to it is refused.
  private mutating func end(_ offer: Offer, of connection: Int, served: Bool) {
    if let index = peers[connection].row.firstIndex(where: { $0.id == offer.id }) {
      peers[connection].row[index].state = .lapsed
      peers[connection].row[index].isRevoked = keeps(.revokedVerdictsAreRefused)
      keepLapsed(offer.id, of: connection)
    }
    if offer.state == .shadow {
      alarms.cancel(.shadow(connection: connection, offer: offer.id))
      shadowHasMissed(offer, .disconnect)
    } else {
      settle(lost: offer, served: served)
    }
  }

  /// Patterns to which it may not be subscribed any more end, and no others.
  private mutating func endSubscriptions(of connection: Int) {
    let ended = peers[connection].patterns.reversed().filter { !maySubscribe(to: $0, connection) }
    guard !ended.isEmpty, keeps(.subscriptionsEndWithRights) else { return }
    seen.insert(.subscriptionRevoked)
    peers[connection].patterns.removeAll { ended.contains($0) }
    var line = Line("error")
    line.add("code", "not_allowed")
    line.add("message", json: Line.anyText)
    line.add("topics", json: "[\(ended.map { "\"\($0)\"" }.joined(separator: ","))]")
    say(line, to: connection)
  }
}
