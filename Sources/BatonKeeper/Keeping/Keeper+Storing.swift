package import BatonLasting

extension Keeper {
  /// Every write up to this number is on disk, as it is after `synchronous=FULL`.
  package mutating func storedUpTo(_ number: UInt64) {
    guard number > storedNumber, number <= self.number else { return }
    storedNumber = number
    (failingSince, isProbing) = (nil, false)
  }

  /// A commit of this generation has failed, and nothing of this generation will be written any more.
  package mutating func failed(generation: UInt64) {
    guard generation == self.generation else { return }
    self.generation += 1
    if failingSince == nil { failingSince = now }
    (isProbing, mayWrite, probeAt) = (false, false, now + 1000)
    staying.lose()
    // What is stored already keeps its number, until its effects have been carried out.
    var place = 0
    while place < sent, let entry = unstored[place], entry.number <= storedNumber { place += 1 }
    for index in place..<max(place, sent) {
      guard var mark = unstored[index] else { continue }
      sentBytes -= mark.bytes
      (mark.hasFailed, mark.number) = (true, 0)
      unstored[index] = mark
    }
    sent = place
  }

  private static let writesPerStep = 8

  /// More than other steps: each request of a turn brings a write, and what waits must not grow.
  var writesPerTurn: Int { mutating get { limits.stepsPerTurn * Keeper.writesPerStep } }

  mutating func write(_ change: StoreChange) {
    let one = Unstored(change)
    resultBytes += one.mark.resultBytes
    queue(one)
  }

  /// It is the next for the store.
  mutating func queue(_ one: consuming Unstored) {
    unstoredBytes += one.mark.bytes
    writes += 1
    unstored.append(one)
  }

  /// Whether the store has as much in hand as it gets at once: a commit of all that comes in a flood would make everybody
  /// wait, and the log of the file would grow by it.
  var isStoreFull: Bool { mutating get { sentBytes >= limits.bytesAtOnce } }

  /// What is on disk takes effect, in order.
  mutating func carryOutStored() {
    var left = writesPerTurn
    while left > 0, let mark = unstored[0], mark.number != 0, mark.number <= storedNumber {
      guard let change = unstored.removeFirst() else { return }
      sent -= 1
      sentBytes -= mark.bytes
      unstoredBytes -= mark.bytes
      resultBytes -= mark.resultBytes
      // A message that dies is told to many, and a hundred thousand may expire at the same instant.
      if case .dead = change { left -= Keeper.writesPerStep } else { left -= 1 }
      carryOut(change, of: mark.row)
    }
  }

  private mutating func carryOut(_ change: StoreChange, of row: UInt64) {
    switch change {
    case .insert: inserted(row)
    case .state(_, let state, _): if state.isUnderWay { marked(row) }
    case .end(_, let result, _): ended(row, result.told)
    case .dead(_, _, let result): died(row, result?.told)
    case .resend(_, _, let old, _): resent(row, old)
    case .discard: discarded(row)
    case .remove: refuseStored(row)
    case .forget, .stays, .log: break
    }
  }

  /// While commits fail, what waits is written in one attempt each second. If nothing waited, the next change finds out.
  mutating func beginAttempt() {
    if failingSince != nil, mayWrite, !isProbing { failingSince = nil }
    mayWrite = failingSince == nil || !isProbing && now >= probeAt && sent == 0 && staying.isEmpty
  }

  /// Gives the store what waits.
  mutating func sendWrites() {
    guard mayWrite else { return }
    for _ in 0..<writesPerTurn {
      guard !isStoreFull, var mark = unstored[sent], let change = changeToSend(&mark) else { return }
      if failingSince != nil { isProbing = true }
      number += 1
      mark.number = number
      unstored[sent] = mark
      sent += 1
      sentBytes += mark.bytes
      outputs.append(.write(StoreWrite(generation: generation, number: number, change: change)))
    }
  }

  /// The first change that the store does not have, as it is given to it.
  private mutating func changeToSend(_ mark: inout Unstored.Mark) -> StoreChange? {
    guard let change = unstored.change(sent) else { return nil }
    let final: StoreChange
    // From when it is given to the store, the name of a message that leaves is remembered for its time: it may have waited
    // long for the disk.
    switch change {
    // Whether it is kept is not certain; after this it is: it is not.
    case .insert where mark.hasFailed:
      unstoredBytes -= mark.bytes
      mark.bytes = 0
      final = .remove(mark.row)
    case .end(let row, let result, .some): final = .end(row, result: result, rememberedUntil: rememberedUntil(row))
    case .discard(let row, _): final = .discard(row, rememberedUntil: rememberedUntil(row) ?? wall)
    case .resend(let message, let content, let old, _):
      final = .resend(message, content, old: old, rememberedUntil: rememberedUntil(old) ?? wall)
    default: return change
    }
    unstored.replace(sent, by: final)
    return final
  }

