/// Requests of peers whose answers wait for the keeper, or for the disk (contract, section 15).
extension Router {
  /// Notes the request that is carried out now as one that the keeper answers. Until then it counts as an open message
  /// of its sender, with so many bytes. Returns its number.
  mutating func openTicket(
    _ kind: Ticket.Kind, bytes: Int, from connection: Slot<Connection>, at now: Instant
  ) -> UInt64 {
    let ticket = listTicket(
      Ticket(
        connection: connections.ref(connection), id: request.id(isOffer: false), kind: kind,
        wantsReply: request.wantsReply, openBytes: bytes), bytes: bytes, of: connection, at: now)
    if kind.stores { connections[connection].asking.storingBytes += bytes }
    return desk.tickets.ref(ticket).number
  }

  /// Keeps a reply to a connection until the disk has what it tells of. `line` has its LF. It counts as an open message
  /// from now on.
  mutating func holdReply(
    _ line: consuming OwnedBytes, _ mark: LineMark, id: UnsafeRawBufferPointer, to connection: Slot<Connection>,
    at now: Instant
  ) -> Slot<Ticket> {
    spent &+= Cost.copying(line.count)
    let ticket = Ticket(connection: connections.ref(connection), id: id, holding: line, mark)
    let bytes = ticket.openBytes ?? 0
    return listTicket(ticket, bytes: bytes, of: connection, at: now)
  }

  private mutating func listTicket(
    _ new: consuming Ticket, bytes: Int, of connection: Slot<Connection>, at now: Instant
  ) -> Slot<Ticket> {
    let isOwed = new.isOwed
    let ticket = desk.insert(new)
    let last = connections[connection].asking.lastTicket
    desk.tickets[ticket].previous = last
    if last != .nobody { desk.tickets[last].next = ticket } else { connections[connection].asking.firstTicket = ticket }
    connections[connection].asking.lastTicket = ticket
    countOpenBytes(bytes)
    desk.tickets[ticket].account = countOpen(bytes: bytes, isOwed: isOwed, of: connection, at: now)
    return ticket
  }

  /// What waits for an answer to this ticket is no open message any more. A half-closed connection may end with it.
  mutating func settleTicket(_ ticket: Slot<Ticket>, at now: Instant) {
    guard let bytes = desk.tickets[ticket].openBytes else { return }
    desk.tickets[ticket].openBytes = nil
    countOpenBytes(-bytes)
    let account = desk.tickets[ticket].account
    let sender = desk.tickets[ticket].connection
    let isSenderThere = connections.contains(sender)
    if account != .nobody { endMessage(of: account, bytes: bytes, isSenderThere: isSenderThere) }
    guard isSenderThere else { return }
    if desk.tickets[ticket].kind.stores { leaveWayToDisk(bytes, of: sender.slot, at: now) }
    closeAccount(of: sender.slot, bytes: bytes, wasOwed: desk.tickets[ticket].isOwed, at: now)
  }

  /// A durable message is on disk, or will not be.
  private mutating func leaveWayToDisk(_ bytes: Int, of sender: Slot<Connection>, at now: Instant) {
    connections[sender].asking.storingBytes -= bytes
    guard connections[sender].pauses.contains(.store), connections[sender].asking.storingBytes < KeeperDesk.mostOnTheWay
    else {
      return
    }
    resume(sender, .store, at: now)
  }

  /// Nothing follows to this ticket.
  mutating func endTicket(_ ticket: Slot<Ticket>, at now: Instant) {
    settleTicket(ticket, at: now)
    let sender = desk.tickets[ticket].connection
    if connections.contains(sender) { unlistTicket(ticket, of: sender.slot) }
    desk.remove(ticket)
  }

  /// Nobody listens any more: what the keeper would say to this ticket is not told.
  mutating func giveUpTicket(_ ticket: Slot<Ticket>, at now: Instant) {
    desk.ask(.senderGone(desk.tickets.ref(ticket).number))
    endTicket(ticket, at: now)
  }

  /// A connection has ended: the first of its tickets is given up. One whose message is still on its way to the disk goes
  /// on counting for all messages together, until the keeper answers.
  mutating func leaveTicket(of connection: Slot<Connection>, at now: Instant) {
    let ticket = connections[connection].asking.firstTicket
    if desk.tickets[ticket].openBytes == nil { return giveUpTicket(ticket, at: now) }
    if desk.tickets[ticket].kind != .broadcast { desk.ask(.senderHasPerhapsGone(desk.tickets.ref(ticket).number)) }
    unlistTicket(ticket, of: connection)
  }

  /// Whether a peer may be told results that it has asked for again, with `bytes` of others on their way to it. Above
  /// `offers_unsent_bytes` they wait, as offers do: `canHear` comes when that is over, and when the connection ends.
  package mutating func hearing(of connection: UInt64, beside bytes: Int) -> PeerHearing {
    let ref = Ref<Connection>(number: connection)
    guard isListening(ref) else { return .gone }
    if bytes + connections[ref.slot].outbox.count <= settings.offersUnsentBytes { return .ready }
    connections[ref.slot].asking.isToldLater = true
    return .busy
  }

  /// What waits to be told to a connection goes on, or is dropped.
  mutating func tellLater(to connection: Slot<Connection>) {
    connections[connection].asking.isToldLater = false
    desk.ask(.canHear(connections.ref(connection).number))
  }

  private mutating func unlistTicket(_ ticket: Slot<Ticket>, of connection: Slot<Connection>) {
    let (previous, next) = (desk.tickets[ticket].previous, desk.tickets[ticket].next)
    // It may be in the list no more.
    guard previous != .nobody || connections[connection].asking.firstTicket == ticket else { return }
    if previous != .nobody {
      desk.tickets[previous].next = next
    } else {
      connections[connection].asking.firstTicket = next
    }
    if next != .nobody {
      desk.tickets[next].previous = previous
    } else {
      connections[connection].asking.lastTicket = previous
    }
    (desk.tickets[ticket].previous, desk.tickets[ticket].next) = (.nobody, .nobody)
  }

  /// Whom the keeper knows as the sender: its identity; empty for those who have none.
  mutating func durableIdentity(of connection: Slot<Connection>) -> [UInt8] {
    let identity = connections[connection].identity
    guard identity != .nobody, !identities[identity].isAnonymous else { return [] }
    return Array(identities[identity].name.utf8)
  }
}
