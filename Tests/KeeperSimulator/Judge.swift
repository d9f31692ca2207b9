import BatonKeeper

/// What was accepted, ended and offered, and whether the promises hold.
struct Judge {
  struct Known {
    var send: DurableSend?
    var chain: [UInt8]
    var key: [UInt8]?
    var isDelayed = false
    var isAccepted = false
    /// Tries that counted.
    var tries: UInt32 = 0
    var hasBegun = false
    var isOpen = false
    var isOver = false
    var notBefore: UInt64 = 0
  }

  var known: [StoredID: Known] = [:]
  /// The message of a ticket, and what the ticket has heard.
  var idOfTicket: [UInt64: StoredID] = [:]
  var accepted: [UInt64: StoredID] = [:]
  var heardEnd: Set<UInt64> = []
  var refused: Set<UInt64> = []
  /// Tickets that still wait in this life of the keeper.
  var waiting: Set<UInt64> = []
  var notKept: Set<StoredID> = []
  struct Name: Hashable {
    var identity: [UInt8]
    var once: [UInt8]
  }
  var names: [Name: StoredID] = [:]

  func check(_ holds: Bool, _ promise: String, _ detail: @autoclosure () -> String) throws(Broken) {
    if !holds { throw Broken(promise: promise, detail: detail()) }
  }

  mutating func written(_ message: StoredMessage, _ send: DurableSend?, key: [UInt8]?) throws(Broken) {
    try check(known[message.id] == nil, "ids are never used twice", "\(message.id.count)")
    known[message.id] = Known(
      send: send, chain: message.chain, key: key, isDelayed: message.state.place == 0)
    if let ticket = send?.ticket { idOfTicket[ticket] = message.id }
  }

  mutating func accepted(
    _ ticket: UInt64, _ id: StoredID, _ send: DurableSend?, isKnown: Bool, disk: Disk
  ) throws(Broken) {
    try check(accepted[ticket] == nil && !refused.contains(ticket), "one accepted", "ticket \(ticket)")
    accepted[ticket] = id
    if !isKnown {
      try check(disk.rows[id.count]?.message.id == id, "accepted is on disk", "\(id.count)")
      try check(idOfTicket[ticket] == id, "accepted is one's own", "ticket \(ticket)")
    }
    known[id]?.isAccepted = true
    guard let send, let once = send.once else { return }
    let name = Name(identity: send.identity, once: once)
    if let old = names[name], old != id {
      // The old one must have been forgotten.
      let isThere = disk.onces.values.contains { $0.id == old } || disk.rows[old.count]?.message.id == old
      try check(!isThere && known[old]?.isOver ?? true, "once is once", "\(old.count) and \(id.count)")
    }
    names[name] = id
  }

  mutating func result(_ ticket: UInt64, _ id: StoredID, isDead: Bool, disk: Disk) throws(Broken) {
    try check(accepted[ticket] == id, "a result follows accepted", "ticket \(ticket)")
    try check(heardEnd.insert(ticket).inserted, "one result", "ticket \(ticket)")
    waiting.remove(ticket)
    let row = disk.rows[id.count]
    try check(isDead ? row?.isDead ?? true : row == nil, "an end is on disk before it is told", "\(id.count)")
  }

  mutating func refusedStored(_ ticket: UInt64, disk: Disk) throws(Broken) {
    refused.insert(ticket)
    waiting.remove(ticket)
    guard let id = idOfTicket[ticket] else { return }
    notKept.insert(id)
    try checkNotKept(disk)
  }

  func checkNotKept(_ disk: Disk) throws(Broken) {
    for id in notKept where disk.rows[id.count]?.message.id == id {
      throw Broken(promise: "store_failed is certain", detail: "\(id.count)")
    }
  }

  mutating func begun(_ attempt: Try, open: Int, window: Int, isDeclared: Bool, now: UInt64, disk: Disk) throws(Broken)
  {
    let id = attempt.stored
    guard let one = known[id] else { throw Broken(promise: "only what was sent is tried", detail: "\(id.count)") }
    try check(!notKept.contains(id), "what was refused is not tried", "\(id.count)")
    try check(!one.isOver, "what has ended is not tried", "\(id.count)")
    try check(!one.isOpen, "one try at a time", "\(id.count)")
    try check(disk.rows[id.count]?.message.state.isUnderWay ?? false, "the mark of a try is on disk", "\(id.count)")
    try check(attempt.number == one.tries + 1, "tries are counted", "\(id.count): \(attempt.number), \(one.tries)")
    try check(attempt.isAgain || !one.hasBegun, "again is said", "\(id.count)")
    try check(isDeclared, "only down declared chains", "\(id.count)")
    try check(open < window, "paced by windows", "\(id.count)")
    try check(now >= one.notBefore, "after its time", "\(id.count)")
    if let key = one.key {
      for (other, its) in known where other != id && its.key == key && its.chain == one.chain && !its.isOver {
        let isBefore = other.count < id.count && its.isAccepted && !its.isDelayed && !one.isDelayed
        try check(!its.isOpen && !isBefore, "the order of a key", "\(other.count) and \(id.count)")
      }
    }
    known[id]?.isOpen = true
    known[id]?.isAccepted = true
    known[id]?.hasBegun = true
  }

  /// What is on disk is bounded, whatever handlers say: what is kept beyond the limits is small, as contents and results that
  /// are cut short are here.
  func fits(_ disk: Disk, _ limits: KeeperLimits) throws(Broken) {
    let small = 20 * (disk.rows.count + disk.onces.count)
    try check(disk.byteCount <= limits.storedBytes + small, "results have room", "\(disk.byteCount) bytes")
  }

  /// What a commit brought.
  mutating func committed(_ change: StoreChange, before disk: Disk) throws(Broken) {
    switch change {
    case .state(let row, let state, _):
      guard let id = disk.rows[row]?.message.id, let one = known[id] else { return }
      try check(state.tries <= one.tries, "tries are counted", "\(row) on disk")
    case .end(let row, _, _), .dead(let row, _, _), .discard(let row, _):
      if let id = disk.rows[row]?.message.id { known[id]?.isOver = true }
    default: break
    }
  }

  /// The keeper is gone; what it left on disk is all there is.
  mutating func crashed(_ disk: Disk) throws(Broken) {
    for (id, one) in known {
      guard let row = disk.rows[id.count], row.message.id == id else {
        try check(!one.isAccepted || one.isOver, "what was accepted is there until it ends", "\(id.count)")
        known[id]?.isOver = true
        continue
      }
      try check(!one.isOver || row.isDead, "what has ended has gone", "\(id.count)")
      let state = row.message.state
      try check(!one.isOpen || state.isUnderWay, "the mark of a try is on disk", "\(id.count)")
      try check(
        state.isUnderWay || !one.isAccepted || state.tries == one.tries || row.isDead,
        "tries are counted", "\(id.count) after a crash")
      known[id]?.tries = state.tries + (state.isUnderWay ? 1 : 0)
      known[id]?.isOpen = false
      known[id]?.isAccepted = true
      known[id]?.notBefore = 0
    }
    try checkNotKept(disk)
    waiting = []
  }
}
