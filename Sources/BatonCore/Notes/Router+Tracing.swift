/// The way of a traced message, link by link (contract, section 8, `trace`). Walks that nobody traces cost one
/// comparison at each place that would have something to tell.
extension Router {
  /// Begins to record the way of a message, where its sender asks for it or somebody watches all walks.
  mutating func beginTrace(of walk: Slot<Walk>, at now: Instant) {
    let isAsked = request.flag(.trace) == true
    guard isAsked || announcements.isHeard(.trace) else { return }
    walks[walk].trace = traces.insert(Trace(isAsked: isAsked, at: now))
  }

  /// The walk enters its first chain.
  @inline(__always)
  mutating func traceEntry(of walk: Slot<Walk>, at now: Instant) {
    let trace = walks[walk].trace
    guard trace != .nobody else { return }
    // A chain without links is as good as forgotten, also where a walk that is under way still has to know it.
    if chains[walks[walk].place.chain].live > 0 { traces[trace].version = walks[walk].place.entered }
    if traces[trace].keyWait != nil { traceKeyWait(of: walk, at: now) }
  }

  /// The walk's time of waiting for its key is over.
  mutating func traceKeyWait(of walk: Slot<Walk>, at now: Instant) {
    let trace = walks[walk].trace
    guard trace != .nobody else { return }
    traces[trace].keyWait = now.microseconds - traces[trace].began.microseconds
  }

  /// The walk begins to wait at its link, or is offered there at once.
  @inline(__always)
  mutating func traceWait(of walk: Slot<Walk>, at now: Instant) {
    if walks[walk].trace != .nobody { traces[walks[walk].trace].waitsSince = now }
  }

  /// The walk's open offer has come to its end.
  @inline(__always)
  mutating func traceOffer(of walk: Slot<Walk>, _ outcome: StaticString, rewrote: Bool = false, at now: Instant) {
    if walks[walk].trace != .nobody { recordOffer(of: walk, outcome, rewrote: rewrote, at: now) }
  }

  @inline(never)
  private mutating func recordOffer(of walk: Slot<Walk>, _ outcome: StaticString, rewrote: Bool, at now: Instant) {
    let offer = walks[walk].offer
    let made = offers[offer].made.microseconds
    let wait = made - traces[walks[walk].trace].waitsSince.microseconds
    record(
      "{\(replicas[offers[offer].replica].label.bytes.string),\"outcome\":\"\(outcome)\",\"wait_us\":\(wait)"
        + ",\"service_us\":\(now.microseconds - made)" + (rewrote ? ",\"rewrote\":true" : "")
        + (walks[walk].isAgain ? ",\"again\":true}" : "}"), of: walk, at: now)
  }

  /// A link fails the walk without an offer.
  @inline(__always)
  mutating func traceFailure(of walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, at now: Instant) {
    if walks[walk].trace != .nobody { recordFailure(of: walk, at: link, cause, at: now) }
  }

  @inline(never)
  private mutating func recordFailure(of walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, at now: Instant) {
    let isHere = walks[walk].link == link
    let wait = isHere ? now.microseconds - traces[walks[walk].trace].waitsSince.microseconds : 0
    record("{\(placeText(of: link)),\"outcome\":\"\(cause.spelling)\",\"wait_us\":\(wait)}", of: walk, at: now)
  }

  /// The walk passes a link without an offer, for a reason that `explain` would give.
  @inline(__always)
  mutating func traceSkip(of walk: Slot<Walk>, past link: Slot<Link>, _ reason: StaticString, at now: Instant) {
    if walks[walk].trace != .nobody {
      record("{\(placeText(of: link)),\"skipped\":\"\(reason)\"}", of: walk, at: now)
    }
  }

  /// `"chain":"main","handler":"porter"`, or `"mount"`.
  mutating func placeText(of link: Slot<Link>) -> String {
    let kind = links[link].mounted == .nobody ? "handler" : "mount"
    return "\"chain\":\"\(chains[links[link].chain].name.string)\",\"\(kind)\":\"\(links[link].name.string)\""
  }

  /// Adds an entry, as long as all messages under way have room; its bytes are the message's.
  private mutating func record(_ entry: String, of walk: Slot<Walk>, at now: Instant) {
    let trace = walks[walk].trace
    guard openBytes < settings.maxTotalBytes else {
      traces[trace].isTruncated = true
      return
    }
    let before = walks[walk].bytes
    traces[trace].append(entry)
    walks[walk].traceBytes = UInt32(clamping: traces[trace].text.count)
    changeAccount(for: walk, before: before, at: now)
  }
}
