package import BatonLasting

/// What `inspect` and `findings` tell of stored messages (contract, section 15).
extension Router {
  /// `,"stored":{…}` of a chain, if it has stored messages.
  mutating func describeStored(in chain: Slot<Chain>) -> String {
    desk.sight.map { $0.figures(of: Array(chains[chain].name.bytes)).member } ?? ""
  }

  /// The most chains without links that `inspect` tells of.
  private static let mostAlone = 100

  /// `{"chain":…},…` of chains that have stored messages and no link, as far as the peer may see them: of all, or of the
  /// one that `inspect` names. They come on the first page.
  mutating func describeStoredAlone(for connection: Slot<Connection>) -> [UInt8] {
    guard let sight = desk.sight, !request.has(.after) else { return [] }
    var (told, text) = (0, [UInt8]())
    for chain in request.has(.chain) ? [Array(request.text(.chain))] : sight.chains(atMost: Router.mostChains) {
      guard told < Router.mostAlone else { break }
      spent &+= Cost.look
      guard chain.withUnsafeBytes({ !hasLinks(chainNamed: $0) && maySee(chainNamed: $0, connection) }) else { continue }
      let stored = sight.figures(of: chain).member
      guard !stored.isEmpty else { continue }
      text += Array((told > 0 ? "," : "").utf8) + Array("{\"chain\":\"".utf8) + chain
      text += Array("\",\"version\":0\(stored),\"links\":[]}".utf8)
      told += 1
    }
    return text
  }

  /// A chain that the file names no more is still there while a message is under way in it.
  private mutating func hasLinks(chainNamed name: UnsafeRawBufferPointer) -> Bool {
    findChain(name).map { chains[$0].live > 0 } ?? false
  }

  /// `,"store":{…}` of the server, if it has one: what is stored of messages, and what stays.
  mutating func describeStore() -> String {
    guard let figures = desk.sight?.figures(of: nil) else { return "" }
    return ",\"store\":{\"messages\":\(figures.messages),\"bytes\":\(figures.bytes),\"dead\":\(figures.dead)"
      + ",\"remembered\":\(figures.remembered),\"values\":\(retained.count),\"events\":\(keptEvents.count)"
      + (storing.log.bytes > 0 ? ",\"log_bytes\":\(storing.log.bytes)" : "")
      + (storing.log.heldBytes > 0 ? ",\"log_held_bytes\":\(storing.log.heldBytes)" : "") + "}"
  }

  /// The chains of which `/metrics` tells what is stored.
  private static let mostChains = 1000

  /// What `/metrics` tells of a store.
  package struct StoredFigures {
    /// Whether it takes nothing in.
    package let isFailing: Bool
    package let log: StoreLogFacts
    package let chains: [(chain: [UInt8], figures: DurableFigures)]
  }

  /// What `/metrics` tells of the store; nil without one.
  package mutating func storedFigures() -> StoredFigures? {
    guard let sight = desk.sight else { return nil }
    let chains = sight.chains(atMost: Router.mostChains).map { ($0, sight.figures(of: $0)) }
    return StoredFigures(isFailing: storing.lacksRoom || sight.isFailing, log: storing.log, chains: chains)
  }

