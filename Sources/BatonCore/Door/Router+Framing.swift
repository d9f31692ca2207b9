internal import CScan

/// Makes lines out of bytes (contract, section 2).
extension Router {
  /// Takes the bytes that a peer has sent. If the server does not read from the peer now, they are kept for later.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].phase == .open, bytes.count > 0 else { return }
    noteHeard(connection, at: now)
    guard connections[connection].unfinished.hasSpoken || speaksJSONLines(bytes, connection, at: now) else { return }
    if connections[connection].backlog.isEmpty {
      frame(bytes, from: connection, at: now)
      parkIfInDebt(connection)
    } else {
      keepBacklog(bytes, of: connection, at: now)
    }
  }

  /// Takes line after line as long as the server reads from the connection, and as long as the connection has credit. A
  /// line may end both: its replies may fill the outbox, and it costs.
  private mutating func frame(_ bytes: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) {
    // What its lines cost is noted in `spent`, and paid together.
    spent = 0
    payer = connection
    takeLines(bytes, from: connection, within: allowance(of: connection), at: now)
    payer = .nobody
    pay(0, by: connection)
  }

  private mutating func takeLines(
    _ bytes: UnsafeRawBufferPointer, from connection: Slot<Connection>, within allowance: Int, at now: Instant
  ) {
    guard let base = bytes.baseAddress else { return }
    var start = 0
    while start < bytes.count, connections[connection].phase == .open {
      guard connections[connection].isToBeRead else {
        return keepBacklog(bytes.part(start, bytes.count), of: connection, at: now)
      }
      // A message that waits on its way holds up what its sender has sent behind it: so replies keep their order.
      guard spent < allowance, connections[connection].sending.firstParked == .nobody else {
        return keepForTurn(bytes.part(start, bytes.count), of: connection)
      }
      let rest = bytes.count - start
      let length = cscan_line_feed((base + start).assumingMemoryBound(to: UInt8.self), rest)
      if length == rest { return keep(bytes.part(start, bytes.count), of: connection, at: now) }
      if connections[connection].unfinished.pending.isEmpty {
        if isTooLong(length + 1, for: connection) { return refuseLong(connection, at: now) }
        if length > Router.strangersLine, mustWaitForAll(connection) {
          return keepForTurn(bytes.part(start, bytes.count), of: connection)
        }
        let line = UnsafeRawBufferPointer(start: base + start, count: length)
        spent &+= Cost.reading(length)
        guard takeLine(line, from: connection, at: now) else { continue }
      } else {
        finishLine(UnsafeRawBufferPointer(start: base + start, count: length + 1), of: connection, at: now)
      }
      start += length + 1
      // The line has to wait, and what follows waits behind it.
      if !connections[connection].backlog.isEmpty {
        return keepBacklog(bytes.part(start, bytes.count), of: connection, at: now)
      }
    }
  }

  /// Keeps bytes that came while the server does not read from the connection. They count with the unfinished lines.
  private mutating func keepBacklog(_ bytes: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant) {
    if keepForLater(bytes, of: connection, at: now) { limitUnfinished(of: connection, at: now) }
  }

  /// Lets the connections that wait for their turn go on, each with its credit, until this turn has no room left.
  /// Connections that wait for room are resumed one after the other, as long as there is some.
  mutating func serveParked(at now: Instant) {
    var left = parked.count
    while sharedCredit > 0 {
      if parked.isEmpty {
        letIn(at: now)
        left = parked.count
      }
      guard left > 0, let next = unparkNext() else { return }
      left -= 1
      if next != .nobody { goOn(next, at: now) }
    }
  }

  /// The turn of a connection has come: first its messages that wait on their way go on, then its kept bytes are taken.
  private mutating func goOn(_ connection: Slot<Connection>, at now: Instant) {
    spent = 0
    payer = connection
    while mayWork(connection), connections[connection].sending.firstParked != .nobody {
      walkFurther(connections[connection].sending.firstParked, at: now)
      endStep(at: now)
    }
    payer = .nobody
    pay(0, by: connection)
    if connections[connection].sending.firstParked != .nobody { return park(connection) }
    markChanged(connection)
    guard connections[connection].phase == .open, connections[connection].isToBeRead else { return }
    guard allowance(of: connection) > 0 else { return park(connection) }
    let kept = takeOutBacklog(of: connection)
    frame(kept.bytes, from: connection, at: now)
    extendLifetime(kept)
    if connections[connection].backlog.isEmpty, connections[connection].hasEnded { halfClose(connection, at: now) }
    parkIfInDebt(connection)
  }

  /// A connection that has used up its credit is not read from until its next turn.
  private mutating func parkIfInDebt(_ connection: Slot<Connection>) {
    if connections[connection].phase == .open, allowance(of: connection) <= 0 { park(connection) }
  }

  /// Whether the peer speaks JSON lines. The first byte other than white space decides. If it does not, the connection
  /// is ended.
  private mutating func speaksJSONLines(
    _ bytes: UnsafeRawBufferPointer, _ connection: Slot<Connection>, at now: Instant
  ) -> Bool {
    guard let at = bytes.firstIndex(where: { !BlankLine.isSpace($0) }) else { return true }
    connections[connection].unfinished.noteSpoken()
    if bytes[at] == UInt8(ascii: "{") || bytes[at] == UInt8(ascii: "#") { return true }
    sever(
      connection, .notJSONLines,
      says: "this is a Baton server: each line must be a JSON object and begin with {; the first byte that came is "
        + "\(bytes[at]) (is it HTTP or TLS?)", at: now)
    return false
  }

  /// Keeps the beginning of a line.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant) {
    if isTooLong(connections[connection].unfinished.pending.count + bytes.count + 1, for: connection) {
      return refuseLong(connection, at: now)
    }
    keepBeginning(bytes, of: connection, at: now)
    limitUnfinished(of: connection, at: now)
  }

  /// Adds the end of a line, with its LF, to its beginning, and takes the line.
  private mutating func finishLine(_ end: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant) {
    var whole = takeOutBeginning(of: connection)
    if isTooLong(whole.count + end.count, for: connection) { return refuseLong(connection, at: now) }
    whole.append(end)
    if !takeLine(whole.bytes.part(0, whole.count - 1), from: connection, at: now) {
      keepBacklog(whole.bytes, of: connection, at: now)
      if connections[connection].isToBeRead { park(connection) }
    }
    spent &+= Cost.reading(whole.count)
    extendLifetime(whole)
  }

  /// Whether a line of so many bytes, with its LF, is too long. Strangers have shorter lines (contract, section 11).
  @inline(__always)
  private mutating func isTooLong(_ count: Int, for connection: Slot<Connection>) -> Bool {
    count > settings.maxLine || count > Router.strangersLine && connections[connection].isStranger
  }

  private mutating func refuseLong(_ connection: Slot<Connection>, at now: Instant) {
    if connections[connection].isStranger {
      if connections[connection].door == .request { return requireToken(from: connection, at: now) }
      return sever(
        connection, .lineTooLong,
        says: "a line is longer than \(Router.strangersLine) bytes; say first who you are, with "
          + "{\"op\":\"hello\",\"token\":…}", at: now)
    }
    sever(
      connection, .lineTooLong, setting: "max_line",
      says: "a line is longer than \(settings.maxLine) bytes; send shorter lines, or raise max_line", at: now)
  }

  /// The unfinished lines of all connections have a limit, and one connection has a share of it. Above them, connections
  /// are ended, the worst first.
  private mutating func limitUnfinished(of connection: Slot<Connection>, at now: Instant) {
    while unfinishedBytes > settings.maxUnfinishedBytes
      || connections[connection].unfinishedBytes > 0 && !hasShareOfUnfinishedBytes(connection)
    {
      // While a lowered limit sinks, each piece of a line ends one connection at most.
      guard endWorstLine(at: now), sinking == nil else { return }
    }
  }

  /// Ends the connection for which bytes × age of its unfinished lines are most: neither an honest long line nor an old
  /// short one. Among equals it is the one that connected first. Returns false if there is none.
  private mutating func endWorstLine(at now: Instant) -> Bool {
    var worst: (weight: Double, number: Int, slot: Slot<Connection>)?
    for index in connections.slots where connections.isTaken(index) {
      let bytes = connections[index].unfinishedBytes
      guard bytes > 0 else { continue }
      let age = now.microseconds - connections[index].unfinished.began.microseconds
      let weight = Double(bytes) * Double(max(0, age) + 1000)
      let number = connections[index].number
      if let worst, worst.weight > weight || worst.weight == weight && worst.number < number { continue }
      worst = (weight, number, index)
    }
    spent &+= connections.count
    guard let worst else { return false }
    let age = max(0, now.milliseconds(since: connections[worst.slot].unfinished.began))
    sever(
      worst.slot, .lineTimeout, setting: "max_unfinished_bytes",
      says: "the unfinished lines of all connections take \(unfinishedBytes) bytes, and \(settings.maxUnfinishedBytes) "
        + "are allowed (max_unfinished_bytes); this connection has \(connections[worst.slot].unfinishedBytes) of them, "
        + "and has had them for \(age) ms; end lines sooner", at: now)
    return true
  }
}
