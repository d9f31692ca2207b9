internal import CScan

/// Makes lines out of bytes (contract, section 2).
extension Router {
  /// Takes the bytes that a peer has sent. If the server does not read from the peer now, they are kept for later.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) {
    guard connections[connection].phase == .open, bytes.count > 0 else { return }
    connections[connection].lastHeard = now
    connections[connection].pings = 0
    guard connections[connection].unfinished.hasSpoken || speaksJSONLines(bytes, connection, at: now) else { return }
    if connections[connection].backlog.isEmpty {
      frame(bytes, from: connection, at: now)
    } else {
      keepBacklog(bytes, of: connection, at: now)
    }
  }

  /// Takes line after line as long as the server reads from the connection. A line may change that, because its replies
  /// may fill the outbox.
  private mutating func frame(_ bytes: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant) {
    guard let base = bytes.baseAddress else { return }
    var start = 0
    while start < bytes.count, connections[connection].phase == .open {
      guard connections[connection].isToBeRead else {
        return keepBacklog(bytes.part(start, bytes.count), of: connection, at: now)
      }
      let rest = bytes.count - start
      let length = cscan_line_feed((base + start).assumingMemoryBound(to: UInt8.self), rest)
      if length == rest { return keep(bytes.part(start, bytes.count), of: connection, at: now) }
      if connections[connection].unfinished.pending.isEmpty {
        if length + 1 > settings.maxLine { return refuseLong(connection, at: now) }
        let line = UnsafeRawBufferPointer(start: base + start, count: length)
        guard takeLine(line, from: connection, at: now) else { continue }
      } else {
        finishLine(UnsafeRawBufferPointer(start: base + start, count: length + 1), of: connection, at: now)
      }
      start += length + 1
    }
  }

  /// Keeps bytes that came while the server does not read from the connection. They count with the unfinished lines.
  private mutating func keepBacklog(_ bytes: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant) {
    if connections[connection].backlog.isEmpty { connections[connection].unfinished.began = now }
    connections[connection].backlog.append(bytes)
    unfinishedBytes += bytes.count
    markChanged(connection)
    while unfinishedBytes > settings.maxUnfinishedBytes { endOldestLine(at: now) }
  }

  /// Takes the kept bytes of connections that are read from again. Connections that wait because all messages together
  /// take too many bytes are resumed one after the other, as long as there is room.
  mutating func takeBacklogs(at now: Instant) {
    while true {
      if backlogged.isEmpty { letInNext(at: now) }
      guard let ref = backlogged.popLast() else { return }
      guard connections.contains(ref), connections[ref.slot].isToBeRead else { continue }
      var kept = OwnedBytes()
      swap(&kept, &connections[ref.slot].backlog)
      unfinishedBytes -= kept.count
      frame(kept.bytes, from: ref.slot, at: now)
      extendLifetime(kept)
      markChanged(ref.slot)
      if connections[ref.slot].backlog.isEmpty, connections[ref.slot].hasEnded { halfClose(ref.slot, at: now) }
    }
  }

  /// Whether the peer speaks JSON lines. The first byte other than white space decides. If it does not, the connection
  /// is ended.
  private mutating func speaksJSONLines(
    _ bytes: UnsafeRawBufferPointer, _ connection: Slot<Connection>, at now: Instant
  ) -> Bool {
    guard let at = bytes.firstIndex(where: { !BlankLine.isSpace($0) }) else { return true }
    connections[connection].unfinished.hasSpoken = true
    if bytes[at] == UInt8(ascii: "{") || bytes[at] == UInt8(ascii: "#") { return true }
    sever(
      connection, .notJSONLines,
      says: "this is a Baton server: each line must be a JSON object and begin with {; the first byte that came is "
        + "\(bytes[at]) (is it HTTP or TLS?)", at: now)
    return false
  }

  /// Keeps the beginning of a line.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant) {
    if connections[connection].unfinished.pending.count + bytes.count + 1 > settings.maxLine {
      return refuseLong(connection, at: now)
    }
    if connections[connection].unfinished.pending.isEmpty {
      connections[connection].unfinished.began = now
      armConnection(connection, at: now.advanced(milliseconds: settings.lineTimeoutMilliseconds))
    }
    connections[connection].unfinished.pending.append(bytes)
    unfinishedBytes += bytes.count
    while unfinishedBytes > settings.maxUnfinishedBytes { endOldestLine(at: now) }
  }

  /// Adds the end of a line, with its LF, to its beginning, and takes the line.
  private mutating func finishLine(_ end: UnsafeRawBufferPointer, of connection: Slot<Connection>, at now: Instant) {
    unfinishedBytes -= connections[connection].unfinished.pending.count
    var whole = OwnedBytes()
    swap(&whole, &connections[connection].unfinished.pending)
    if whole.count + end.count > settings.maxLine { return refuseLong(connection, at: now) }
    whole.append(end)
    if !takeLine(whole.bytes.part(0, whole.count - 1), from: connection, at: now) {
      keepBacklog(whole.bytes, of: connection, at: now)
    }
    extendLifetime(whole)
  }

  private mutating func refuseLong(_ connection: Slot<Connection>, at now: Instant) {
    sever(
      connection, .lineTooLong,
      says: "a line is longer than \(settings.maxLine) bytes; send shorter lines, or raise max_line", at: now)
  }

  /// Ends the connection with the oldest unfinished line, because all unfinished lines together take too many bytes.
  private mutating func endOldestLine(at now: Instant) {
    var oldest: Slot<Connection>?
    for index in connections.slots where connections.isTaken(index) {
      guard !connections[index].unfinished.pending.isEmpty || !connections[index].backlog.isEmpty else { continue }
      if let found = oldest, connections[found].unfinished.began <= connections[index].unfinished.began { continue }
      oldest = index
    }
    guard let oldest else { return }
    sever(
      oldest, .lineTimeout,
      says: "the unfinished lines of all connections take more than \(settings.maxUnfinishedBytes) bytes, and this "
        + "one is the oldest", at: now)
  }
}
