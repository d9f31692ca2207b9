import BatonCore

/// Chains as the answers tell them: who comes, takes over and leaves, and where each link stands.
extension Ledger {
  func applyInsert(_ wish: LinkWish, _ line: SentLine, from connection: Int) {
    if link(named: wish.name, in: wish.chain) != nil {
      takeError("name_taken", for: line, of: connection)
      return
    }
    if let name = wish.place.neighbour, link(named: name, in: wish.chain) == nil {
      takeError("no_such_handler", for: line, of: connection)
      return
    }
    if chains.reduce(0, { $0 + $1.count }) >= settings.maxLinks {
      takeError("limit_reached", for: line, of: connection)
      coverage.insert(.limitReached)
      return
    }
    if isRefusedForLostLinks(line, of: connection) { return }
    if isRefusedPatterns(wish.accepts?.count ?? 64, line, of: connection) { return }
    guard let answer = takeAnswer(.ok, for: line, of: connection) else { return }
    guard let position = answer.integer(.position), let count = answer.integer(.links), let rank = answer.rank,
      count == chains[wish.chain].count + 1, (1...count).contains(position)
    else { return fail(.inOrder, "\(chains[wish.chain].count) links and one more: \(answer.description)") }
    if !isRight(position: position, for: wish) {
      let ranks = chains[wish.chain].map { "\(links[$0].name) \(links[$0].rank)" }
      fail(.inOrder, "#\(connection) \(line.text) comes to the wrong place among \(ranks): \(answer.description)")
    }
    if openWalks.contains(where: { messages[walks[$0].message].chain == wish.chain }) {
      coverage.insert(.insertedMidWalk)
    }
    let added = Link(
      chain: wish.chain, name: wish.name, owner: connection,
      accepts: wish.accepts ?? [Pattern(tokens: [Pattern.rest])], window: wish.window ?? settings.window,
      timeoutMilliseconds: wish.timeoutMilliseconds, rank: rank)
    chains[wish.chain].insert(links.count, at: position - 1)
    links.append(added)
    tell(.inserted(chain: wish.chain, name: wish.name, version: answer.integer(.version), by: connection))
  }

  /// Lost links count as long as walks come by that are to be told of them.
  private func isRefusedForLostLinks(_ line: SentLine, of connection: Int) -> Bool {
    guard accounts[connection].direct.first?.string(.code) == "limit_reached", settings.maxLinks < 100 else {
      return false
    }
    var oldest = Array(repeating: Int.max, count: chains.count)
    for walk in openWalks {
      let chain = messages[walks[walk].message].chain
      oldest[chain] = min(oldest[chain], walks[walk].enteredTick)
    }
    let lost = links.count { $0.lostTick ?? 0 > oldest[$0.chain] }
    guard chains.reduce(lost, { $0 + $1.count }) >= settings.maxLinks else { return false }
    takeError("limit_reached", for: line, of: connection)
    coverage.insert(.limitReached)
    return true
  }

  /// Whether a newcomer belongs at that position of its chain; positions count from 1.
  private func isRight(position: Int, for wish: LinkWish) -> Bool {
    let chain = chains[wish.chain]
    func place(of name: String) -> Int { chain.firstIndex { links[$0].name == name } ?? -2 }
    switch wish.place {
    case .back: return position == chain.count + 1
    case .front: return position == 1
    case .before(let name): return position == place(of: name) + 1
    case .after(let name): return position == place(of: name) + 2
    case .rank(let rank):
      // Ranks that are told later in the same call are not known yet.
      if hasMoved { return true }
      return chain[..<(position - 1)].allSatisfy { links[$0].rank <= rank }
        && chain[(position - 1)...].allSatisfy { links[$0].rank > rank }
    }
  }

  func applyReplace(_ name: String, _ wish: LinkWish, _ line: SentLine, from connection: Int) {
    guard let link = link(named: name, in: wish.chain) else {
      takeError("no_such_handler", for: line, of: connection)
      return
    }
    if wish.name != name, self.link(named: wish.name, in: wish.chain) != nil {
      takeError("name_taken", for: line, of: connection)
      return
    }
    if isRefusedPatterns(wish.accepts?.count ?? 64, line, of: connection) { return }
    guard let answer = takeAnswer(.ok, for: line, of: connection) else { return }
    if answer.string(.handler) != wish.name { fail(.oneReply, "not \(wish.name): \(answer.description)") }
    let old = links[link].owner
    if old != connection, !accounts[old].isLeaving { expect(.replaced, link: link, of: old) }
    coverage.insert(old == connection ? .replacedOwn : .replacedByOther)
    if openWalks.contains(where: { !walks[$0].isOver && walks[$0].links.contains(link) }) {
      coverage.insert(.replacedMidWalk)
    }
    if old != connection {
      links[link].ownedTick = tick
      links[link].formerOwners.append(old)
    }
    links[link].owner = connection
    links[link].formerNames.append(name)
    links[link].name = wish.name
    links[link].replacedTick = tick
    if let accepts = wish.accepts { links[link].accepts = accepts }
    if let window = wish.window { links[link].window = window }
    if let timeoutMilliseconds = wish.timeoutMilliseconds { links[link].timeoutMilliseconds = timeoutMilliseconds }
    tell(
      .replaced(
        chain: wish.chain, name: name, new: wish.name, version: answer.integer(.version), by: connection))
    moveWaiting(at: link)
  }