  /// Looks what is wrong with the store. Who may not see the server is told what is about a chain that it may see, and
  /// nothing of the parts of others.
  mutating func findInStore(_ survey: Survey, for connection: Slot<Connection>, at now: Instant) {
    var failing: Int?
    defer { survey.findings.areHidden = false }
    let seesServer = seesServer(connection)
    for finding in desk.sight?.findings ?? [] {
      guard seesServer || finding.chain != nil && !finding.isOfOthers(than: durableIdentity(of: connection)) else {
        continue
      }
      survey.findings.areHidden =
        finding.chain.map { $0.withUnsafeBytes { !maySee(chainNamed: $0, connection) } } ?? false
      switch finding {
      case .storeFails(let milliseconds): failing = milliseconds
      case .unreadable(let messages): survey.findings.add(.store, Router.unreadable(messages))
      case .damaged(let messages): survey.findings.add(.store, Router.damaged(messages))
      case .undeclared(let chain, let messages, let dead):
        survey.findings.add(.undeclared, Router.undeclared(String(decoding: chain, as: UTF8.self), messages, dead))
      case .dead(let chain, let letters):
        survey.findings.add(.deadLetters, Router.dead(String(decoding: chain, as: UTF8.self), letters))
      case .near(let setting, let used, let limit, let chain):
        let about = chain.map { ",\"chain\":\"\(String(decoding: $0, as: UTF8.self))\"" } ?? ""
        let isFree = setting == .freeBytes
        if isFree, used < limit {
          survey.findings.add(.store, Router.lacksRoom(used, limit))
          continue
        }
        survey.findings.add(
          .limit,
          Finding(
            about: about + ",\"limit\":\"\(setting.rawValue)\"",
            why: isFree
              ? "the store has \(max(0, used)) bytes of room on its disk, and \(limit) must be left"
              : "\(used) of \(limit) are in use",
            next: Router.step(near: setting)))
      case .share(let setting, let identity, let used, let most, let chain):
        survey.findings.add(.limit, Router.nearShare(identity, setting, used, most, chain))
      }
    }
    survey.findings.areHidden = false
    if seesServer, storing.log.isTooLong { survey.findings.add(.storeLog, heldLog()) }
    guard let failing else { return }
    survey.findings.add(.store, failingStore(since: now.advanced(milliseconds: -failing)))
  }

  /// The log grows.
  private mutating func heldLog() -> Finding {
    let log = storing.log
    let sizes = "the store's log has \(log.bytes) bytes, and \(log.heldBytes) of them cannot be taken into its file"
    if let error = log.error {
      return Finding(
        since: storing.logHeldSince, why: "\(sizes): \(Self.inText(error))",
        next: "see whether the disk is full or broken, and whether a limit of the server's user forbids it (ulimit -f)")
    }
    let who = log.reader.map { "process \($0)" } ?? "another program"
    return Finding(
      since: storing.logHeldSince, why: "\(sizes), because \(who) still reads what was there before",
      next: "let it finish, or end it: the log grows until then. Copy a store with baton store backup, and read a copy")
  }

  /// A text as a part of a JSON string.
  private static func inText(_ text: String) -> String {
    var text = text
    return text.withUTF8 { String(OwnedBytes(quoting: UnsafeRawBufferPointer($0)).string.dropFirst().dropLast()) }
  }

  /// Commits fail.
  private mutating func failingStore(since: Instant) -> Finding {
    if storing.isDamaged {
      return Finding(
        since: since, why: "the file of the store is damaged: what needs the damaged page is not kept",
        next: "stop the server, and put back a copy (baton store backup makes them), or save what can be read (baton "
          + "store export) and begin with another file")
    }
    if storing.hasLostFile {
      return Finding(
        since: since,
        why: "the file of the store has gone, or is another file now: nothing durable is taken in or tried",
        next: "give the file that the server has open its name again, or stop the server and put back a copy (baton "
          + "store backup makes them); the server's log names it")
    }
    return Finding(
      since: since, why: "the disk of the store does not take what is written: nothing durable is taken in or tried",
      next: "see whether the disk is full or broken; the server's log says what is wrong")
  }

  /// The disk has less than stays free.
  private static func lacksRoom(_ free: Int, _ least: Int) -> Finding {
    Finding(
      why: "nothing durable is taken in (store_full): the store has \(max(0, free)) bytes of room on its disk, and "
        + "\(least) must be left (min_free_bytes)",
      next: step(near: .freeBytes))
  }

