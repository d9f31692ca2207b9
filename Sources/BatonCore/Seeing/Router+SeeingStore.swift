/// What `inspect` and `findings` tell of stored messages (contract, section 15).
extension Router {
  /// `,"stored":{…}` of a chain, if it has stored messages.
  mutating func describeStored(in chain: Slot<Chain>) -> String {
    guard let figures = desk.sight?.figures(of: Array(chains[chain].name.bytes)) else { return "" }
    guard figures.messages > 0 || figures.dead > 0 else { return "" }
    let waiting = figures.messages - figures.delayed - figures.due - figures.underWay
    return ",\"stored\":{\"messages\":\(figures.messages),\"delayed\":\(figures.delayed)"
      + ",\"waiting\":\(max(0, waiting)),\"due\":\(figures.due),\"under_way\":\(figures.underWay),\"dead\":\(figures.dead)}"
  }

  /// `,"store":{…}` of the server, if it has one: what is stored of messages, and what stays.
  mutating func describeStore() -> String {
    guard let figures = desk.sight?.figures(of: nil) else { return "" }
    return ",\"store\":{\"messages\":\(figures.messages),\"bytes\":\(figures.bytes),\"dead\":\(figures.dead)"
      + ",\"remembered\":\(figures.remembered),\"values\":\(retained.count),\"events\":\(keptEvents.count)}"
  }

  /// The chains of which `/metrics` tells what is stored.
  private static let mostChains = 1000

  /// What is stored of each chain, for `/metrics`; nil without a store.
  package mutating func storedFigures() -> [(chain: [UInt8], figures: KeptFigures)]? {
    guard let sight = desk.sight else { return nil }
    return sight.chains(atMost: Router.mostChains).map { ($0, sight.figures(of: $0)) }
  }

  /// Looks what is wrong with the store.
  mutating func findInStore(_ survey: Survey, at now: Instant) {
    var failing = storing.failingSince.map { now.milliseconds(since: $0) }
    for finding in desk.sight?.findings ?? [] {
      switch finding {
      case .storeFails(let milliseconds): failing = max(failing ?? 0, milliseconds)
      case .undeclared(let chain, let messages):
        let name = String(decoding: chain, as: UTF8.self)
        survey.findings.add(
          .undeclared,
          Finding(
            about: ",\"chain\":\"\(name)\"",
            why: "\(messages) stored messages wait for this chain, which the server's file does not declare any more",
            next: "declare it again, or let them expire"))
      case .near(let setting, let used, let limit, let chain):
        let about = chain.map { ",\"chain\":\"\(String(decoding: $0, as: UTF8.self))\"" } ?? ""
        let isFree = setting == "min_free_bytes"
        survey.findings.add(
          .limit,
          Finding(
            about: about + ",\"limit\":\"\(setting)\"",
            why: isFree
              ? "\(used) bytes are free on the disk of the store, and \(limit) must be"
              : "\(used) of \(limit) are in use",
            next: Router.step(near: setting)))
      }
    }
    guard let failing else { return }
    survey.findings.add(
      .store,
      Finding(
        since: now.advanced(milliseconds: -failing),
        why: storing.isDamaged
          ? "the file of the store is damaged: what needs the damaged page is not kept"
          : "the disk of the store does not take what is written: nothing durable is taken in or tried",
        next: storing.isDamaged
          ? "stop the server, and put back a copy (baton store backup makes them), or save what can be read (baton store "
            + "export) and begin with another file"
          : "see whether the disk is full or broken; the server's log says what the system answered"))
  }

  /// What to do where a limit of the store is near.
  private static func step(near setting: String) -> String {
    switch setting {
    case "min_free_bytes": "make room on that disk; past the limit the server takes no durable messages"
    case "max_remembered":
      "names of once are forgotten remembered_ms after their end: set a smaller one, or raise \(setting)"
    default: "see what baton dead list tells, start more handlers, or raise \(setting)"
    }
  }
}
