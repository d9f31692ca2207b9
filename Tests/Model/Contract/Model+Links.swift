/// `insert`, `replace` and `remove` (contract, section 5).
extension Model {
  mutating func insert(_ wish: Insert, _ asked: Asked, from connection: Int) throws(Refusal) {
    let chain = wish.chain ?? "main"
    var settings = LinkSettings(window: self.settings.window).changed(by: wish.settings)
    if let link = find(wish.handler, in: chain) {
      var (brought, ignored) = (Brought(), [String]())
      if links[link].isDeclared {
        (settings, brought, ignored) = take(
          wish.settings, wish.place, at: link, over: settings, old: Brought(), asked)
      } else {
        try permit(wish.settings, over: &settings, inForce: links[link].settings, in: chain, of: connection)
      }
      guard links[link].servers.isEmpty, !links[link].isMount else {
        return try join(link, settings, ignored, asked, connection)
      }
      try checkTakingOver(link, settings, insteadOf: replaced(link, by: connection), by: connection)
      links[link].brought = brought
      return comeBack(to: link, settings, ignored, asked, connection)
    }
    try refuseInClosed(chain)
    try check(wish.place, in: chain)
    try permit(
      wish.settings, over: &settings, inForce: LinkSettings(window: self.settings.window), in: chain, of: connection)
    try checkLinks(of: connection)
    try checkLasting(connection, settings)
    try checkPatterns(of: connection, new: settings.weight)
    let link = put(
      Link(chain: chain, name: wish.handler, isMount: false, rank: 0, settings: settings),
      at: permitted(wish.place, in: chain, of: connection))
    serve(link, by: connection)
    replyPlace(of: link, to: asked, of: connection)
    tellInserted(link, by: connection)
  }

  /// Another connection serves the link too.
  private mutating func join(
    _ link: Int, _ settings: LinkSettings, _ ignored: [String], _ asked: Asked, _ connection: Int
  ) throws(Refusal) {
    let isServed = links[link].servers.contains { $0.connection == connection }
    guard !links[link].isMount, !isServed, links[link].settings.share, settings.share else {
      throw Refusal("name_taken")
    }
    guard links[link].settings == settings else {
      seen.insert(.mismatch)
      throw Refusal("link_mismatch")
    }
    if links[link].servers.count >= self.settings.maxReplicas, keeps(.replicasAreLimited) {
      seen.insert(.tooManyReplicas)
      throw Refusal("limit_reached")
    }
    try checkTakingOver(link, settings, insteadOf: Replaced(links: 1), by: connection)
    seen.insert(.joined)
    serve(link, by: connection)
    replyPlace(of: link, ignored, to: asked, of: connection)
    tellInserted(link, by: connection)
    attend(to: link)
  }

  /// Takes a place that was kept: the old rank, the new settings.
  private mutating func comeBack(
    to link: Int, _ settings: LinkSettings, _ ignored: [String], _ asked: Asked, _ connection: Int
  ) {
    seen.insert(.cameBack)
    if let payer = links[link].payer, payer != owner(of: connection) { seen.insert(.tookOverPlace) }
    links[link].settings = settings
    raiseVersion(of: links[link].chain)
    if !keeps(.holdKeepsPlace) { links[link].rank += 1 }
    serve(link, by: connection)
    replyPlace(of: link, ignored, to: asked, of: connection)
    tellInserted(link, by: connection)
    passOnUnwanted(at: link)
    attend(to: link)
  }

  mutating func replace(_ wish: Replace, _ asked: Asked, from connection: Int) throws(Refusal) {
    let chain = wish.chain ?? "main"
    let link = try findHandler(wish.handler, in: chain)
    let newName = wish.newName ?? wish.handler
    var settings = links[link].settings.changed(by: wish.settings)
    var (brought, ignored) = (Brought(), [String]())
    if links[link].isDeclared {
      (settings, brought, ignored) = take(
        wish.settings, at: link, over: settings, old: links[link].brought, asked)
      if newName != wish.handler, keeps(.declaredNameStays) { throw notAllowed() }
    } else {
      try permit(wish.settings, over: &settings, inForce: links[link].settings, in: chain, of: connection)
    }
    if let other = find(newName, in: chain), other != link { throw Refusal("name_taken") }
    try checkTakingOver(link, settings, insteadOf: replaced(link, by: connection), by: connection)
    seen.insert(.replaced)
    for server in links[link].servers where server.connection != connection {
      if keeps(.replacedIsTold) { tell(server.connection, "replaced", link, newName: newName, by: connection) }
      peers[server.connection].serving.removeAll { $0 == link }
      checkReading(of: server.connection)
    }
    peers[connection].serving.removeAll { $0 == link }
    links[link].servers = []
    links[link].turn = 0
    links[link].name = newName
    (links[link].settings, links[link].brought) = (settings, brought)
    raiseVersion(of: chain)
    serve(link, by: connection)
    replyPlace(of: link, ignored, to: asked, of: connection)
    tellReplaced(link, oldName: wish.handler, by: connection)
    passOnUnwanted(at: link)
    attend(to: link)
  }

  mutating func remove(_ name: String, from chain: String, _ asked: Asked, by connection: Int) throws(Refusal) {
    let link = try findHandler(name, in: chain)
    let isOwn = links[link].servers.contains { $0.connection == connection }
    let isDeclared = links[link].isDeclared && keeps(.declaredIsNotRemoved)
    if isDeclared, !isOwn { throw notAllowed() }
    seen.insert(isDeclared ? .declaredLeft : .removed)
    let isLeft = isOwn && links[link].servers.count > 1
    if isLeft {
      leave(link, connection)
    } else if isDeclared {
      lose(connection, from: link, isLost: false)
    } else {
      for server in links[link].servers {
        if server.connection != connection { tell(server.connection, "removed", link, newName: nil, by: connection) }
        leave(link, server.connection)
      }
      takeOut(link, .removed)
    }
    var line = Line("ok", to: asked)
    line.add("chain", chain)
    line.add("handler", name)
    line.add("version", isLeft || isDeclared ? chains[chain]?.version ?? version : version)
    reply(line, to: asked, of: connection)
    if isLeft || !isDeclared { tellRemoved(link, by: connection) }
    attend(to: link)
  }

