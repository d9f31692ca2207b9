/// Replies that wait for the disk (contract, section 15).
extension Router {
  /// Begins a reply to the line that is read now, which will be told later. `endHeldReply` ends it.
  mutating func beginHeldReply(_ op: StaticString, in line: inout OwnedBytes, atMost bound: Int) -> LineWriter {
    let id = request.id(isOffer: false)
    let room = bound + id.count + 32
    var writer = LineWriter(at: line.reserve(room + LineWriter.slack), room: room)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\"")
    writer.id(id)
    return writer
  }

  /// Keeps a reply to a connection until the disk has what it tells of. `line` has its LF. It counts as an open message
  /// from now on.
  mutating func holdReply(
    _ line: consuming OwnedBytes, id: UnsafeRawBufferPointer, to connection: Slot<Connection>, at now: Instant
  ) -> Slot<HeldReply> {
    spent &+= Cost.copying(line.count)
    let reply = heldReplies.insert(HeldReply(connections.ref(connection), line: line, id: OwnedBytes(copying: id)))
    let bytes = heldReplies[reply].bytes
    countOpenBytes(bytes)
    heldReplies[reply].account = countOpen(bytes: bytes, isOwed: true, of: connection, at: now)
    return reply
  }

  /// The disk has it, or does not keep it: the connection is told, if it is still there.
  mutating func tellHeldReply(_ reply: Slot<HeldReply>, isKept: Bool, at now: Instant) {
    let (ref, bytes) = (heldReplies[reply].connection, heldReplies[reply].bytes)
    spent &+= Cost.delivery &+ Cost.copying(bytes)
    if isListening(ref) {
      if isKept {
        let count = heldReplies[reply].line.count
        var writer = beginLine(to: ref.slot, atMost: count)
        writer.raw(heldReplies[reply].line.bytes)
        commitLine(writer, to: ref.slot, at: now)
      } else {
        sayError(
          notOnDisk, id: heldReplies[reply].id.bytes, isOffer: false, to: ref.slot, at: now)
      }
    }
    let account = heldReplies[reply].account
    heldReplies.remove(reply)
    countOpenBytes(-bytes)
    let isSenderThere = connections.contains(ref)
    if account != .nobody { endMessage(of: account, bytes: bytes, isSenderThere: isSenderThere) }
    if isSenderThere { closeAccount(of: ref.slot, bytes: bytes, wasOwed: true, at: now) }
  }

  /// What is told where the disk says no.
  var notOnDisk: Fault {
    mutating get {
      let words =
        storing.isDamaged
        ? "the file of the store is damaged; it stands until the server ends; stop it, and put back a copy of the store"
        : "a commit of the store has failed; it stands until the server ends; free some room, or look into the server's log"
      return Fault(.storeFailed, "the value was published, but it is not on disk: " + words)
    }
  }
}
