/// The turns of what waits at a link (contract, section 5, `Turns`): identities take turns, one message each, and within
/// them connections do. What waits is in three lists: in the order in which it came, in its row, and its row in the
/// circles of turns. Each step costs the same, however many wait.
extension Router {
  /// The walk that is offered next at a link, or `nobody`. Repeated messages are ahead of all turns.
  @inline(__always)
  mutating func nextWaiting(at link: Slot<Link>) -> Slot<Walk> {
    let first = links[link].firstWaiting
    guard first != .nobody, walks[first].row != .nobody else { return first }
    return waitingTurns[waitingTurns[links[link].firstTurn].first].firstWalk
  }

  /// Whether one more message may wait at a link. Its queue has limits, of which an account may have as much as is free,
  /// and a connection as much as its account still may.
  @inline(__always)
  mutating func hasRoomToWait(_ walk: Slot<Walk>, in row: Slot<WaitingRow>, at link: Slot<Link>) -> Bool {
    guard isQueueNotFull(link, for: walks[walk].bytes) else { return false }
    return isQueueNearlyEmpty(link) || hasShareOfQueue(waitingAccount(of: walk), in: row, at: link)
  }

  /// The same for a message that a connection would send; for anybody's, if that is `nobody`.
  mutating func hasRoomToWait(bytes: Int, of sender: Slot<Connection>, at link: Slot<Link>) -> Bool {
    guard isQueueNotFull(link, for: bytes) else { return false }
    guard sender != .nobody else { return true }
    return hasShareOfQueue(connections[sender].account, in: waitingTurns.find(sender, at: link), at: link)
  }

  @inline(__always)
  private mutating func isQueueNotFull(_ link: Slot<Link>, for bytes: Int) -> Bool {
    links[link].waiting < settings.maxQueueMessages && links[link].waitingBytes + bytes <= settings.maxQueueBytes
  }

  /// Whether everybody has room, also if one has all that waits there.
  @inline(__always)
  private mutating func isQueueNearlyEmpty(_ link: Slot<Link>) -> Bool {
    links[link].waiting < settings.maxQueueMessages / 4 && links[link].waitingBytes < settings.maxQueueBytes / 4
  }

  @inline(never)
  private mutating func hasShareOfQueue(
    _ account: Slot<PeerAccount>, in row: Slot<WaitingRow>, at link: Slot<Link>
  ) -> Bool {
    if isAnonymous(account), !haveAnonymousShare(of: link) { return false }
    let turn = row == .nobody ? waitingTurns.find(account, at: link) : waitingTurns[row].turn
    guard turn != .nobody else { return true }
    let isAlone = row == .nobody || waitingTurns[row].sender == .nobody
    return isWithinShare(
      waitingTurns[turn].waiting, ofWhich: isAlone ? 0 : waitingTurns[row].waiting,
      ofFree: settings.maxQueueMessages - links[link].waiting)
      && isWithinShare(
        waitingTurns[turn].bytes, ofWhich: isAlone ? 0 : waitingTurns[row].bytes,
        ofFree: settings.maxQueueBytes - links[link].waitingBytes)
  }

  /// Whether all anonymous together have less than their share of what waits at a link.
  private mutating func haveAnonymousShare(of link: Slot<Link>) -> Bool {
    isBelowShare(links[link].waitingOfAnonymous, ofFree: settings.maxQueueMessages - links[link].waiting)
      && isBelowShare(links[link].waitingBytesOfAnonymous, ofFree: settings.maxQueueBytes - links[link].waitingBytes)
  }

  private mutating func isAnonymous(_ account: Slot<PeerAccount>) -> Bool {
    account != .nobody && accounts[account].isAnonymous
  }

  /// A message more waits in a row, with so many bytes; or one fewer.
  @inline(__always)
  private mutating func countRow(_ row: Slot<WaitingRow>, _ more: Int, bytes: Int) {
    guard waitingTurns.count(row, more, bytes: bytes) else { return }
    links[waitingTurns[row].link].waitingOfAnonymous += more
    countWaitingBytesOfAnonymous(bytes, at: waitingTurns[row].link)
  }

  /// Whether an account with so much has less than its share, and its connection less than what the account still may have.
  private mutating func isWithinShare(_ own: Int, ofWhich part: Int, ofFree free: Int) -> Bool {
    isBelowShare(own, ofFree: free) && (part == 0 || part < share(ofFree: free) - own)
  }

