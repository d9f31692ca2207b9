import BatonCore

/// The limits on what is under way: who may be refused, who is read from and who is not, whose line is given up.
extension Ledger {
  /// What is open, at least and at most, as far as the books know.
  struct Open {
    var leastMessages = 0
    var mostMessages = 0
    var leastBytes = 0
    var mostBytes = 0
  }

  /// What a message costs beside its own bytes.
  private static let overhead = 512
  /// The most that its sender's name and an id can add.
  private static let names = 66 + 130

  /// What is open of the connection's messages, or of everybody's.
  func open(of connection: Int?) -> Open {
    var open = Open()
    for walk in openWalks where !walks[walk].isOver {
      let it = walks[walk]
      let message = messages[it.message]
      if let connection, message.sender != connection { continue }
      let own = (message.payload?.count ?? 0) + (message.meta?.count ?? 0) + message.topic.bytes.count
      let traced = message.wantsTrace || isOverheard ? 200 * (it.links.count + 2) : 0
      let bytes = Self.overhead + own + (it.isRewritten ? it.payload?.count ?? 0 : 0)
      open.mostMessages += 1
      open.mostBytes += bytes + Self.names + traced
      if it.end != nil || mayHaveEnded(walk) { continue }
      open.leastMessages += 1
      open.leastBytes += bytes
    }
    return open
  }

  /// Whether one connection's messages may be, or must be, as many as it is allowed.
  private func mayBeFull(_ open: Open) -> Bool {
    open.mostMessages >= settings.maxOpenMessages || open.mostBytes >= settings.maxOpenBytes
  }

  private func mustBeFull(_ open: Open) -> Bool {
    open.leastMessages >= settings.maxOpenMessages || open.leastBytes >= settings.maxOpenBytes
  }

  /// A send was answered `busy`: there must be too much under way.
  func checkBusy(_ connection: Int) {
    let (own, all) = (open(of: connection), open(of: nil))
    if !servesLinks(connection) { fail(.inBounds, "#\(connection) serves no link and is told busy") }
    if !mayBeFull(own), all.mostBytes < settings.maxTotalBytes {
      fail(.inBounds, "#\(connection) is told busy with \(own.mostMessages) messages, \(own.mostBytes) bytes under way")
    }
  }

  func servesLinks(_ connection: Int) -> Bool {
    chains.contains { $0.contains { links[$0].owner == connection } }
  }

  /// Between calls a connection is not read from exactly while one of its limits is reached.
  func auditReading() {
    guard hasTightRoom else { return }
    let all = open(of: nil)
    for connection in accounts.indices {
      let account = accounts[connection]
      guard account.isOpen, !account.isLeaving, !account.isEnded else { continue }
      let own = open(of: connection)
      let isUnread = account.unsent > settings.readingUnsentBytes
      let serves = servesLinks(connection)
      if account.isRead, isUnread || mustBeFull(own) && !serves {
        fail(.inBounds, "#\(connection) is read from with \(own.leastMessages) messages, \(own.leastBytes) bytes open")
      }
      let mayWait = mayBeFull(own) || all.mostBytes >= settings.maxTotalBytes
      if !account.isRead, !isUnread, !mayWait || serves {
        fail(.inBounds, "#\(connection) is not read from, and nothing is in the way")
      }
    }
  }

  private var hasTightRoom: Bool {
    settings.maxOpenMessages < 100 || settings.maxOpenBytes < 1 << 20 || settings.maxTotalBytes < 1 << 20
      || settings.readingUnsentBytes < 1 << 20
  }

  // MARK: Unfinished lines

  /// When the connection's unfinished line was begun, the call under way included.
  private func begun(_ connection: Int) -> Instant? {
    if case .received(connection) = call { return accounts[connection].lineBegunNow }
    return accounts[connection].lineBegun
  }

  /// Whether time ends the connection's line.
  func isLineDue(_ connection: Int) -> Bool {
    accounts[connection].lineBegun.map { now >= $0.advanced(milliseconds: settings.lineTimeoutMilliseconds) } ?? false
  }

  /// Unfinished lines together keep to their limit: the oldest are given up for it, and no more than need be.
  func checkUnfinished() {
    guard settings.maxUnfinishedBytes < 1 << 20 else { return }
    let there = accounts.indices.filter { accounts[$0].isOpen && !accounts[$0].isLeaving && !accounts[$0].isEnded }
    let kept = there.reduce(0) { $0 + accounts[$1].unfinished }
    if kept > settings.maxUnfinishedBytes { fail(.inBounds, "\(kept) bytes of unfinished lines are kept") }
    let givenUp = newlyLeaving.filter { accounts[$0].endReason == .lineTimeout && !isLineDue($0) }
    guard !givenUp.isEmpty else { return }
    coverage.insert(.unfinished)
    let youngest = givenUp.compactMap(begun).max()
    // The last of them had to go, too.
    let last = givenUp.filter { begun($0) == youngest }.map { accounts[$0].unfinished }.max() ?? 0
    // Others may have been ended in the same call, but after that: by what ended with the links of those given up.
    let others = newlyLeaving.filter { !givenUp.contains($0) }.reduce(0) { $0 + accounts[$1].unfinished }
    if kept + last + others <= settings.maxUnfinishedBytes {
      fail(.inBounds, "\(givenUp) are ended for unfinished lines, and \(kept + last) bytes were left before the last")
    }
    for connection in there where accounts[connection].unfinished > 0 {
      guard let begun = begun(connection), let youngest, begun < youngest else { continue }
      fail(.inBounds, "the line of #\(connection) is older than those of \(givenUp), which are given up")
    }
  }
}
