internal import BatonLasting

/// Tells the record of messages: what is known of one when it begins, and its end (the page of the record).
extension Router {
  mutating func takeRecordRule(_ rule: RecordRule?) {
    recorder.take(rule)
    announcements.records(recorder.isOn)
    judgeRecord()
  }

  /// Whether messages are refused, or wait, because of the record.
  mutating func judgeRecord() {
    setRefusal(.recordFails, recorder.isStrict && recorder.isFailing)
    setRefusal(.recordIsFull, recorder.isStrict && recorder.bytes >= settings.recordQueueBytes)
  }

  /// A walk begins that is recorded: what is there of its sender only now is noted.
  mutating func beginRecording(_ walk: Slot<Walk>) {
    let (identity, door) = namedSender(of: walk)
    traces[walks[walk].trace].way.begin(
      file: recorder.file, identity: identity == .nobody ? "" : identities[identity].name, door: door)
  }

  /// The identity of who has sent a message, `nobody` for those without one; and the door.
  mutating func namedSender(of walk: Slot<Walk>) -> (identity: Slot<Identity>, door: PeerDoor) {
    let sender = walks[walk].sender
    var (identity, door) = (Slot<Identity>.nobody, PeerDoor.lines)
    if connections.contains(sender) {
      (identity, door) = (connections[sender.slot].identity, connections[sender.slot].door)
    } else if identities.isAsked {
      identity = identities.find(DurableFrom.identity(walks[walk].message.from)) ?? .nobody
    }
    return (identity != .nobody && identities[identity].isAnonymous ? .nobody : identity, door)
  }

  /// A walk ends: the record is told, once. Returns the number under which its line is awaited; nil if its end need not wait.
  mutating func noteEndForRecord(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant
  ) -> Int? {
    let trace = walks[walk].trace
    guard traces[trace].way.isOn, !traces[trace].way.isNoted else { return nil }
    traces[trace].way.isNoted = true
    let attempt = walks[walk].attempt
    let account = attempt == .nobody ? walks[walk].account : desk.attempts[attempt].account
    guard recorder.isStrict || hasRoomInRecord(account) else {
      recorder.miss(at: now)
      return nil
    }
    let end = composeEnd(of: walk, outcome, by: by, at: now)
    spent &+= Cost.entry &+ Cost.copying(end.bytes.count)
    recorder.note(end, of: account == .nobody ? .none : accounts.ref(account), at: now)
    if account != .nobody { countRecordBytes(end.bytes.count, of: account) }
    judgeRecord()
    return recorder.isStrict ? recorder.noted : nil
  }

  /// What is kept of the end of a walk counts for its sender, as its trace does.
  mutating func keepBesideTrace(_ bytes: Int, of walk: Slot<Walk>) {
    walks[walk].traceBytes &+= UInt32(clamping: bytes)
  }

  /// Whether one more line may wait: there is room, and the account has less than its share. So who floods loses his own.
  private mutating func hasRoomInRecord(_ account: Slot<PeerAccount>) -> Bool {
    let free = settings.recordQueueBytes - recorder.bytes
    guard free > 0 else { return false }
    return account == .nobody || isBelowShare(accounts[account].recordBytes, ofFree: free)
  }

  private mutating func composeEnd(
    of walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant
  ) -> RecordedEnd {
    let trace = walks[walk].trace
    var head = RecordedEnd.Head()
    head.walk = walks[walk].number
    head.version = traces[trace].version
    head.file = traces[trace].way.file
    head.door = traces[trace].way.door.spelling
    head.isBroadcast = walks[walk].mode.isBroadcast
    head.isAll = walks[walk].mode == .all
    head.status = outcome.status.spelling
    if case .failed(let cause, _, _) = outcome { head.cause = cause.spelling }
    if walks[walk].attempt != .nobody {
      head.stored = desk.attempts[walks[walk].attempt].stored.text
      head.attempt = Int(desk.attempts[walks[walk].attempt].number)
      head.isFinal = outcome.status == .handled || outcome.status == .rejected
    }
    head.hops = walks[walk].hops
    head.isAgain = walks[walk].wasRepeated
    head.microseconds = Int(now.microseconds - walks[walk].began.microseconds)
    head.keyWait = traces[trace].keyWait.map { Int($0) }
    head.isTruncated = traces[trace].way.isTruncated
    let takesPayloads = recorder.rule?.takesPayloads == true
    let traceparent = quotedTraceparent(of: trace)
    defer { extendLifetime(traceparent) }
    return RecordedEnd(
      head,
      [
        chains[chainSentTo(by: walk)].name.bytes, traces[trace].way.identity.bytes, walks[walk].message.topicText,
        walks[walk].message.from, traceparent.bytes, by, walks[walk].message.key, traces[trace].way.steps.bytes,
        traces[trace].way.said.bytes, takesPayloads ? walks[walk].message.payload : .empty,
        takesPayloads ? walks[walk].message.meta : .empty, takesPayloads ? walks[walk].rewritten.bytes : .empty,
        traces[trace].way.rewritten.bytes,
      ])
  }

  /// The next of the ends that were told to the record is written. Returns its number; nil if none is on its way.
  mutating func settleNextEnd() -> Int? {
    guard let owed = recorder.settleNext() else { return nil }
    if accounts.contains(owed.account) { countRecordBytes(-owed.bytes, of: owed.account.slot) }
    return recorder.written
  }

  /// So many more ends are written. Returns whether a job has to settle them: none does yet.
  mutating func confirmEnds(_ count: Int) -> Bool {
    recorder.confirm(count)
    defer { recorder.isListed = true }
    return !recorder.isListed
  }

  mutating func endSettling() {
    recorder.isListed = false
    judgeRecord()
  }

  /// The server ends before the line of an end is written: nobody is told that end.
  mutating func noteUntold() { recorder.untold += 1 }

  /// A head was written: those who listen may keep it elsewhere.
  mutating func announceHead(_ payload: String) {
    if announcements.isHeard(.recordHead) {
      announcements.note(Announcement(topic: .recordHead, payload: payload, audience: .everybody))
    }
  }
}