  /// The row in which a walk would wait at a link; `nobody` if nothing of its sender waits there.
  @inline(__always)
  mutating func waitingRow(of walk: Slot<Walk>, at link: Slot<Link>) -> Slot<WaitingRow> {
    let sender = waitingSender(of: walk)
    guard sender != .nobody else { return leftRow(of: walk, at: link) }
    let first = connections[sender].sending.firstWaitingRow
    if first == .nobody { return .nobody }
    return waitingTurns[first].link == link ? first : waitingTurns.find(sender, at: link)
  }

  private mutating func leftRow(of walk: Slot<Walk>, at link: Slot<Link>) -> Slot<WaitingRow> {
    let turn = waitingTurns.find(waitingAccount(of: walk), at: link)
    return turn == .nobody ? .nobody : waitingTurns[turn].lastLeft
  }

  /// The connection in whose row a walk waits; `nobody` if it has gone or ended its side, and for a
  /// try of a stored message.
  @inline(__always)
  private mutating func waitingSender(of walk: Slot<Walk>) -> Slot<Connection> {
    let sender = walks[walk].sender
    return connections.contains(sender) && connections[sender.slot].phase == .open ? sender.slot : .nobody
  }

  /// In whose turn a walk waits.
  private mutating func waitingAccount(of walk: Slot<Walk>) -> Slot<PeerAccount> {
    let attempt = walks[walk].attempt
    return attempt == .nobody ? walks[walk].account : desk.attempts[attempt].account
  }

  /// A walk begins to wait in a row, as its last one; in a new row if that is `nobody`.
  @inline(__always)
  mutating func joinRow(_ found: Slot<WaitingRow>, _ walk: Slot<Walk>, at link: Slot<Link>) {
    let row = found == .nobody ? makeRow(for: walk, at: link) : found
    let last = waitingTurns[row].lastWalk
    walks[walk].row = row
    walks[walk].previousInRow = last
    walks[walk].nextInRow = .nobody
    if last != .nobody { walks[last].nextInRow = walk } else { waitingTurns[row].firstWalk = walk }
    waitingTurns[row].lastWalk = walk
    countRow(row, 1, bytes: walks[walk].bytes)
  }

  @inline(never)
  private mutating func makeRow(for walk: Slot<Walk>, at link: Slot<Link>) -> Slot<WaitingRow> {
    let account = waitingAccount(of: walk)
    var turn = waitingTurns.find(account, at: link)
    if turn == .nobody {
      turn = waitingTurns.insert(account, isAnonymous: isAnonymous(account), at: link)
      appendTurn(turn, at: link)
    }
    let sender = waitingSender(of: walk)
    let row = waitingTurns.insert(sender, in: turn)
    appendRow(row, in: turn)
    guard sender != .nobody else {
      waitingTurns[turn].firstLeft = row
      waitingTurns[turn].lastLeft = row
      return row
    }
    let first = connections[sender].sending.firstWaitingRow
    waitingTurns[row].nextOfSender = first
    if first != .nobody { waitingTurns[first].previousOfSender = row }
    connections[sender].sending.firstWaitingRow = row
    return row
  }

  /// A walk does not wait in its row any more.
  @inline(__always)
  mutating func leaveRow(_ walk: Slot<Walk>) {
    let row = walks[walk].row
    guard row != .nobody else { return }
    let (previous, next) = (walks[walk].previousInRow, walks[walk].nextInRow)
    if previous != .nobody { walks[previous].nextInRow = next } else { waitingTurns[row].firstWalk = next }
    if next != .nobody { walks[next].previousInRow = previous } else { waitingTurns[row].lastWalk = previous }
    walks[walk].row = .nobody
    countRow(row, -1, bytes: -walks[walk].bytes)
    if waitingTurns[row].firstWalk == .nobody { dropRow(row) }
  }

  /// A walk gets its offer: its row is the last of its turn from now on, and its turn the last of the link.
  @inline(__always)
  mutating func takeTurn(of walk: Slot<Walk>, at link: Slot<Link>) {
    let row = walks[walk].row
    guard row != .nobody else { return }
    let turn = waitingTurns[row].turn
    if waitingTurns[row].next != .nobody {
      takeOutRow(row, of: turn)
      appendRow(row, in: turn)
    }
    if waitingTurns[turn].next != .nobody {
      takeOutTurn(turn, of: link)
      appendTurn(turn, at: link)
    }
  }

