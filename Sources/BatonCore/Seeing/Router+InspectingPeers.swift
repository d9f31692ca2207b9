/// `inspect` of messages, connections and changes: the lists that stand beside the chains (contract, section 8).
extension Router {
  /// The members that the request asks for, each with its comma. `survey` is what was found in all connections and all
  /// messages. The lists together take at most three quarters of a page, and they are shorter if that is too little.
  mutating func describePeers(_ survey: Survey?, for connection: Slot<Connection>, at now: Instant) -> OwnedBytes {
    var text = OwnedBytes()
    let page = Page.mostBytes(ofLines: settings.maxLine)
    if let survey, request.flag(.messages) == true {
      describeWalks(survey, upTo: text.count + page / 8, in: &text, at: now)
    }
    if let survey, request.flag(.connections) == true {
      describeConnections(survey, upTo: text.count + page / 2, in: &text, at: now)
      describe(",\"closed\":[", closedConnections.latestFirst, upTo: text.count + page / 16, in: &text, at: now)
    }
    if request.flag(.changes) == true {
      let seen = changes.latestFirst.filter { mayRead($0, connection) }
      describe(",\"changes\":[", seen, upTo: text.count + page / 16, in: &text, at: now)
    }
    return text
  }

  /// Whether the peer may see what a note is about. There are at most 100.
  private mutating func mayRead(_ note: Note, _ connection: Slot<Connection>) -> Bool {
    guard let chain = note.chain else {
      return seesServer(connection) && (!note.isOfAllChains || seesAllChains(connection))
    }
    return maySee(chainNamed: chain, as: connections[connection].identity)
  }

  private mutating func describe(
    _ name: StaticString, _ notes: [Note], upTo most: Int, in text: inout OwnedBytes, at now: Instant
  ) {
    text.add(name)
    var isFirst = true
    for note in notes {
      let bound = note.members.utf8.count + 64
      guard text.count + bound <= most else { break }
      spent &+= Cost.entry
      var writer = LineWriter(at: text.reserve(bound + LineWriter.slack), room: bound)
      writer.literal(isFirst ? "{" : ",{")
      writer.raw(note.members)
      writer.count(",\"ago_ms\":", now.milliseconds(since: note.at))
      writer.literal("}")
      text.extend(to: writer.cursor)
      isFirst = false
    }
    text.add("]")
  }

  // MARK: Messages

  private mutating func describeWalks(_ survey: Survey, upTo most: Int, in text: inout OwnedBytes, at now: Instant) {
    text.add(",\"messages\":[")
    var isFirst = true
    for found in survey.walks.sorted where walks.contains(found.ref) {
      let walk = found.ref.slot
      let bound = 640 + walks[walk].message.topicText.count + walks[walk].message.key.count
      guard text.count + bound <= most else { break }
      spent &+= Cost.entry
      var writer = LineWriter(at: text.reserve(bound + LineWriter.slack), room: bound)
      writer.literal(isFirst ? "{" : ",{")
      writeUnderWay(walk, to: &writer, at: now)
      writer.literal("}")
      text.extend(to: writer.cursor)
      isFirst = false
    }
    text.add("]")
  }

  private mutating func writeUnderWay(_ walk: Slot<Walk>, to writer: inout LineWriter, at now: Instant) {
    writer.literal("\"walk\":")
    writer.integer(walks[walk].number)
    writer.member(",\"topic\":", walks[walk].message.topicText)
    writer.literal(",\"chain\":")
    let place = shownPlace(of: walk)
    writer.text(chains[walks[place].place.chain].name.bytes)
    let link = walks[place].link
    if link != .nobody {
      writer.literal(",\"handler\":")
      writer.text(links[link].name.bytes)
    }
    writer.literal(",\"state\":\"")
    writer.literal(stateName(of: place))
    writer.literal("\"")
    if let stage = walks[walk].stage { writer.count(",\"places\":", stage.places.count) }
    writer.count(",\"age_ms\":", now.milliseconds(since: walks[walk].began))
    writer.member(",\"from\":", walks[walk].message.from)
    writer.member(",\"key\":", walks[walk].message.key)
    writer.within(Int(walks[walk].within))
    let attempt = walks[walk].attempt
    guard attempt != .nobody else { return }
    writer.stored(desk.attempts[attempt].stored)
    writer.count(",\"try\":", Int(desk.attempts[attempt].number))
  }

  /// Where a message under way is shown: in a stage, at the first place that is not settled.
  mutating func shownPlace(of walk: Slot<Walk>) -> Slot<Walk> { walks[walk].stage?.places.first ?? walk }

  /// What a message under way waits for.
  private mutating func stateName(of walk: Slot<Walk>) -> StaticString {
    if walks[walk].isHeld { return "record" }
    let link = walks[walk].link
    if link == .nobody { return walks[walk].keyQueue != .nobody && !walks[walk].isParked ? "key" : "turn" }
    if walks[walk].offer != .nobody { return "offered" }
    return links[link].firstReplica == .nobody ? "held" : "waiting"
  }

  // MARK: Connections

  private mutating func describeConnections(
    _ survey: Survey, upTo most: Int, in text: inout OwnedBytes, at now: Instant
  ) {
    text.add(",\"connections\":[")
    var isFirst = true
    for found in survey.connections.sorted where connections.contains(found.ref) && isPeer(found.ref.slot) {
      let id = ConnectionID(index: found.ref.slot.index, generation: found.ref.generation)
      let address = settings.process.address(id)
      let bound = 512 + LineWriter.bound(text: address?.utf8.count ?? 0)
      guard text.count + bound <= most else { break }
      spent &+= Cost.entry
      var writer = LineWriter(at: text.reserve(bound + LineWriter.slack), room: bound)
      writer.literal(isFirst ? "{" : ",{")
      writePeer(found.ref.slot, address, to: &writer, at: now)
      writer.literal("}")
      text.extend(to: writer.cursor)
      isFirst = false
    }
    text.add("]")
  }

  private mutating func writePeer(
    _ peer: Slot<Connection>, _ address: String?, to writer: inout LineWriter, at now: Instant
  ) {
    writer.literal("\"connection\":")
    writer.integer(connections[peer].number)
    writer.member(",\"name\":", connections[peer].from.bytes)
    let identity = connections[peer].identity
    if identity != .nobody, !identities[identity].isAnonymous {
      writer.literal(",\"identity\":")
      writer.text(identities[identity].name)
    }
    if let address {
      writer.literal(",\"address\":")
      writer.text(address)
    }
    if let door = connections[peer].door.spelling {
      writer.literal(",\"door\":\"")
      writer.literal(door)
      writer.literal("\"")
    }
    writer.count(",\"since_ms\":", now.milliseconds(since: connections[peer].opened))
    writer.count(",\"links\":", connections[peer].serving.links)
    writer.count(",\"subscriptions\":", Int(connections[peer].listening.subscriptions))
    writer.count(",\"open\":", connections[peer].openMessages)
    writer.count(",\"unsent_bytes\":", connections[peer].outbox.count)
    writer.count(",\"missed\":", connections[peer].listening.missed)
    if connections[peer].isListedAsPaused {
      writer.literal(",\"paused\":\"")
      writer.literal(connections[peer].pauses.spelling)
      writer.literal("\"")
    }
  }
}

extension OwnedBytes {
  fileprivate mutating func add(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
