import BatonLasting
import DoorKit
import WorldKit

/// What the store is given, and what of it comes to the disk.
extension Judge {
  func given(_ job: StoreJob) {
    guard case .write(let write) = job else { return }
    // What stays comes once more in another order, or not at all.
    if case .stays = write.change { return untoldStaying.append(write.number) }
    untold.append(write.number)
    if repeats > 0 {
      repeats -= 1
      return givenAgain(write.change)
    }
    switch write.change {
    case .insert(let message, let content, _): inserted(message, content)
    case .state(let row, let state, let result): changed(row, state, result)
    case .end(let row, let result, _): ended(row, result.written)
    case .dead(let row, let state, let result): died(row, state, result?.written)
    case .resend(let message, let content, let old, _): resent(message, content, old)
    case .discard(let row, _): left(row)
    case .remove(let row): removed(row)
    case .forget(_, let row): forgotten(row)
    case .stays, .log: break
    }
  }

  private func givenAgain(_ change: StoreChange) {
    switch change {
    case .remove(let row): removed(row)
    case .end(let row, _, _), .discard(let row, _), .resend(_, _, let row, _):
      // A commit that failed may have left it on the disk, with the time that it had.
      if let name = nameOfRow[row], messages[name]?.endOnDisk == nil { messages[name]?.leaves(at: now, wall: wall) }
    default: break
    }
  }

  /// The keeper knows that writes up to this number are on disk.
  func told(upTo number: UInt64) {
    if (untold + untoldStaying).contains(where: { $0 <= number }) { isFailing = false }
    untold.removeAll { $0 <= number }
    untoldStaying.removeAll { $0 <= number }
  }

  /// A commit has failed: what is not known to be stored comes once more, in its order.
  func failed() {
    repeats += untold.count
    (untold, untoldStaying, isFailing) = ([], [], true)
  }

  private func one(_ row: UInt64, _ what: String) -> String? {
    check(nameOfRow[row] != nil, "only what was sent is written", "\(what) of \(row)")
    return nameOfRow[row]
  }

  private func inserted(_ row: StoredMessage, _ content: DurableContent) {
    let name = String(decoding: row.id.text, as: UTF8.self)
    check(messages[name] == nil, "a name is never used twice", name)
    let mark = Int(String(decoding: content.payload, as: UTF8.self)) ?? -1
    // It is written in the turn of its line: the first one of those that ask for it, if its peer is still there.
    let asking = requests.indices.filter {
      requests[$0].mark == mark && requests[$0].kind == .durable && !requests[$0].isOver && requests[$0].accepted == nil
        && !requests[$0].hasRow
    }
    let request = asking.first { !requests[$0].isExcused } ?? asking.last
    guard let sent = sent[mark], let request else {
      return check(false, "only what was sent is written", "\(name), payload \(mark)")
    }
    let identity = String(decoding: row.identity, as: UTF8.self)
    check(identity == sent.identity && row.rules == sent.rules, "it is stored as it was sent", name)
    checkRoom(for: sent, bytes: row.byteCount, name)
    if row.state.isUnderWay { checkWindow(sent.chain, name) }
    if let once = sent.once { remember(name, identity + "/" + once) }
    requests[request].hasRow = true
    var one = Message(
      row: row.row, mark: mark, sent: sent, order: request, begunAt: begun(row, by: request, name),
      acceptedAt: row.acceptedAt, tries: 0)
    one.askedBefore = nextID
    if row.state.isUnderWay { one.forgetTry(isOpen: true, at: step) }
    add(one, name)
  }

  /// When the time of a message began: after it was asked for, and before the store was given it.
  private func begun(_ row: StoredMessage, by request: Int, _ name: String) -> Int {
    let begun = now - Int(wall - row.acceptedAt)
    check((requests[request].saidAt...now).contains(begun), "time counts from acceptance", "\(name), \(begun)")
    return begun
  }