  /// Messages wait, for the disk does not give them.
  private static func unreadable(_ messages: Int) -> Finding {
    let what = messages == 1 ? "1 message" : "\(messages) messages"
    return Finding(
      why: "the disk of the store does not give \(what): it is asked again each second, and after ten tries, a message "
        + "counts as damaged",
      next: "see whether the disk is there; the server's log says what is wrong")
  }

  /// Messages are dead letters, for their bytes are not what was written.
  private static func damaged(_ messages: Int) -> Finding {
    Finding(
      why: (messages == 1 ? "1 message was" : "\(messages) messages were")
        + " found damaged on the disk of the store since the start; the rest may be sound",
      next:
        "let baton store check say what is damaged; if pages are, stop the server and put back a copy (baton store backup "
        + "makes them), or save what can be read (baton store export) and begin with another file")
  }

  /// A chain has stored messages, and the file does not name it any more.
  private static func undeclared(_ name: String, _ messages: Int, _ dead: Int) -> Finding {
    let found = messages == 1 ? "1 stored message waits" : "\(messages) stored messages wait"
    let letters = dead == 1 ? "1 dead letter is kept" : "\(dead) dead letters are kept"
    let what = [messages > 0 ? found : nil, dead > 0 ? letters : nil].compactMap(\.self).joined(separator: " and ")
    let next = dead > 0 ? "; baton dead list --chain \(name) tells its dead letters, which can be discarded" : ""
    return Finding(
      about: ",\"chain\":\"\(name)\"",
      why: "\(what) for this chain, which the configuration file does not declare any more",
      next: (messages > 0 ? "declare it again, or let the messages expire" : "declare it again to send them again")
        + next)
  }

  /// A chain has dead letters.
  private static func dead(_ name: String, _ letters: Int) -> Finding {
    Finding(
      about: ",\"chain\":\"\(name)\"",
      why: letters == 1
        ? "1 durable message is a dead letter: no try has brought it to an end"
        : "\(letters) durable messages are dead letters: no try has brought them to an end",
      next: "baton dead list --chain \(name) tells why; send them again (baton dead resend), or discard them")
  }

  /// An identity has nearly all that it may have; of a chain, if there is one.
  private static func nearShare(
    _ identity: [UInt8], _ setting: StoreLimit, _ used: Int, _ most: Int, _ chain: [UInt8]?
  ) -> Finding {
    let about = chain.map { ",\"chain\":\"\(String(decoding: $0, as: UTF8.self))\"" } ?? ""
    let has = identity.isEmpty ? "peers without an identity have" : "\(String(decoding: identity, as: UTF8.self)) has"
    return Finding(
      about: about + ",\"limit\":\"\(setting.rawValue)\"",
      why: "\(has) \(used) of \(most): one identity may have half of what the others leave",
      next: step(near: setting))
  }

  /// What to do where a limit of the store is near.
  private static func step(near setting: StoreLimit) -> String {
    switch setting {
    case .freeBytes:
      "make room on that disk, or stop the server and let baton store compact give back what is free in the file; past the "
        + "limit the server takes no durable messages"
    case .remembered:
      "raise \(setting.rawValue); with a smaller remembered_ms, names of once that come later are forgotten sooner"
    default: "see what baton dead list tells, start more handlers, or raise \(setting.rawValue)"
    }
  }
}

extension DurableFinding {
  /// Whether it is about what another identity has.
  fileprivate func isOfOthers(than identity: [UInt8]) -> Bool {
    if case .share(_, let owner, _, _, _) = self { owner != identity } else { false }
  }
}

extension DurableFigures {
  /// `,"stored":{…}` of a chain, if it has stored messages.
  fileprivate var member: String {
    guard messages > 0 || dead > 0 else { return "" }
    return ",\"stored\":{\"messages\":\(messages),\"delayed\":\(delayed)"
      + ",\"waiting\":\(max(0, messages - delayed - due - underWay)),\"due\":\(due),\"under_way\":\(underWay)"
      + ",\"dead\":\(dead)}"
  }
}
