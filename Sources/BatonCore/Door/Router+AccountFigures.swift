/// What identities and addresses have, as it is counted and as it is found in the tables: for tests and the simulator.
extension Router {
  /// One of these numbers of one account.
  package struct AccountFigure {
    /// The name of the identity; empty if the server asks nobody.
    package let identity: String
    package let name: String
    package let counted: Int
    package let found: Int

    fileprivate init(_ identity: String, _ name: String, _ counted: Int, _ found: Int) {
      (self.identity, self.name, self.counted, self.found) = (identity, name, counted, found)
    }
  }

  /// What is found, and who has it. It is counted in a different way than the router counts.
  private struct Found {
    var links = 0
    var patterns = 0
    var left = PeerAccount.Holding()
    var lasting = PeerAccount.Holding()
    var mounts = 0
    var places = 0
    var held = 0
    var messages = 0
    var bytes = 0
    var entries = 0
    /// Whether a message of it has places in a stage.
    var isInStage = false

    /// Offers for which no message pays.
    mutating func hold(_ count: Int) {
      held += count
      messages += count
      bytes += count * Router.heldBytes
    }
  }

  /// The numbers of all accounts.
  package var accountFigures: [AccountFigure] {
    mutating get {
      let found = findAll()
      var figures: [AccountFigure] = []
      for account in accounts.slots where accounts.isTaken(account) {
        figures += figureOut(account, found[account] ?? Found())
      }
      return figures
    }
  }

  /// What may be left out of the count of an account.
  package enum Entry { case copy, leftLink, emptyPlace, mount, placeInStage }

  /// Counts one entry too few for an account that has one, as a fault of the router would. Returns false if none has one.
  package mutating func leaveOut(_ entry: Entry) -> Bool {
    let found = findAll()
    for account in accounts.slots where accounts.isTaken(account) {
      let its = found[account] ?? Found()
      switch entry {
      case .copy where its.held > 0:
        accounts[account].heldOffers -= 1
        accounts[account].openMessages -= 1
      case .leftLink where its.left.links > 0:
        accounts[account].links -= 1
        accounts[account].left.links -= 1
      case .emptyPlace where its.places > 0: accounts[account].emptyPlaces -= 1
      case .mount where its.mounts > 0: accounts[account].lasting.links -= 1
      case .placeInStage where its.isInStage: accounts[account].openBytes -= Stage.placeBytes
      default: continue
      }
      return true
    }
    return false
  }

  private mutating func findAll() -> [Slot<PeerAccount>: Found] {
    var found: [Slot<PeerAccount>: Found] = [:]
    findOfConnections(&found)
    findOfLinks(&found)
    findOfMessages(&found)
    return found
  }

  private mutating func findOfConnections(_ found: inout [Slot<PeerAccount>: Found]) {
    for connection in connections.slots where connections.isTaken(connection) {
      let account = connections[connection].account
      guard account != .nobody else { continue }
      found[account, default: Found()].links += Int(connections[connection].serving.replicas)
      found[account, default: Found()].patterns += connections[connection].patterns
      found[account, default: Found()].messages += connections[connection].openMessages
      found[account, default: Found()].hold(connections[connection].handling.lapsed)
      var replica = connections[connection].serving.firstReplica
      while replica != .nobody {
        if replicas[replica].isLasting { found[account, default: Found()].lasting.add(1, replicas[replica].patterns) }
        replica = replicas[replica].next
      }
    }
  }

  private mutating func findOfLinks(_ found: inout [Slot<PeerAccount>: Found]) {
    for link in links.slots where links.isTaken(link) && links[link].payer != .nobody {
      let (payer, patterns) = (links[link].payer, links[link].ownPatterns)
      let isMount = links[link].mounted != .nobody && links[link].fate == nil
      found[payer, default: Found()].entries += 1
      found[payer, default: Found()].links += 1
      found[payer, default: Found()].lasting.add(1, patterns)
      if isMount { found[payer, default: Found()].mounts += 1 }
      if links[link].isEmptyPlace { found[payer, default: Found()].places += 1 }
      // The patterns of a mount count for the connection that made it, as long as that is there.
      guard !isMount || !connections.contains(links[link].maker) else { continue }
      found[payer, default: Found()].patterns += patterns
      found[payer, default: Found()].left.add(1, patterns)
    }
  }

  private mutating func findOfMessages(_ found: inout [Slot<PeerAccount>: Found]) {
    for copy in copies.slots where copies.isTaken(copy) && copies[copy].payer != .nobody {
      found[copies[copy].payer, default: Found()].hold(1)
      found[copies[copy].payer, default: Found()].entries += 1
    }
    for walk in walks.slots where walks.isTaken(walk) && walks[walk].account != .nobody {
      // A place in a stage counts with its message.
      guard walks[walk].whole == .nobody else { continue }
      found[walks[walk].account, default: Found()].bytes += walks[walk].bytes
      if walks[walk].stage?.places.isEmpty == false { found[walks[walk].account, default: Found()].isInStage = true }
      guard !connections.contains(walks[walk].sender) else { continue }
      found[walks[walk].account, default: Found()].messages += 1
    }
    for ticket in desk.tickets.slots where desk.tickets.isTaken(ticket) {
      let (account, sender) = (desk.tickets[ticket].account, desk.tickets[ticket].connection)
      guard account != .nobody, let bytes = desk.tickets[ticket].openBytes else { continue }
      found[account, default: Found()].bytes += bytes
      if !connections.contains(sender) { found[account, default: Found()].messages += 1 }
    }
  }

  private mutating func figureOut(_ account: Slot<PeerAccount>, _ found: Found) -> [AccountFigure] {
    let identity = accounts[account].identity
    let owner = identity == .nobody ? "" : identities[identity].name
    return [
      AccountFigure(owner, "links", accounts[account].links, found.links),
      AccountFigure(owner, "patterns", accounts[account].patterns, found.patterns),
      AccountFigure(owner, "left links", accounts[account].left.links, found.left.links),
      AccountFigure(owner, "left patterns", accounts[account].left.patterns, found.left.patterns),
      AccountFigure(owner, "lasting links", accounts[account].lasting.links, found.lasting.links),
      AccountFigure(owner, "lasting patterns", accounts[account].lasting.patterns, found.lasting.patterns),
      AccountFigure(owner, "empty places", accounts[account].emptyPlaces, found.places),
      AccountFigure(owner, "held offers", accounts[account].heldOffers, found.held),
      AccountFigure(owner, "open messages", accounts[account].openMessages, found.messages),
      AccountFigure(owner, "open bytes", accounts[account].openBytes, found.bytes),
      AccountFigure(owner, "entries", accounts[account].entries, found.entries),
    ]
  }
}