  /// A name of once is free, or was forgotten.
  private func remember(_ name: String, _ once: String) {
    if let old = known[once], let other = messages[old] {
      let isForgotten = other.leftAt.map { now >= $0 + settings.rememberedMilliseconds } ?? false
      let wasKept = other.endOnDisk != .refused && other.endOnDisk != .never
      check(isForgotten || !wasKept, "once is once", "\(old) and \(name)")
    }
    known[once] = name
  }

  private func add(_ one: Message, _ name: String) {
    messages[name] = one
    nameOfRow[one.row] = name
    alive.insert(name)
  }

  private func resent(_ row: StoredMessage, _ content: DurableContent, _ old: UInt64) {
    let name = String(decoding: row.id.text, as: UTF8.self)
    guard let oldName = one(old, "resend"), let dead = messages[oldName] else { return }
    check(messages[name] == nil, "a name is never used twice", name)
    check(dead.endOnDisk == .dead && dead.end == .dead, "only dead letters are sent again", oldName)
    let mark = Int(String(decoding: content.payload, as: UTF8.self)) ?? -1
    check(sent[mark] != nil, "only what was sent is written", "\(name), payload \(mark)")
    let asked = requests.lastIndex { $0.kind == .resend && $0.stored == oldName }
    check(asked != nil, "only what was sent is written", "\(name), a resend")
    var one = Message(
      row: row.row, mark: mark, sent: dead.sent, order: nextID, isResent: true,
      begunAt: begun(row, by: asked ?? 0, name), acceptedAt: row.acceptedAt, tries: 0)
    one.mustSayAgain = true
    add(one, name)
    left(old)
    reach("resent")
  }

  private func left(_ row: UInt64) {
    guard let name = one(row, "discard") else { return }
    check(messages[name]?.endOnDisk == .dead, "only dead letters leave", name)
    messages[name]?.end = .left
    messages[name]?.leaves(at: now, wall: wall)
  }

  private func removed(_ row: UInt64) {
    guard let name = one(row, "remove") else { return }
    check(messages[name]?.isTold == false, "what was accepted is not refused", name)
    messages[name]?.end = .refused
  }

  private func forgotten(_ row: UInt64) {
    guard let name = nameOfRow[row], let one = messages[name], let leftAt = one.leftAt else { return }
    check(now >= leftAt + settings.rememberedMilliseconds, "a name of once is remembered", name)
    messages[name]?.forgottenAt = now
  }

  // MARK: The disk

  func committed(_ change: StoreChange) {
    switch change {
    case .insert(let message, _, _):
      if let name = nameOfRow[message.row] { messages[name]?.isOnDisk = true }
      onDisk(message.row, message.state, nil)
    case .state(let row, let state, let result): onDisk(row, state, result)
    case .end(let row, _, let until): over(row, .ended, until)
    case .dead(let row, let state, let result):
      onDisk(row, state, result?.written)
      over(row, .dead)
    case .resend(let message, _, let old, let until):
      over(old, .left, until)
      if let name = nameOfRow[message.row] { messages[name]?.isOnDisk = true }
    case .discard(let row, let until): over(row, .left, until)
    case .remove(let row): over(row, .refused)
    case .forget, .stays, .log: break
    }
  }

  private func onDisk(_ row: UInt64, _ state: TryState, _ result: [UInt8]?) {
    guard let name = nameOfRow[row] else { return }
    messages[name]?.isMarkOnDisk = state.isUnderWay
    messages[name]?.triesOnDisk = state.tries
    if let status = result.flatMap({ SaidLine($0).text("status") }) { messages[name]?.statusOnDisk = status }
  }

  /// `until`: so long its name is kept, as it is on disk; the same was perhaps given once more, with another time.
  private func over(_ row: UInt64, _ end: Message.End, _ until: Int64? = nil) {
    guard let name = nameOfRow[row] else { return }
    if let until { messages[name]?.leftWall = until - Int64(settings.rememberedMilliseconds) }
    messages[name]?.endOnDisk = end
    alive.remove(name)
  }
}
