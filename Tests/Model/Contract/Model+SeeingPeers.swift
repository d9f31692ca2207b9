/// The lists of `inspect`: messages under way, connections, those that were closed, and changes (contract, section 8).
struct Note {
  let at: Int
  /// The chain that it is about; nil if it is about the server.
  var chain: String?
  /// All of it but how long ago it was.
  let line: Line
}

extension Model {
  // MARK: Messages

  /// The oldest messages under way, of one chain or of all.
  mutating func describeMessages(in chain: String?, for connection: Int) -> String {
    let open = walks.indices.filter { walk in
      !walks[walk].isOver && (chain == nil || chain == whereabouts(of: walk))
        && (maySee(whereabouts(of: walk), connection) || !keeps(.messagesAreOfSeenChains))
    }
    return "[\(open.prefix(100).map { describeMessage($0) }.joined(separator: ","))]"
  }

  /// The chain where a message is. One that waits for its key is still at the chain to which it was sent.
  private func whereabouts(of walk: Int) -> String {
    guard let stand = standShown(of: walk), keeps(.messagesAreWhereTheyStand) else { return walks[walk].chain }
    return links[stand.link].chain
  }

  /// Where it stands; in a stage, at the first place that is not settled.
  private func standShown(of walk: Int) -> Walk.Stand? {
    let places = walks[walk].stage?.places ?? []
    return walks[(keeps(.firstPlaceIsShown) ? places.first : places.last) ?? walk].stand
  }

  private mutating func describeMessage(_ walk: Int) -> String {
    let message = walks[walk].message
    var line = Line()
    line.add("walk", number(of: walk))
    line.add("topic", message.topic)
    line.add("chain", whereabouts(of: walk))
    if let stand = standShown(of: walk) { line.add("handler", links[stand.link].name) }
    line.add("state", state(of: walk))
    if let stage = walks[walk].stage {
      seen.insert(.messageInStage)
      if keeps(.placesAreTold) { line.add("places", stage.places.count) }
    }
    line.add("age_ms", now - walks[walk].sent)
    line.add("from", walks[walk].from)
    line.add("key", message.key)
    if keeps(.messagesTellWithin) { line.add(within: message.within) }
    return line.whole
  }

  private mutating func state(of walk: Int) -> String {
    guard let stand = standShown(of: walk) else {
      seen.insert(.messageWithKey)
      return "key"
    }
    if stand.offer != nil {
      seen.insert(.messageOffered)
      return "offered"
    }
    seen.insert(isHeld(stand.link) ? .messageHeld : .messageWaiting)
    return isHeld(stand.link) && keeps(.heldIsNotWaiting) ? "held" : "waiting"
  }

  // MARK: Connections

  mutating func describeConnections() -> String {
    let all = peers.indices.filter { hears($0) }
    let told = all.sorted { one, other in
      keeps(.mostUnsentFirst) && peers[one].unsent != peers[other].unsent
        ? peers[one].unsent > peers[other].unsent : one < other
    }
    return "[\(told.map { describeConnection($0) }.joined(separator: ","))]"
  }

  private mutating func describeConnection(_ connection: Int) -> String {
    seen.insert(.toldConnections)
    let peer = peers[connection]
    let mounts = liveLinks.count { links[$0].isMount && links[$0].maker == connection }
    var line = Line()
    line.add("connection", peer.number)
    line.add("name", peer.from)
    if let who = peer.who, who != Entry.anonymous { line.add("identity", who) }
    line.add("since_ms", now - peer.opened)
    line.add("links", peer.serving.count + mounts)
    line.add("subscriptions", peer.patterns.count)
    line.add("open", peer.openMessages)
    line.add("unsent_bytes", peer.unsent)
    line.add("missed", peer.missed)
    if peer.unsent > 0 { seen.insert(.toldUnsent) }
    if peer.phase == .open, peer.stoppedAt != nil {
      seen.insert(.toldPaused)
      line.add("paused", whyPaused(connection))
    }
    return line.whole
  }

  /// Why the server does not read from a connection. A share of what all have counts as `total`.
  func whyPaused(_ connection: Int) -> String? {
    let why = peers[connection].stops.max { $0.rawValue < $1.rawValue }
    return why == .share || why == .left ? "total" : why == .identity ? "messages" : why?.rawValue
  }

  // MARK: Notes

  /// The file was read anew.
  mutating func noteReload() {
    var line = Line()
    line.add("what", "reloaded")
    line.add("changed", json: "[]")
    line.add("restart", json: "[]")
    changes.append(Note(at: now, line: line))
  }

  /// A connection ends.
  mutating func noteEnd(of connection: Int, _ reason: String) {
    var line = Line()
    line.add("connection", peers[connection].number)
    line.add("name", peers[connection].from)
    line.add("reason", reason)
    ends.append(Note(at: now, line: line))
  }

  /// A connection was closed by another one.
  mutating func noteClose(of connection: Int, by other: Int) {
    var line = Line()
    line.add("what", "closed")
    line.add("connection", peers[connection].number)
    line.add("name", peers[connection].from)
    line.add("by", peers[other].from)
    changes.append(Note(at: now, line: line))
  }

  /// A link has changed.
  mutating func noteChange(_ what: String, _ link: Int, name: String? = nil, newName: String? = nil, by other: Int?) {
    var line = Line()
    line.add("what", what)
    describe(link, name: name, newName: newName, by: other, in: &line)
    changes.append(Note(at: now, chain: links[link].chain, line: line))
  }

  /// The last 100 changes, the latest first.
  func describeChanges(for connection: Int) -> String {
    let seen = changes.suffix(keeps(.changesAreHundred) ? 100 : 101).filter { note in
      !keeps(.changesAreOfSeenChains) || note.chain.map { maySee($0, connection) } ?? mayServer("see", connection)
    }
    return "[\(seen.reversed().map(describe).joined(separator: ","))]"
  }

  /// The last 100 connections that were closed, the latest first. The contract leaves open in which order those come that
  /// ended in the same millisecond.
  func describeEnds() -> String {
    var groups: [String] = []
    var (left, rest) = (100, ends[...])
    while left > 0, let last = rest.last {
      let same = rest.filter { $0.at == last.at }
      groups.append(Line.any(min(left, same.count), of: same.map(describe)))
      left -= same.count
      rest.removeLast(same.count)
    }
    return "[\(groups.joined(separator: ","))]"
  }

  private func describe(_ note: Note) -> String {
    var line = note.line
    line.add("ago_ms", now - note.at)
    return line.whole
  }
}
