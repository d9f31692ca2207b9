package import BatonLasting

/// What the keeper answers to requests of peers, as lines (contract, section 15).
extension Router {
  /// A durable message is on disk. `isKnown`: it was there before.
  package mutating func tellAccepted(_ number: UInt64, stored: StoredID, isKnown: Bool, at now: Instant) {
    guard let ticket = desk.find(number) else { return }
    settleTicket(ticket, at: now)
    let sender = desk.tickets[ticket].connection
    guard desk.tickets[ticket].wantsReply, isListening(sender) else { return giveUpTicket(ticket, at: now) }
    var writer = beginAnswer("accepted", as: .accepted, to: ticket, atMost: 96)
    writer.stored(stored)
    if isKnown { writer.literal(",\"known\":true") }
    endAnswer(writer, to: ticket, at: now)
  }

  /// A durable message has its end. Without a result, no try of it had an end.
  package mutating func tellResult(_ number: UInt64, stored: StoredID, result: [UInt8]?, at now: Instant) {
    guard let ticket = desk.find(number) else { return }
    let sender = desk.tickets[ticket].connection
    guard desk.tickets[ticket].wantsReply, isListening(sender) else { return giveUpTicket(ticket, at: now) }
    let isDead = result.map { !DurableResult.isEnd($0) } ?? true
    let status = result.map { DurableResult.status(of: $0) } ?? .timeout
    var writer = beginAnswer(
      "result", as: isDead ? .dead(status) : .result(status), to: ticket, atMost: 192 + (result?.count ?? 0))
    writer.literal(",")
    if let result {
      DurableResult.members(of: result).withUnsafeBytes { writer.raw($0) }
    } else {
      writer.literal(DurableResult.none)
      writer.stored(stored)
      writer.literal(",\"try\":0")
    }
    if isDead { writer.literal(",\"dead\":true") }
    charge(Cost.copying(result?.count ?? 0), to: sender.slot)
    endAnswer(writer, to: ticket, at: now)
    endTicket(ticket, at: now)
  }

  /// The keeper refuses a request. An error comes although no reply is wanted.
  package mutating func tellKeeperRefuses(_ number: UInt64, _ refusal: DurableRefusal, at now: Instant) {
    guard let ticket = desk.find(number) else { return }
    let words = Router.words(of: refusal, to: desk.tickets[ticket].kind, isDamaged: storing.isDamaged)
    tellFault(Fault(refusal.code, words), to: ticket, at: now)
  }

  private static func words(of refusal: DurableRefusal, to kind: Ticket.Kind, isDamaged: Bool) -> String {
    let isOfLetter = kind == .resend || kind == .discard
    switch refusal {
    case .storeFailed where isOfLetter: return isDamaged ? damagedStoreOfLetter : unchangedLetter
    case .storeFailed where isDamaged: return damagedStore
    case .notDeclared where isOfLetter: return undeclaredLetter
    case .noRoom(let limit): return noRoom(limit)
    case .unreadable: return unreadLetters
    case .resultGone: return noResult
    case .resultUnreadable: return unreadResult
    default: return self.refusal(refusal.code)
    }
  }

  /// Nothing has changed.
  private static let unchangedLetter =
    "the disk, or the log of a cluster, did not take it: the dead letter stays as it is; ask again later"
  private static let damagedStoreOfLetter =
    "the file of the server's store is damaged, and the dead letter stays as it is; tell the operator: stop the server, put "
    + "back a copy of the store, or begin another one"

  /// What is told where no commit succeeds any more.
  static let damagedStore =
    "the file of the server's store is damaged, and it is not kept; tell the operator: stop the server, put back a copy of "
    + "the store, or begin another one, and send it again"

  /// The message of a known name has ended, and what it ended with is known no more: `no_such_message`.
  private static let noResult =
    "the message of this \"once\" has ended, and its result cannot be told any more; send it under another name if it must "
    + "be done again"

  /// The same, but the disk may give its result later: `busy`.
  private static let unreadResult =
    "the message of this \"once\" is known, and the server's disk does not give its result now; send it again under the same "
    + "name in a second"

  /// The disk does not give dead letters now: `busy`.
  private static let unreadLetters = "the server's disk does not give what is asked for now; ask again later"

  /// A dead letter of a chain that is declared no more is sent again: `not_declared`.
  private static let undeclaredLetter =
    "the configuration file does not declare the chain of this dead letter any more; declare it again, or discard the dead "
    + "letter"