  func applyRemove(chain: Int, name: String, _ line: SentLine, from connection: Int) {
    guard let link = link(named: name, in: chain) else {
      takeError("no_such_handler", for: line, of: connection)
      return
    }
    let answer = takeAnswer(.ok, for: line, of: connection)
    guard answer != nil || !line.wantsReply, !accounts[connection].isCondemned else { return }
    tell(.removed(chain: chain, name: name, version: answer?.integer(.version), by: connection, isLost: false))
    let owner = links[link].owner
    if owner != connection, !accounts[owner].isLeaving { expect(.removed, link: link, of: owner) }
    coverage.insert(owner == connection ? .removedOwn : .removedByOther)
    if openWalks.contains(where: { !walks[$0].isOver && walks[$0].links.contains(link) }) {
      coverage.insert(.removedMidWalk)
    }
    takeOut(link)
    moveWaiting(at: link)
  }

  private func takeOut(_ link: Int) {
    links[link].isThere = false
    chains[links[link].chain].removeAll { $0 == link }
  }

  /// The connection's links and subscriptions end, and so do the offers that it holds.
  func leave(_ connection: Int) {
    let own = chains.joined().filter { links[$0].owner == connection }
    for link in own {
      takeOut(link)
      links[link].lostTick = tick
      tell(
        .removed(
          chain: links[link].chain, name: links[link].name, version: nil, by: connection, isLost: true))
    }
    accounts[connection].patterns.removeAll()
    for link in own { moveWaiting(at: link) }
    accounts[connection].row.removeAll()
    for id in accounts[connection].offers.indices where accounts[connection].offers[id].state == .open {
      accounts[connection].offers[id].state = .gone
      coverage.insert(.lostOffer)
      note("disconnect", of: accounts[connection].offers[id])
      advance(accounts[connection].offers[id].walk)
    }
  }

  // MARK: Notices

  private func expect(_ op: ServerLine.Op, link: Int, of connection: Int) {
    accounts[connection].expectedNotices.append((op, links[link].chain, links[link].name))
  }

  func takeNotice(_ line: ServerLine, of connection: Int) {
    guard let expected = accounts[connection].expectedNotices.popFirst(), expected.op == line.op,
      expected.chain == chain(of: line), expected.name == line.string(.handler)
    else { return fail(.oneReply, "#\(connection) is told without cause: \(line.description)") }
    if case .received(let doer) = call { checkFrom(.by, line, is: doer) }
  }

  /// Other links were renumbered to make room; the order stays.
  func takeMoved(_ line: ServerLine, of connection: Int) {
    // The link may have been taken over or renamed by a later line of the same call.
    let living = chain(of: line).flatMap { self.link(named: line.string(.handler) ?? "", in: $0) }
    let own = living.flatMap { links[$0].owner == connection ? $0 : nil }
    let link =
      own
      ?? links.lastIndex { link in
        link.chain == chain(of: line) && (link.owner == connection || link.formerOwners.contains(connection))
          && line.string(.handler).map { $0 == link.name || link.formerNames.contains($0) } ?? false
      }
    guard let link, let rank = line.rank else {
      return fail(.inOrder, "#\(connection) is told of a link that is not its own: \(line.description)")
    }
    links[link].rank = rank
    coverage.insert(.moved)
  }

  /// What `inspect` shows must be the chains as they are known here, in their order.
  func checkChains(_ line: ServerLine) {
    coverage.insert(.inspected)
    guard let range = line[.chains] else { return fail(.inOrder, "no chains: \(line.description)") }
    let shown = String(decoding: line.bytes[range], as: UTF8.self)
    let expected = chains.filter { !$0.isEmpty }.map { $0.map { links[$0].name } }
    let names = shown.split(separator: "\"handler\":\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    if names.sorted() != expected.joined().sorted() {
      return fail(.inOrder, "inspect shows \(names) and not \(expected)")
    }
    for chain in expected {
      let isInOrder = names.indices.contains { names[$0...].starts(with: chain) }
      if !isInOrder { fail(.inOrder, "inspect shows \(names) and not \(chain)") }
    }
  }
}

extension LinkWish.Place {
  /// The link next to which the newcomer wants to stand.
  var neighbour: String? {
    switch self {
    case .before(let name), .after(let name): name
    default: nil
    }
  }
}

extension ServerLine {
  /// The rank that the line tells.
  var rank: Double? { raw(.rank).flatMap { Double(String(decoding: $0, as: UTF8.self)) } }
}