  /// Nothing waits in the row any more.
  @inline(never)
  private mutating func dropRow(_ row: Slot<WaitingRow>) {
    let turn = waitingTurns[row].turn
    let (before, behind) = (waitingTurns[row].previousOfSender, waitingTurns[row].nextOfSender)
    let sender = waitingTurns[row].sender
    if before != .nobody { waitingTurns[before].nextOfSender = behind }
    if behind != .nobody { waitingTurns[behind].previousOfSender = before }
    if sender != .nobody {
      if before == .nobody { connections[sender].sending.firstWaitingRow = behind }
      takeOutRow(row, of: turn)
    } else {
      if behind == .nobody { waitingTurns[turn].lastLeft = before }
      if before == .nobody {
        waitingTurns[turn].firstLeft = behind
        if behind != .nobody { insertRow(behind, before: row, in: turn) }
        takeOutRow(row, of: turn)
      }
    }
    waitingTurns.remove(row)
    guard waitingTurns[turn].first == .nobody else { return }
    takeOutTurn(turn, of: waitingTurns[turn].link)
    waitingTurns.remove(turn)
  }

  /// The connection of its first row has gone: all that such connections left in a turn is one row of it.
  mutating func leaveFirstRow(of connection: Slot<Connection>) {
    let row = connections[connection].sending.firstWaitingRow
    let turn = waitingTurns[row].turn
    let next = waitingTurns[row].nextOfSender
    connections[connection].sending.firstWaitingRow = next
    if next != .nobody { waitingTurns[next].previousOfSender = .nobody }
    waitingTurns.leave(row)
    let last = waitingTurns[turn].lastLeft
    waitingTurns[row].previousOfSender = last
    waitingTurns[row].nextOfSender = .nobody
    waitingTurns[turn].lastLeft = row
    if last == .nobody {
      waitingTurns[turn].firstLeft = row
    } else {
      waitingTurns[last].nextOfSender = row
      takeOutRow(row, of: turn)
    }
  }

  // MARK: Circles

  private mutating func appendRow(_ row: Slot<WaitingRow>, in turn: Slot<WaitingTurn>) {
    let last = waitingTurns[turn].last
    waitingTurns[row].previous = last
    waitingTurns[row].next = .nobody
    if last != .nobody { waitingTurns[last].next = row } else { waitingTurns[turn].first = row }
    waitingTurns[turn].last = row
  }

  private mutating func insertRow(_ row: Slot<WaitingRow>, before other: Slot<WaitingRow>, in turn: Slot<WaitingTurn>) {
    let previous = waitingTurns[other].previous
    waitingTurns[row].previous = previous
    waitingTurns[row].next = other
    waitingTurns[other].previous = row
    if previous != .nobody { waitingTurns[previous].next = row } else { waitingTurns[turn].first = row }
  }

  private mutating func takeOutRow(_ row: Slot<WaitingRow>, of turn: Slot<WaitingTurn>) {
    let (previous, next) = (waitingTurns[row].previous, waitingTurns[row].next)
    if previous != .nobody { waitingTurns[previous].next = next } else { waitingTurns[turn].first = next }
    if next != .nobody { waitingTurns[next].previous = previous } else { waitingTurns[turn].last = previous }
  }

  private mutating func appendTurn(_ turn: Slot<WaitingTurn>, at link: Slot<Link>) {
    let last = links[link].lastTurn
    waitingTurns[turn].previous = last
    waitingTurns[turn].next = .nobody
    if last != .nobody { waitingTurns[last].next = turn } else { links[link].firstTurn = turn }
    links[link].lastTurn = turn
  }

  private mutating func takeOutTurn(_ turn: Slot<WaitingTurn>, of link: Slot<Link>) {
    let (previous, next) = (waitingTurns[turn].previous, waitingTurns[turn].next)
    if previous != .nobody { waitingTurns[previous].next = next } else { links[link].firstTurn = next }
    if next != .nobody { waitingTurns[next].previous = previous } else { links[link].lastTurn = previous }
  }
}
