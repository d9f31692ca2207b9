/// Traces: the way of a message, link by link (contract, section 8, `trace`). A walk without a trace costs one
/// comparison at each place that could record something.
extension Router {
  /// Begins a trace if the sender asks for one or a peer has subscribed to `$baton.trace`.
  mutating func beginTrace(of walk: Slot<Walk>, at now: Instant) {
    let isAsked = request.flag(.trace) == true
    guard isAsked || announcements.isHeard(.trace) else { return }
    walks[walk].trace = traces.insert(Trace(isAsked: isAsked, at: now))
  }

  /// Records that the walk enters its first chain.
  @inline(__always)
  mutating func traceEntry(of walk: Slot<Walk>, at now: Instant) {
    let trace = walks[walk].trace
    guard trace != .nobody else { return }
    // A chain without links counts as forgotten, even if a walk under way still uses it. Its version is not told.
    if chains[walks[walk].place.chain].live > 0 { traces[trace].version = walks[walk].place.entered }
    if traces[trace].keyWait != nil { traceKeyWait(of: walk, at: now) }
  }

  /// Records how long the walk has waited for its key. The first call, at the beginning of the wait, records 0.
  mutating func traceKeyWait(of walk: Slot<Walk>, at now: Instant) {
    let trace = walks[walk].trace
    guard trace != .nobody else { return }
    traces[trace].keyWait = now.microseconds - traces[trace].began.microseconds
  }

  /// Records that the walk begins to wait at its link, or is offered there at once.
  @inline(__always)
  mutating func traceWait(of walk: Slot<Walk>, at now: Instant) {
    if walks[walk].trace != .nobody { traces[walks[walk].trace].waitsSince = now }
  }

  /// Records the end of the walk's open offer.
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
      "{\(replicas[offers[offer].maker].label.bytes.string),\"outcome\":\"\(outcome)\",\"wait_us\":\(wait)"
        + ",\"service_us\":\(now.microseconds - made)" + (rewrote ? ",\"rewrote\":true" : "")
        + (walks[walk].isAgain ? ",\"again\":true}" : "}"), of: walk, at: now)
  }

  /// Records that a link fails the walk without an offer.
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

  /// Records that the walk passes a link without an offer. `reason` is a word that `explain` uses, too.
  @inline(__always)
  mutating func traceSkip(of walk: Slot<Walk>, past link: Slot<Link>, _ reason: StaticString, at now: Instant) {
    if walks[walk].trace != .nobody {
      record("{\(placeText(of: link)),\"skipped\":\"\(reason)\"}", of: walk, at: now)
    }
  }

  /// The members `"chain":"main","handler":"porter"`. For a mount, `"mount"` is in place of `"handler"`.
  mutating func placeText(of link: Slot<Link>) -> String {
    let kind = links[link].mounted == .nobody ? "handler" : "mount"
    return "\"chain\":\"\(chains[links[link].chain].name.string)\",\"\(kind)\":\"\(links[link].name.string)\""
  }

  /// Whether the walk's trace has links that do not accept the topic, and is not full.
  @inline(__always)
  mutating func tracesUnwanted(_ walk: Slot<Walk>) -> Bool {
    let trace = walks[walk].trace
    return trace != .nobody && traces[trace].isAsked && traces[trace].goesOn
  }

  /// Adds an entry, unless the trace is full, or all messages under way take too many bytes. The bytes of the entry
  /// count as bytes of the message.
  private mutating func record(_ entry: String, of walk: Slot<Walk>, at now: Instant) {
    let trace = walks[walk].trace
    guard traces[trace].goesOn else { return }
    guard openBytes < settings.maxTotalBytes else { return traces[trace].truncate() }
    spent &+= Cost.entry
    let before = walks[walk].bytes
    traces[trace].append(entry)
    walks[walk].traceBytes = UInt32(clamping: traces[trace].text.count)
    changeAccount(for: walk, before: before, at: now)
  }
}
