internal import CScan

/// From bytes to lines (contract, section 2).
extension Router {
  /// Takes in what a peer has sent. Bytes that come while the server does not read from it are kept for later.
  mutating func receive(_ bytes: UnsafeRawBufferPointer, from connection: UInt32, at now: Instant) {
    guard connections[connection].phase == .open, bytes.count > 0 else { return }
    connections[connection].lastHeard = now
    connections[connection].pings = 0
    guard connections[connection].framer.hasSpoken || speaksJSONLines(bytes, connection, at: now) else { return }
    if connections[connection].backlog.isEmpty {
      frame(bytes, from: connection, at: now)
    } else {
      keepBacklog(bytes, of: connection, at: now)
    }
  }

  /// Takes line after line, as long as the connection is to be read from: what one line asks for may fill its outbox.
  private mutating func frame(_ bytes: UnsafeRawBufferPointer, from connection: UInt32, at now: Instant) {
    guard let base = bytes.baseAddress else { return }
    var start = 0
    while start < bytes.count, connections[connection].phase == .open {
      guard connections[connection].isToBeRead else {
        return keepBacklog(bytes.part(start, bytes.count), of: connection, at: now)
      }
      let rest = bytes.count - start
      let length = cscan_line_feed((base + start).assumingMemoryBound(to: UInt8.self), rest)
      if length == rest { return keep(bytes.part(start, bytes.count), of: connection, at: now) }
      if connections[connection].framer.pending.isEmpty {
        if length + 1 > settings.maxLine { return refuseLong(connection, at: now) }
        let line = UnsafeRawBufferPointer(start: base + start, count: length)
        guard take(line, from: connection, at: now) else { continue }
      } else {
        finish(UnsafeRawBufferPointer(start: base + start, count: length + 1), of: connection, at: now)
      }
      start += length + 1
    }
  }

  /// Keeps what came although the connection is not to be read from; it counts with the unfinished lines.
  private mutating func keepBacklog(_ bytes: UnsafeRawBufferPointer, of connection: UInt32, at now: Instant) {
    if connections[connection].backlog.isEmpty { connections[connection].framer.began = now }
    connections[connection].backlog.append(bytes)
    unfinishedBytes += bytes.count
    markChanged(connection)
    while unfinishedBytes > settings.maxUnfinishedBytes { endOldestLine(at: now) }
  }

  /// Goes on with what was kept of connections that are read from again; of those that were crowded out with one after
  /// the other, as long as there is room.
  mutating func takeBacklogs(at now: Instant) {
    while true {
      if backlogged.isEmpty { letInNext(at: now) }
      guard let ref = backlogged.popLast() else { return }
      guard connections.contains(ref), connections[ref.index].isToBeRead else { continue }
      var kept = OwnedBytes()
      swap(&kept, &connections[ref.index].backlog)
      unfinishedBytes -= kept.count
      frame(kept.bytes, from: ref.index, at: now)
      extendLifetime(kept)
      markChanged(ref.index)
      if connections[ref.index].backlog.isEmpty, connections[ref.index].hasEnded { halfClose(ref.index, at: now) }
    }
  }

  /// The first byte that is not white space decides whether the peer speaks JSON lines at all.
  private mutating func speaksJSONLines(
    _ bytes: UnsafeRawBufferPointer, _ connection: UInt32, at now: Instant
  ) -> Bool {
    guard let at = bytes.firstIndex(where: { !LineFramer.isSpace($0) }) else { return true }
    connections[connection].framer.hasSpoken = true
    if bytes[at] == UInt8(ascii: "{") || bytes[at] == UInt8(ascii: "#") { return true }
    sever(
      connection, .notJSONLines,
      says: "this is a Baton server: each line must be a JSON object and begin with {; the first byte that came is "
        + "\(bytes[at]) (is it HTTP or TLS?)", at: now)
    return false
  }

  /// Keeps the beginning of a line.
  private mutating func keep(_ bytes: UnsafeRawBufferPointer, of connection: UInt32, at now: Instant) {
    if connections[connection].framer.pending.count + bytes.count + 1 > settings.maxLine {
      return refuseLong(connection, at: now)
    }
    if connections[connection].framer.pending.isEmpty {
      connections[connection].framer.began = now
      arm(connection, at: now.advanced(milliseconds: settings.lineTimeoutMilliseconds))
    }
    connections[connection].framer.pending.append(bytes)
    unfinishedBytes += bytes.count
    while unfinishedBytes > settings.maxUnfinishedBytes { endOldestLine(at: now) }
  }

  /// Puts the end of a line, LF included, to its beginning, and takes it.
  private mutating func finish(_ end: UnsafeRawBufferPointer, of connection: UInt32, at now: Instant) {
    unfinishedBytes -= connections[connection].framer.pending.count
    var whole = OwnedBytes()
    swap(&whole, &connections[connection].framer.pending)
    if whole.count + end.count > settings.maxLine { return refuseLong(connection, at: now) }
    whole.append(end)
    if !take(whole.bytes.part(0, whole.count - 1), from: connection, at: now) {
      keepBacklog(whole.bytes, of: connection, at: now)
    }
    extendLifetime(whole)
  }

  private mutating func refuseLong(_ connection: UInt32, at now: Instant) {
    sever(
      connection, .lineTooLong,
      says: "a line is longer than \(settings.maxLine) bytes; send shorter lines, or raise max_line", at: now)
  }

  /// All unfinished lines together take too much: the oldest has to go.
  private mutating func endOldestLine(at now: Instant) {
    var oldest: UInt32?
    for index in 0..<connections.extent where connections.isTaken(index) {
      guard !connections[index].framer.pending.isEmpty || !connections[index].backlog.isEmpty else { continue }
      if let found = oldest, connections[found].framer.began <= connections[index].framer.began { continue }
      oldest = index
    }
    guard let oldest else { return }
    sever(
      oldest, .lineTimeout,
      says: "the unfinished lines of all connections take more than \(settings.maxUnfinishedBytes) bytes, and this "
        + "one is the oldest", at: now)
  }

  /// Forgets what there is of a line.
  mutating func dropLine(of connection: UInt32) {
    unfinishedBytes -= connections[connection].framer.pending.count + connections[connection].backlog.count
    connections[connection].framer.pending = OwnedBytes()
    connections[connection].backlog = OwnedBytes()
  }
}
