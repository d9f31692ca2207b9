import BatonCore

/// What comes out of the router: peers read it, and connections end as it wishes.
extension Churn {
  /// Goes through all connections about which something is new.
  func collect() {
    calls += 1
    while let id = router.nextChanged() {
      guard let seat = seat(of: id) else { continue }
      peers[seat].isRead = router.wish(for: id).reading
      if peers[seat].isEager { read(seat) } else { part(with: seat) }
    }
  }

  /// The peer reads what there is, all or a little.
  func read(_ seat: Int) {
    let id = peers[seat].id
    repeat {
      let used = router.unsent(of: id, into: buffers)
      var bytes: [UInt8] = []
      for buffer in buffers[..<used] where peers[seat].isEager || bytes.isEmpty {
        bytes += peers[seat].isEager ? buffer[...] : buffer.prefix(300)
      }
      guard !bytes.isEmpty else { break }
      hear(bytes, seat)
      router.wrote(bytes.count, to: id, at: now)
      calls += 1
    } while peers[seat].isEager
    peers[seat].isRead = router.wish(for: id).reading
    part(with: seat)
  }

  /// Ends the connection where the router wants that.
  private func part(with seat: Int) {
    let id = peers[seat].id
    switch router.wish(for: id).ending {
    case .open: return
    case .close: close(seat)
    case .shutDown, .closeWhenWritten: if router.unsentCount(of: id) == 0 { close(seat) }
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

  /// Whether the peer stays long enough to know that a reply does not come.
  private func isPatient(_ seat: Int) -> Bool {
    peers[seat].isEager && !peers[seat].isSilent && peers[seat].leavesAt > now.advanced(milliseconds: 2 * Self.patience)
  }

  private static let event = Array("{\"op\":\"event\",".utf8)

  private func hear(line: [UInt8], _ seat: Int) {
    // There are millions of events, and the worlds read each of theirs.
    if line.starts(with: Self.event) { return events += 1 }
    do {
      let read = try LineReader.read(line)
      if read.op == .result { results += 1 }
      if read.op == .chains, peers[seat].id == sweeper { sweep(read) }
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