  /// There is no room: `store_full`. `limit` is the setting that says so.
  static func noRoom(_ limit: StoreLimit) -> String {
    switch limit {
    case .deadLetters:
      "this chain has too many dead letters, or the sender's own part of them is used up (max_dead_letters): one identity may "
        + "have half of what the others leave; let an operator send some of them again, or discard them"
    case .freeBytes:
      "the disk of the server's store has no room for it (min_free_bytes); send it again later, or let an operator make room "
        + "there: baton store compact gives back what is free in the file"
    case .remembered:
      "the server remembers too many names of \"once\", or the sender's own part of them is used up (max_remembered); send it "
        + "again later, when names are forgotten, or set a larger max_remembered there; with a smaller remembered_ms, names that "
        + "come later are forgotten sooner"
    case .messages, .bytes:
      "the server's store has no room for it, or the sender's own part of it is used up (\(limit.rawValue)): one identity may "
        + "have half of what the others leave; send it again later, or let an operator make room or set a larger limit"
    }
  }

  /// What the keeper writes of a result for which there is no room.
  package static func shortResult(_ result: [UInt8]) -> [UInt8] { DurableResult.truncated(result) }

  /// The result of a message whose bytes are damaged: it is written, so that it stays the same.
  package static func damagedResult(stored: [UInt8], number: UInt32) -> [UInt8] {
    let name = String(decoding: stored, as: UTF8.self)
    return DurableResult.damaged.dropLast() + Array(#","stored":"\#(name)","try":\#(number)}"#.utf8)
  }

  /// The result of a message of which no try has an end, as it is stored.
  package static func noResult(stored: [UInt8]) -> [UInt8] {
    let name = String(decoding: stored, as: UTF8.self)
    return Array(#"{\#(DurableResult.none),"stored":"\#(name)","try":0}"#.utf8)
  }

  mutating func tellFault(_ fault: Fault, to ticket: Slot<Ticket>, at now: Instant) {
    let sender = desk.tickets[ticket].connection
    if isListening(sender) {
      sayError(fault, id: desk.tickets[ticket].id.bytes, isOffer: false, to: sender.slot, at: now)
    }
    endTicket(ticket, at: now)
  }

  /// A dead letter was sent again under a new name, or is gone.
  package mutating func tellDone(_ number: UInt64, stored: StoredID, at now: Instant) {
    guard let ticket = desk.find(number), hears(ticket, at: now) else { return }
    var writer = beginAnswer("ok", as: .ok, to: ticket, atMost: 64)
    if desk.tickets[ticket].kind == .resend { writer.stored(stored) }
    endAnswer(writer, to: ticket, at: now)
    endTicket(ticket, at: now)
  }

  /// The disk has what a held reply tells of, or will not have it: the connection is told, if it is still there.
  mutating func tellHeldReply(_ ticket: Slot<Ticket>, isStored: Bool, at now: Instant) {
    spent &+= Cost.delivery &+ Cost.copying(desk.tickets[ticket].openBytes ?? 0)
    guard isStored else { return tellFault(notOnDisk, to: ticket, at: now) }
    let sender = desk.tickets[ticket].connection
    if isListening(sender) {
      mark(desk.tickets[ticket].mark, for: sender.slot)
      var writer = beginLine(to: sender.slot, atMost: desk.tickets[ticket].line.count)
      writer.raw(desk.tickets[ticket].line.bytes)
      commitLine(writer, to: sender.slot, at: now)
    }
    endTicket(ticket, at: now)
  }

  /// What is told where the disk says no to a value.
  var notOnDisk: Fault {
    mutating get {
      let words =
        storing.isDamaged
        ? "the file of the store is damaged; it stands until the server ends; stop it, and put back a copy of the store"
        : "a commit of the store has failed; it stands until the server ends; free some room, or look into the server's log"
      return Fault(.storeFailed, "the value was published, but it is not on disk: " + words)
    }
  }

  /// Whether the asker may change the dead letters of a chain. If not, it is told so; or that there is none, if it may
  /// not see them either.
  package mutating func permitsChange(_ number: UInt64, of chain: [UInt8], at now: Instant) -> Bool {
    guard let ticket = desk.find(number) else { return false }
    guard connections.contains(desk.tickets[ticket].connection) else {
      // It has gone since it asked, and with it what it may do.
      endTicket(ticket, at: now)
      return false
    }
    let asker = desk.tickets[ticket].connection.slot
    let identity = connections[asker].identity
    guard identity != .nobody else { return true }
    if chain.withUnsafeBytes({ identities[identity].allows(.manage, chain: $0) }) { return true }
    let name = String(decoding: chain, as: UTF8.self)
    let isSeen = chain.withUnsafeBytes { maySee(chainNamed: $0, asker) }
    if isSeen { noteDenied("manage \(name)", to: asker, at: now) }
    tellFault(
      isSeen
        ? Fault(.notAllowed, "\(identities[identity].name) needs \"manage \(name)\"")
        : Fault(.noSuchMessage, Router.refusal(.noSuchMessage)), to: ticket, at: now)
    return false
  }

  // MARK: Dead letters

  /// A page of dead letters, or one with what it says (`isWhole`). Those that take too much for one line are on the next
  /// page. `until` is the last one that such pages come to.
  package mutating func tellDead(
    _ number: UInt64, _ letters: [DeadLetter], isWhole: Bool, hasMore: Bool, until: StoredID?, at now: Instant,
    wall: Int64
  ) {
    guard let ticket = desk.find(number), hears(ticket, at: now) else { return }
    let asker = desk.tickets[ticket].connection.slot
    let seesAll = seesAllChains(asker)
    var text: [UInt8] = []
    var more = hasMore
    for letter in letters {
      let entry = letter.text(isWhole: isWhole, seesAll: seesAll, wall: wall)
      if !text.isEmpty, text.count + entry.count > min(settings.maxLine, 512 << 10) {
        more = true
        break
      }
      if !text.isEmpty { text.append(UInt8(ascii: ",")) }
      text += entry
    }
    charge(Cost.entry * letters.count + Cost.copying(2 * text.count), to: asker)
    var writer = beginAnswer("dead", as: .told, to: ticket, atMost: text.count + 128)
    writer.literal(",\"dead\":[")
    text.withUnsafeBytes { writer.raw($0) }
    writer.literal(more ? "],\"more\":true" : "],\"more\":false")
    if more, let until { writer.stored(until, as: ",\"until\":\"") }
    endAnswer(writer, to: ticket, at: now)
    endTicket(ticket, at: now)
  }

  // MARK: Lines

  /// Whether the answer is wanted and can be told. If not, the ticket ends.
  mutating func hears(_ ticket: Slot<Ticket>, at now: Instant) -> Bool {
    if desk.tickets[ticket].wantsReply, isListening(desk.tickets[ticket].connection) { return true }
    endTicket(ticket, at: now)
    return false
  }

  mutating func beginAnswer(
    _ op: StaticString, as mark: LineMark, to ticket: Slot<Ticket>, atMost bound: Int
  ) -> LineWriter {
    self.mark(mark, for: desk.tickets[ticket].connection.slot)
    let id = desk.tickets[ticket].id.bytes
    var writer = beginLine(to: desk.tickets[ticket].connection.slot, atMost: bound + id.count + 32)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\"")
    writer.id(id)
    return writer
  }

  mutating func endAnswer(_ writer: LineWriter, to ticket: Slot<Ticket>, at now: Instant) {
    var writer = writer
    writer.literal("}\n")
    commitLine(writer, to: desk.tickets[ticket].connection.slot, at: now)
  }

  static func refusal(_ code: ErrorCode) -> String {
    switch code {
    case .notDeclared:
      "the configuration file does not declare this chain; only declared chains take durable messages; declare it, or leave "
        + "out \"durable\""
    case .storeFailed: "the disk, or the log of a cluster, did not take it, and it is not kept; send it again later"
    case .storeFull: "the server has used up the numbers of its store; let an operator begin another one"
    case .onceMismatch: "this \"once\" names another message already; use another name, or send the same message"
    case .limitReached: "too many requests wait for the result of this message already; wait for one of them"
    case .noSuchMessage:
      "there is no such message: it has ended, or was sent again or discarded already, or you may not know of it"
    case .badMember: "the payload, new or stored, takes too many bytes together with the meta; give a shorter one"
    case .damaged: "its bytes on the server's disk are damaged and cannot be read any more"
    default: "the server is shutting down; use another server, or try again later"
    }
  }
}

extension DurableRefusal {
  fileprivate var code: ErrorCode {
    switch self {
    case .notDeclared: .notDeclared
    case .storeFailed: .storeFailed
    case .noRoom, .countedAll: .storeFull
    case .onceMismatch: .onceMismatch
    case .limitReached: .limitReached
    case .noSuchMessage, .resultGone: .noSuchMessage
    case .damaged: .damaged
    case .draining: .draining
    case .tooLarge: .badMember
    case .unreadable, .resultUnreadable: .busy
    }
  }
}