  /// Takes out all places of a chain that nobody serves, and that the peer may remove.
  mutating func removeEmpty(_ chain: String, _ asked: Asked, by connection: Int) {
    var count = 0
    for link in chains[chain]?.links ?? [] where links[link].isVacant {
      if links[link].isDeclared, keeps(.declaredIsNotRemoved) { continue }
      seen.insert(.removedEmpty)
      count += 1
      takeOut(link, .removed)
      tellRemoved(link, by: connection)
      attend(to: link)
    }
    var line = Line("ok", to: asked)
    line.add("chain", chain)
    line.add("removed", count)
    reply(line, to: asked, of: connection)
  }

  // MARK: Serving

  /// A connection begins to serve a link. Offers of the link that it still holds from an earlier time are its own
  /// again: they count against its window. They keep their name and their policy.
  private mutating func serve(_ link: Int, by connection: Int) {
    links[link].vacancy = .none
    links[link].payer = nil
    alarms.cancel(.hold(link))
    let isLasting = links[link].settings.isLasting && !links[link].isDeclared
    links[link].servers.append(Server(connection: connection, isLasting: isLasting))
    peers[connection].serving.append(link)
    checkReading(of: connection)
    for index in peers[connection].row.indices where peers[connection].row[index].link == link {
      guard peers[connection].row[index].state != .lapsed else { continue }
      if peers[connection].row[index].handler != links[link].name { seen.insert(.nameKept) }
      if !keeps(.offerKeepsName) { peers[connection].row[index].handler = links[link].name }
    }
  }

  mutating func leave(_ link: Int, _ connection: Int) {
    if let index = links[link].servers.firstIndex(where: { $0.connection == connection }) {
      links[link].servers.remove(at: index)
      if index < links[link].turn { links[link].turn -= 1 }
    }
    peers[connection].serving.removeAll { $0 == link }
    checkReading(of: connection)
  }

  /// The link loses a connection that has closed. If no other connection serves the link, its place is held for a
  /// while, kept empty, or given up.
  mutating func lose(_ connection: Int, from link: Int, isLost: Bool = true) {
    leave(link, connection)
    guard links[link].servers.isEmpty else { return tellRemoved(link, by: connection, isLost: true) }
    links[link].vacantSince = now
    guard mayHold(link, connection) else { return giveUp(link, by: connection, isLost: isLost) }
    seen.insert(.held)
    if !links[link].isDeclared { links[link].payer = payer(of: connection) }
    let end = now + links[link].settings.holdMilliseconds
    links[link].vacancy = .held(until: end)
    alarms.set(.hold(link), at: end)
    tellHeld(link, by: connection, isLost: isLost)
  }

  /// Whether the link's place may be held. The number of places without a connection has a limit. A required place is
  /// held above that limit too.
  private mutating func mayHold(_ link: Int, _ connection: Int) -> Bool {
    guard links[link].settings.holdMilliseconds > 0 else { return false }
    if links[link].settings.required || links[link].isDeclared || !keeps(.placesAreLimited) { return true }
    let own = payer(of: connection)
    if liveLinks.count(where: { links[$0].isVacant }) >= settings.maxEmptyPlaces {
      seen.insert(.placesFull)
      return false
    }
    guard !mayLeavePlace(own) || hasLeftItsShare(own, at: link), keeps(.placesAreShared) else { return true }
    seen.insert(.shareOfFree)
    return false
  }

  mutating func holdHasEnded(of link: Int) {
    seen.insert(.holdEnded)
    giveUp(link, by: nil)
    attend(to: link)
  }

  /// `connection` is the one that was lost last; nil once a hold has ended.
  private mutating func giveUp(_ link: Int, by connection: Int?, isLost: Bool = true) {
    if links[link].settings.required && keeps(.requiredStays) || links[link].isDeclared {
      links[link].vacancy = .empty
      if let connection, !links[link].isDeclared { links[link].payer = payer(of: connection) }
      if let connection { tellHeld(link, by: connection, isLost: isLost) }
    } else {
      takeOut(link, .lost)
      tellRemoved(link, by: connection, isLost: true)
    }
  }

  func isHeld(_ link: Int) -> Bool {
    if case .held = links[link].vacancy { return true }
    return false
  }

  // MARK: Replies and notices

  private mutating func replyPlace(of link: Int, _ ignored: [String] = [], to asked: Asked, of connection: Int) {
    var line = Line("ok", to: asked)
    line.add("chain", links[link].chain)
    line.add("handler", links[link].name)
    line.add("declared", ifTrue: links[link].isDeclared)
    if !ignored.isEmpty, keeps(.ignoredIsTold) {
      line.add("ignored", json: "[\(ignored.map { "\"\($0)\"" }.joined(separator: ","))]")
    }
    tellPlace(of: link, to: &line)
    reply(line, to: asked, of: connection)
  }

  /// Tells a handler what another connection has done to its link.
  private mutating func tell(_ connection: Int, _ op: String, _ link: Int, newName: String?, by other: Int) {
    var line = Line(op)
    line.add("chain", links[link].chain)
    line.add("handler", links[link].name)
    if let newName, newName != links[link].name { line.add("as", newName) }
    line.add("by", peers[other].from)
    say(line, to: connection)
  }
}
