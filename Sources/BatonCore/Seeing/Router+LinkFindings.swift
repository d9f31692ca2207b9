/// What is wrong at one link now: `findings` tells why, and `inspect` what (contract, section 8).
extension Router {
  /// How long messages may wait before it is told, in milliseconds.
  static let longWait = 10_000

  /// The offers of the last minute that must have been answered before a link is slow.
  private static let enoughAnswers = 20

  /// Writes `,"findings":["breaker",…]`, in the order in which `findings` tells them; nothing if nothing is wrong.
  mutating func writeWhatIsWrong(with link: Slot<Link>, to writer: inout LineWriter, at now: Instant) {
    var isFirst = true
    for what in Finding.What.ofLinks where isWrong(what, at: link, now) {
      writer.literal(isFirst ? ",\"findings\":[\"" : ",\"")
      writer.raw(what.rawValue)
      writer.literal("\"")
      isFirst = false
    }
    if !isFirst { writer.literal("]") }
  }

  private mutating func isWrong(_ what: Finding.What, at link: Slot<Link>, _ now: Instant) -> Bool {
    switch what {
    case .breaker: openedBreaker(at: link) != nil
    case .absent, .empty: links[link].isAbsent && what == .ofUnserved(links[link].settings)
    case .failing: lastFailures(at: link) != nil
    case .slow: slowness(of: link, at: now) != nil
    case .waiting: hasLongWait(at: link, now)
    default: false
    }
  }

  /// When the first open breaker of the link's handlers opened; nil if none is open.
  mutating func openedBreaker(at link: Slot<Link>) -> Instant? {
    var replica = links[link].firstReplica
    while replica != .nobody {
      spent &+= Cost.look
      if let opened = replicas[replica].breaker.openedAt { return opened }
      replica = replicas[replica].nextAtLink
    }
    return nil
  }

  /// How many of the last messages the link failed, if they are more than a tenth of at least 20.
  mutating func lastFailures(at link: Slot<Link>) -> (failures: Int, messages: Int)? {
    let last = links[link].counts.last
    return last.messages >= 20 && last.failures * 10 > last.messages ? last : nil
  }

  /// The time that 99 % of the offers did not exceed that were answered in the last minute, in microseconds, and the time
  /// that the link has, in milliseconds; nil if the one is no more than half of the other, or if few were answered.
  mutating func slowness(of link: Slot<Link>, at now: Instant) -> (high: Int, limit: Int)? {
    let limit = links[link].settings.timeoutMilliseconds ?? settings.timeoutMilliseconds
    let history = links[link].history
    // Of most links no answer was ever so slow, which costs less to find out.
    guard history != .nobody, links[link].times.hasAny(above: limit * 500) else { return nil }
    spent &+= Cost.entry
    guard let minute = histories[history].lastMinute(in: sampleNumber(at: now), links[link].times),
      minute.answered >= Router.enoughAnswers, minute.high > limit * 500
    else { return nil }
    return (minute.high, limit)
  }

  /// Whether messages have waited at the link for a long time without a pause.
  mutating func hasLongWait(at link: Slot<Link>, _ now: Instant) -> Bool {
    firstWaitBegan(at: link) != nil && now.milliseconds(since: links[link].waitedSince) > Router.longWait
  }
}
