import BatonCore

/// What comes out of the router: peers read it, and connections end as the router wishes.
extension Churn {
  /// Goes through all connections that have changed.
  func collect() {
    calls += 1
    while let connection = driver.nextChanged() {
      guard let seat = seat(of: connection) else { continue }
      peers[seat].isRead = driver.wish(of: connection).reading
      if peers[seat].isEager { read(seat) } else { part(with: seat) }
    }
  }

  /// The peer reads what has come, all of it or a little.
  func read(_ seat: Int) {
    let connection = peers[seat].connection
    repeat {
      let isEager = peers[seat].isEager
      let bytes = driver.take(atMost: isEager ? .max : 300, places: isEager ? 64 : 1, of: connection)
      if bytes.isEmpty { break }
      hear(bytes, seat)
      calls += 1
    } while peers[seat].isEager
    peers[seat].isRead = driver.wish(of: connection).reading
    part(with: seat)
  }

  /// Ends the connection if the router wants that.
  private func part(with seat: Int) {
    let connection = peers[seat].connection
    switch driver.wish(of: connection).ending {
    case .open: return
    case .close: close(seat)
    case .shutDown, .closeWhenWritten: if driver.unsentCount(of: connection) == 0 { close(seat) }
    }
  }

  private func hear(_ bytes: [UInt8], _ seat: Int) {
    peers[seat].partial += bytes
    var start = 0
    while let end = peers[seat].partial[start...].firstIndex(of: UInt8(ascii: "\n")) {
      hear(line: Array(peers[seat].partial[start..<end]), seat)
      start = end + 1
    }
    peers[seat].partial.removeFirst(start)
  }

  /// Whether the peer stays long enough to know that no reply comes.
  private func isPatient(_ seat: Int) -> Bool {
    peers[seat].isEager && !peers[seat].isSilent && peers[seat].leavesAt > now.advanced(milliseconds: 2 * Self.patience)
  }

  private static let event = Array("{\"op\":\"event\",".utf8)

  private func hear(line: [UInt8], _ seat: Int) {
    // There are millions of events. They are only counted here, because the worlds read each of their events.
    if line.starts(with: Self.event) { return events += 1 }
    do {
      let read = try LineReader.read(line)
      if read.op == .result { results += 1 }
      if read.op == .chains, peers[seat].connection == sweeper { sweep(read.description) }
      if read.op == .result, fault == .churnResultSwallowed, isPatient(seat) {
        fault = nil
        return
      }
      if let wrong = peers[seat].hear(read, at: now, using: &luck) { fail(.oneReply, "\(wrong): \(read.description)") }
    } catch {
      fail(.coherentDoor, "\(error.what) at \(error.offset): \(String(decoding: line, as: UTF8.self))")
    }
  }
}