  /// Nil if the message has no name.
  private mutating func rememberedUntil(_ row: UInt64) -> Int64? {
    guard let message = rows.find(row), messages[message].once != .none else { return nil }
    return wall + Int64(onces[messages[message].once].rememberedMilliseconds)
  }

  /// Whether the store has as much to read as it gets at once: its commits wait for what it reads before them.
  private var isReading: Bool { mutating get { askedBytes >= limits.bytesReadAtOnce } }

  /// Whether as much is to be read already. The tries after it are chosen when there is room: in their order, then.
  var hasEnoughToRead: Bool { mutating get { wantedBytes >= limits.bytesReadAtOnce } }

  /// Whether something can be asked of the store as soon as its time has come.
  var canLoad: Bool { mutating get { !isReading && loads[asked].map { $0.after <= sentWrites } ?? false } }

  mutating func sendLoads() {
    guard failingSince == nil else { return }
    for _ in 0..<limits.stepsPerTurn {
      guard canLoad, let load = loads[asked] else { return }
      asked += 1
      askedBytes += load.bytes
      outputs.append(.load(load.row))
    }
  }

  mutating func wantContent(_ message: Place<MessageRecord>) {
    guard !messages[message].isLoading else { return }
    messages[message].isLoading = true
    wantLoad(of: message)
  }

  mutating func wantLoad(of message: Place<MessageRecord>) {
    let bytes = byteCount(of: message)
    wantedBytes += bytes
    loads.append(WantedLoad(row: messages[message].row, after: writes, bytes: bytes))
  }

  /// The disk does not give it now.
  private mutating func notRead(_ message: Place<MessageRecord>) {
    switch messages[message].state {
    case .marking:
      messages[message].isLoading = false
      putOff(message)
    case .leaving:
      messages[message].isLoading = false
      if let request = deadRequests[message] { refuse(request, of: message, .unreadable) }
      countUnreadableNoMore(message)
    default: setTimer(message, at: now + 1000)
    }
  }

  /// It was read, or nobody wants to any more.
  mutating func countUnreadableNoMore(_ message: Place<MessageRecord>) {
    guard messages[message].failedLoads > 0 else { return }
    messages[message].failedLoads = 0
    unreadable -= 1
  }

  /// The store has read the first of what it was asked for.
  private mutating func hasRead() {
    guard asked > 0, let load = loads.removeFirst() else { return }
    asked -= 1
    askedBytes -= load.bytes
    wantedBytes -= load.bytes
  }

  /// A disk that is away for some seconds costs no message. One that does not give it for longer has lost it.
  private static let mostFailedLoads = 10

  /// The store's answer to a `load`: one to each, in their order. `isKeyBusy` is as in `DurableMessage`: a dead letter that is
  /// sent again comes to its key now, and its content says which one that is.
  package mutating func loaded(_ row: UInt64, _ found: Loaded, isKeyBusy: Bool = false) {
    hasRead()
    guard let message = rows.find(row), messages[message].isLoading else { return }
    if case .failed = found, messages[message].failedLoads < Self.mostFailedLoads {
      if messages[message].failedLoads == 0 { unreadable += 1 }
      messages[message].failedLoads += 1
      return notRead(message)
    }
    // It may lack what the failed commit had: it is asked again when all is written.
    if failingSince != nil { return wantLoad(of: message) }
    countUnreadableNoMore(message)
    messages[message].isLoading = false
    switch messages[message].state {
    case .marking: contentCame(message, found)
    case .dying:
      guard case .content(_, let result, _) = found else { return becomeDead(message, result: nil) }
      becomeDead(message, result: result.map { fit($0, of: message) })
    case .leaving: letterCame(message, found, isKeyBusy: isKeyBusy)
    default: break
    }
  }

  /// Whether everything is on disk, and no try and no request for a dead letter is open: a server that drains can end.
  package var isQuiet: Bool {
    unstored.isEmpty && turns.isEmpty && openTries == 0 && begins.isEmpty && deadRequests.isEmpty
  }
}
