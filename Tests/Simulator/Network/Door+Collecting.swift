import BatonCore

/// What comes out of the door: collected after each call, and shown to the ledger.
extension Door {
  /// Collects everything that the call has brought out, and lets the ledger account for it.
  func settle(_ call: Ledger.Call, recheck: Int? = nil) {
    calls += 1
    mix(UInt64(bitPattern: now.microseconds))
    if let recheck { collect(recheck) }
    var names = 0
    while let id = router.nextChanged() {
      names += 1
      guard names <= wires.count + 1 else { return ledger.fail(.coherentDoor, "connections are named without end") }
      let place = Int(id.index)
      guard place < tenants.count, tenants[place] >= 0, wires[tenants[place]].id == id else {
        return ledger.fail(.coherentDoor, "a connection is named that never was")
      }
      if wires[tenants[place]].isClosed {
        if planter.hasPlanted { continue }
        return ledger.fail(.coherentDoor, "#\(tenants[place]) is named and was closed")
      }
      collect(tenants[place])
    }
    ledger.settle()
  }

  /// Takes in what is new about a connection: its wish and its unsent bytes.
  private func collect(_ connection: Int) {
    let wish = wish(of: connection)
    let known = wires[connection].unsent.count
    let count = router.unsentCount(of: wires[connection].id)
    guard count >= known else { return ledger.fail(.coherentDoor, "unsent bytes of #\(connection) are gone") }
    ledger.accounts[connection].unsent = count
    if count > known { readNew(of: connection, from: known, to: count) }
    follow(wish, of: connection)
  }

  /// What the server wants of the connection.
  private func wish(of connection: Int) -> Router.Wish {
    planter.wish(router.wish(for: wires[connection].id), of: connection)
  }

  private func follow(_ wish: Router.Wish, of connection: Int) {
    let old = wires[connection].ending
    guard wish != wires[connection].wish else { return }
    wires[connection].wish = wish
    log.note(now, "#\(connection) is to \(wish.ending), reading \(wish.reading)")
    if wish.ending.severity < old.severity {
      ledger.fail(.coherentDoor, "#\(connection) was to \(old) and is now to \(wish.ending)")
    }
    ledger.accounts[connection].isRead = wish.reading
    if !wish.reading {
      ledger.accounts[connection].wasPaused = true
      ledger.coverage.insert(.paused)
    }
    if old == .open, wish.ending != .open {
      ledger.accounts[connection].endReason = wish.reason
      ledger.isToEnd(connection, for: wish.reason)
    }
  }

  /// Reads the bytes that were appended, line by line.
  private func readNew(of connection: Int, from known: Int, to count: Int) {
    if ledger.accounts[connection].isLeaving {
      ledger.fail(.coherentDoor, "#\(connection) is said more after its end")
    }
    let fresh = appended(to: connection, from: known, to: count)
    guard fresh.count == count - known, fresh.last == UInt8(ascii: "\n") else {
      return ledger.fail(.coherentDoor, "\(count - known) new bytes of #\(connection) are not whole lines")
    }
    for byte in fresh { mix(UInt64(byte)) }
    mix(UInt64(connection))
    let start = wires[connection].collectedTotal
    var end = start
    wires[connection].collected(fresh)
    var lines: [(bytes: [UInt8], end: Int)] = []
    for line in fresh.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      end += line.count + 1
      lines.append((Array(line), end))
    }
    planter.alter(&lines, to: connection)
    for line in lines {
      log.note(now, "#\(connection) ← \(String(decoding: line.bytes, as: UTF8.self))")
      do {
        var read = try LineReader.read(line.bytes)
        read.unsentBefore = line.end - line.bytes.count - 1 - start + known
        if line.bytes.count >= ledger.settings.maxLine, read.op != .chains, read.op != .help, read.op != .explained,
          read[.trace] == nil, read.string(.topic) != "$baton.trace"
        {
          ledger.fail(.coherentDoor, "a line of \(line.bytes.count + 1) bytes to #\(connection)")
        }
        ledger.said(read, to: connection)
        wires[connection].fly(read, end: line.end)
      } catch {
        let text = String(decoding: line.bytes, as: UTF8.self)
        ledger.fail(.coherentDoor, "\(error.what) at \(error.offset) in a line to #\(connection): \(text)")
      }
    }
  }

  private func appended(to connection: Int, from known: Int, to count: Int) -> [UInt8] {
    var used = router.unsent(of: wires[connection].id, into: buffers)
    while buffers[..<used].reduce(0, { $0 + $1.count }) < count, used == buffers.count {
      let capacity = buffers.count * 2
      buffers.deallocate()
      buffers = .allocate(capacity: capacity)
      used = router.unsent(of: wires[connection].id, into: buffers)
    }
    var fresh: [UInt8] = []
    fresh.reserveCapacity(count - known)
    var offset = 0
    for buffer in buffers[..<used] {
      if offset + buffer.count > known { fresh.append(contentsOf: buffer.dropFirst(max(0, known - offset))) }
      offset += buffer.count
    }
    return fresh
  }

  /// A connection that was not named must be as it was.
  func auditSilence() {
    for connection in wires.indices where !wires[connection].isClosed {
      let id = wires[connection].id
      let wish = wish(of: connection)
      if wish.reading != wires[connection].isRead || wish.ending != wires[connection].ending
        || router.unsentCount(of: id) != wires[connection].unsent.count
      {
        let wire = wires[connection]
        let now =
          "\(wish.ending), reading \(wish.reading), \(router.unsentCount(of: id)) bytes, and before "
          + "\(wire.ending), reading \(wire.isRead), \(wire.unsent.count) bytes"
        ledger.fail(.coherentDoor, "#\(connection) has changed and was not named: \(now)")
      }
    }
  }

  /// Without peers nothing may be left, and nothing may be due.
  func auditEmpty() {
    let left = router.census.filter { $0.count != 0 }.map { "\($0.count) \($0.name)" }
    if !left.isEmpty { ledger.fail(.nothingLeft, "left behind: \(left.joined(separator: ", "))") }
    if let due = router.wakeAt { ledger.fail(.nothingLeft, "a wake-up at \(due.microseconds) µs is left") }
  }
}

extension Router.Wish.Ending {
  /// Endings only get more definite.
  fileprivate var severity: Int {
    switch self {
    case .open: 0
    case .shutDown: 1
    case .closeWhenWritten: 2
    case .close: 3
    }
  }
}
