internal import BatonLasting

/// `send` with `"durable":true` (contract, section 15).
extension Router {
  /// Hands the message to the keeper, if the line wants it to be durable. Returns false if it is a message like others.
  @inline(never)
  mutating func sendsDurably(
    _ mode: Walk.Mode, from connection: Slot<Connection>, at now: Instant
  ) throws(Fault) -> Bool {
    try checkDurable(mode)
    guard request.flag(.durable) == true else { return false }
    try requireStore(orElse: ", or leave out \"durable\"")
    // A name that is known is looked at before all else, by the keeper.
    if !request.has(.once) { try refuseWhileDraining() }
    try checkCargo(request.raw(.payload).count, beside: request.raw(.meta).count)
    if request.has(.within) { try refuseLoop() }
    if !request.has(.once) { try requireDeclared() }
    guard try hasRoom(for: connection, at: now) else { return true }
    try checkWayToDisk(of: connection)
    try payForMessage(of: connection, at: now)
    let content = durableContent(mode, from: connection)
    let bytes = content.bytes.count + Ticket.ownBytes
    // Its content is looked at once more, byte by byte.
    spent &+= Cost.step &+ Cost.reading(bytes)
    let ticket = openTicket(.send, bytes: bytes, from: connection, at: now)
    pauseOnWayToDisk(connection, at: now)
    if content.hasKey { desk.noteKey() }
    desk.ask(.message(durableMessage(ticket, content, from: connection)))
    return true
  }

  /// Refuses what needs a store where there is none. `other`: what else the sender can do.
  mutating func requireStore(orElse other: String = "") throws(Fault) {
    guard !desk.isThere else { return }
    throw Fault(.noStore, "this server has no store; start it with baton serve --store FILE" + other)
  }

  private mutating func requireDeclared() throws(Fault) {
    if let chain = findChain(request.chainText), chains[chain].declaration != nil { return }
    throw Fault(.notDeclared, Router.refusal(.notDeclared))
  }

  /// A connection that may not be left unread, because it serves links, is told instead.
  mutating func checkWayToDisk(of connection: Slot<Connection>) throws(Fault) {
    guard connections[connection].pauses.contains(.store), connections[connection].getsBusy else { return }
    throw Fault(
      .busy,
      "durable messages of this connection that take \(connections[connection].asking.storingBytes) bytes are on their way to "
        + "the disk, and no more are allowed; wait for \"accepted\"")
  }

  /// The connection is not read while as much of it as may be is on its way to the disk.
  mutating func pauseOnWayToDisk(_ connection: Slot<Connection>, at now: Instant) {
    if connections[connection].asking.storingBytes >= KeeperDesk.mostOnTheWay { pause(connection, .store, at: now) }
  }

  private mutating func checkDurable(_ mode: Walk.Mode) throws(Fault) {
    let isDurable = request.flag(.durable) == true
    for member in [Member.durable, .once, .tries, .retryMilliseconds, .expiresMilliseconds, .delayMilliseconds]
    where request.has(member) {
      if mode == .notify {
        throw Fault(
          .badMember,
          "\"\(member.spelling)\" is not allowed in the mode \"notify\", which waits for nobody; leave it out")
      }
      if !isDurable, member != .durable {
        throw Fault(.badMember, "\"\(member.spelling)\" is allowed only with \"durable\":true; leave it out")
      }
    }
    let expires = request.integer(.expiresMilliseconds) ?? settings.expiresMilliseconds
    guard let delay = request.integer(.delayMilliseconds), delay >= expires else { return }
    throw Fault(
      .badMember, "\"delay_ms\" must be less than \"expires_ms\", which is \(expires); no try would begin otherwise")
  }

  private mutating func durableMessage(
    _ ticket: UInt64, _ content: consuming DurableContent, from connection: Slot<Connection>
  ) -> DurableMessage {
    let rules = TryRules(
      tries: UInt32(clamping: request.integer(.tries) ?? settings.tries),
      retryMilliseconds: UInt32(clamping: request.integer(.retryMilliseconds) ?? settings.retryMilliseconds),
      timeoutMilliseconds: UInt32(clamping: request.integer(.timeoutMilliseconds) ?? settings.timeoutMilliseconds),
      expiresMilliseconds: UInt32(clamping: request.integer(.expiresMilliseconds) ?? settings.expiresMilliseconds))
    var message = DurableMessage(
      ticket: ticket, identity: durableIdentity(of: connection), chain: desk.chain(request.chainText), content: content,
      rules: rules)
    message.sender = connections.ref(connection).number
    message.delayMilliseconds = UInt32(clamping: request.integer(.delayMilliseconds) ?? 0)
    if request.has(.once) { message.once = Array(request.text(.once)) }
    message.rememberedMilliseconds = UInt32(clamping: settings.rememberedMilliseconds)
    return message
  }

  private mutating func durableContent(_ mode: Walk.Mode, from connection: Slot<Connection>) -> DurableContent {
    let isSpelledOurWay = request.value(.topic).kind != .escapedText
    let topic = isSpelledOurWay ? OwnedBytes() : OwnedBytes(quoting: request.text(.topic))
    let topicText = isSpelledOurWay ? request.raw(.topic) : topic.bytes
    let (meta, payload) = (request.raw(.meta), request.raw(.payload))
    let key = request.has(.key) ? request.text(.key) : .empty
    var content = DurableContent()
    content.bytes.reserveCapacity(
      topicText.count + meta.count + key.count + payload.count + connections[connection].from.count + 52)
    DurableHead.write(topicText: topicText, meta: meta, isAll: mode == .all, to: &content.bytes)
    content.headEnd = content.bytes.count
    DurableFrom.write(
      connections[connection].from.bytes, isTraced: request.flag(.trace) == true,
      within: request.integer(.within) ?? 0, to: &content.bytes)
    content.fromEnd = content.bytes.count
    content.hasKey = request.has(.key)
    content.bytes += key
    content.keyEnd = content.bytes.count
    content.bytes += payload
    extendLifetime(topic)
    return content
  }
}
