/// Traces: the way of a message, link by link (contract, section 8, `trace`). A walk without a trace costs one
/// comparison at each place that could record something.
extension Router {
  /// Begins a trace if the sender asks for one, a peer has subscribed to `$baton.trace`, the message is recorded, or it is
  /// traced beyond this server. Returns whether it is the last of these.
  mutating func beginTrace(of walk: Slot<Walk>, isAsked: Bool, isRecorded: Bool, at now: Instant) -> Bool {
    // A chain without links counts as forgotten, even if a walk under way still uses it.
    let isThere = sampler.rule != nil && chains[walks[walk].place.chain].live > 0
    let span = isThere ? sampler.span(under: parentSpan(of: walk), at: now) : nil
    let isTraced = isAsked || announcements.areAllTracesHeard || span != nil && announcements.isHeard(.trace)
    guard isTraced || isRecorded || span != nil else { return false }
    walks[walk].trace = traces.insert(
      Trace(isAsked ? .asked : isTraced ? .heard : .steps(isPartial: false), at: now))
    walks[walk].isTraced = isTraced
    if isRecorded { beginRecording(walk) }
    guard let span else { return false }
    traces[walks[walk].trace].span = span
    walks[walk].traceBytes = UInt32(clamping: traces[walks[walk].trace].counted)
    return true
  }

  /// The walk has ended, and its trace is told.
  @inline(__always)
  mutating func endTrace(of walk: Slot<Walk>) {
    if walks[walk].trace != .nobody { traces.remove(walks[walk].trace) }
  }

  /// Begins to record the steps of a walk that nobody traces: something has happened that tells, if the walk does not end
  /// well, why (contract, section 8, `Walks`). `hops` offers were made before.
  @inline(__always)
  mutating func recordSteps(of walk: Slot<Walk>, before hops: Int) {
    if walks[walk].trace == .nobody { beginSteps(of: walk, before: hops) }
  }

  @inline(never)
  private mutating func beginSteps(of walk: Slot<Walk>, before hops: Int) {
    guard walks[walk].mode != .notify else { return }
    var trace = Trace(.steps(isPartial: hops > 0), at: walks[walk].reached)
    let entered = walks[walk].outer.first?.entered ?? walks[walk].place.entered
    if entered >= 0 { trace.version = entered }
    walks[walk].trace = traces.insert(trace)
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
    traces[trace].keyWait = now.microseconds - walks[walk].began.microseconds
  }

  /// Records that the walk begins to wait at its link, or is offered there at once.
  @inline(__always)
  mutating func traceWait(of walk: Slot<Walk>, at now: Instant) {
    if walks[walk].trace != .nobody { traces[walks[walk].trace].waitsSince = now }
  }

  /// The message of a walk: of one place in a stage, the walk that goes through the stage.
  mutating func whole(of walk: Slot<Walk>) -> Slot<Walk> {
    walks[walk].whole == .nobody ? walk : walks[walk].whole
  }

  private mutating func waitBegan(of walk: Slot<Walk>) -> Int64 {
    let isPlace = walks[walk].whole != .nobody
    return (isPlace ? walks[walk].waitsSince : traces[walks[walk].trace].waitsSince).microseconds
  }

  /// Records the end of the walk's open offer.
  @inline(__always)
  mutating func traceOffer(of walk: Slot<Walk>, _ outcome: StaticString, isVerdict: Bool = false, at now: Instant) {
    if walks[walk].trace != .nobody { recordOffer(of: walk, outcome, isVerdict: isVerdict, at: now) }
  }

  @inline(never)
  private mutating func recordOffer(of walk: Slot<Walk>, _ outcome: StaticString, isVerdict: Bool, at now: Instant) {
    let (offer, trace) = (walks[walk].offer, walks[walk].trace)
    let (made, maker) = (offers[offer].made.microseconds, offers[offer].maker)
    guard mayRecord(of: walk) else { return }
    if traces[trace].way.isOn {
      recordOfferedStep(
        of: walk, outcome, wait: Int(made - waitBegan(of: walk)),
        service: Int(now.microseconds - made), isVerdict: isVerdict)
    }
    var writer = beginEntry(atMost: 576 + replicas[maker].label.count)
    writer.raw(replicas[maker].label.bytes)
    writer.literal(",\"outcome\":\"")
    writer.literal(outcome)
    writer.count("\",\"wait_us\":", Int(made - waitBegan(of: walk)))
    writer.count(",\"service_us\":", Int(now.microseconds - made))
    writeSpan(of: offer, walk, to: &writer)
    if isVerdict { writeSaid(of: walk, to: &writer) }
    if walks[walk].isAgain { writer.literal(",\"again\":true") }
    if walks[walk].isDoubtful { writer.literal(",\"when\":\"unknown\"") }
    writeTogether(walk, to: &writer)
    endEntry(writer, of: walk, at: now)
  }

  /// Writes what a verdict says beside its op.
  private mutating func writeSaid(of walk: Slot<Walk>, to writer: inout LineWriter) {
    let isMisplaced = isMisplaced(request.op, at: walk)
    if request.op == .continue, request.has(.payload), !isMisplaced { writer.literal(",\"rewrote\":true") }
    guard request.has(.message) || isMisplaced else { return }
    writer.literal(",\"message\":")
    writer.text(isMisplaced ? wordsOfFailure : request.text(.message), atMost: Trace.mostSaid)
  }

  /// Tells of a step that it was in a stage.
  mutating func writeTogether(_ walk: Slot<Walk>, to writer: inout LineWriter) {
    if walks[walk].whole != .nobody || walks[walk].isInStage { writer.literal(",\"together\":true") }
  }

  /// Whether a verdict is one that a link in a stage cannot give: others are asked at once, and it would be open whose words
  /// count.
  mutating func isMisplaced(_ op: Op, at walk: Slot<Walk>) -> Bool {
    guard walks[walk].whole != .nobody else { return false }
    return op == .handled && walks[walk].mode != .all || op == .continue && request.has(.payload)
  }

  /// What is told of the failure that the verdict in hand is: the handler's words, or the server's own if it was another verdict.
  var wordsOfFailure: UnsafeRawBufferPointer {
    mutating get {
      if request.op == .failed { return request.text(.message) }
      let words: StaticString =
        "a link in a stage lets a message pass or rejects it: handled, and continue with a payload, count as failed"
      return UnsafeRawBufferPointer(start: words.utf8Start, count: words.utf8CodeUnitCount)
    }
  }

  /// Records that a link fails the walk without an offer.
  @inline(__always)
  mutating func traceFailure(of walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, at now: Instant) {
    if walks[walk].trace != .nobody { recordEnd(of: walk, at: link, cause.spelling, at: now) }
  }

  /// Records that the walk ends at a link without an offer: its sender has cancelled it.
  mutating func traceCancelled(_ walk: Slot<Walk>, at link: Slot<Link>, now: Instant) {
    if walks[walk].trace != .nobody { recordEnd(of: walk, at: link, Outcome.Status.cancelled.spelling, at: now) }
  }

  @inline(never)
  private mutating func recordEnd(of walk: Slot<Walk>, at link: Slot<Link>, _ outcome: StaticString, at now: Instant) {
    let trace = walks[walk].trace
    let isHere = walks[walk].link == link
    guard mayRecord(of: walk) else { return }
    let wait = isHere ? now.microseconds - waitBegan(of: walk) : 0
    if traces[trace].way.isOn { recordOtherStep(of: walk, at: link, outcome: outcome, wait: Int(wait)) }
    var writer = beginEntry(atMost: 256 + boundOfPlace(link))
    writePlaceMembers(link, to: &writer)
    writer.literal(",\"outcome\":\"")
    writer.literal(outcome)
    writer.count("\",\"wait_us\":", Int(wait))
    if isHere, walks[walk].isDoubtful { writer.literal(",\"when\":\"unknown\"") }
    writeTogether(walk, to: &writer)
    endEntry(writer, of: walk, at: now)
  }

  /// Records that the walk passes a link without an offer. `reason` is a word that `explain` uses, too.
  @inline(__always)
  mutating func traceSkip(of walk: Slot<Walk>, past link: Slot<Link>, _ reason: StaticString, at now: Instant) {
    if walks[walk].trace != .nobody { recordSkip(of: walk, past: link, reason, at: now) }
  }

  @inline(never)
  private mutating func recordSkip(
    of walk: Slot<Walk>, past link: Slot<Link>, _ reason: StaticString, at now: Instant
  ) {
    guard mayRecord(of: walk) else { return }
    if traces[walks[walk].trace].way.isOn { recordOtherStep(of: walk, at: link, skipped: reason) }
    var writer = beginEntry(atMost: 128 + boundOfPlace(link))
    writePlaceMembers(link, to: &writer)
    writer.literal(",\"skipped\":\"")
    writer.literal(reason)
    writer.literal("\"")
    writeTogether(walk, to: &writer)
    endEntry(writer, of: walk, at: now)
  }

  mutating func boundOfPlace(_ link: Slot<Link>) -> Int {
    32 + chains[links[link].chain].name.count + links[link].name.count
  }

  /// Writes `"chain":"main","handler":"porter"`; for a mount, `"mount"` in place of `"handler"`. Names need no escapes.
  mutating func writePlaceMembers(_ link: Slot<Link>, to writer: inout LineWriter) {
    writer.literal("\"chain\":\"")
    writer.raw(chains[links[link].chain].name.bytes)
    writer.literal(links[link].mounted == .nobody ? "\",\"handler\":\"" : "\",\"mount\":\"")
    writer.raw(links[link].name.bytes)
    writer.literal("\"")
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

  /// Whether one more entry fits: the trace is not full, and all messages under way do not take too many bytes.
  private mutating func mayRecord(of walk: Slot<Walk>) -> Bool {
    let trace = walks[walk].trace
    guard traces[trace].goesOn else { return false }
    if !mayGrow(walk) { traces[trace].truncate() }
    return traces[trace].goesOn
  }

  /// Begins an entry of at most `bound` bytes. It is written apart, so that a trace takes no more memory than it needs.
  private mutating func beginEntry(atMost bound: Int) -> LineWriter {
    var writer = beginText(atMost: bound)
    writer.literal("{")
    return writer
  }

  /// Begins a text of at most `bound` bytes in `entryText`.
  mutating func beginText(atMost bound: Int) -> LineWriter {
    entryText.shorten(to: 0)
    return LineWriter(at: entryText.reserve(bound + LineWriter.slack), room: bound)
  }

  mutating func endText(_ writer: LineWriter) { entryText.extend(to: writer.cursor) }

  private mutating func writeEnd(of writer: LineWriter) {
    var writer = writer
    writer.literal("}")
    endText(writer)
  }

  /// Ends the entry that `beginEntry` began. It counts as bytes of the message.
  private mutating func endEntry(_ writer: LineWriter, of walk: Slot<Walk>, at now: Instant) {
    let trace = walks[walk].trace
    spent &+= Cost.entry
    let message = whole(of: walk)
    let before = walks[message].bytes
    writeEnd(of: writer)
    traces[trace].append(entryText.bytes, veil: traces[trace].isAsked ? veilText(of: walk) : [])
    walks[message].traceBytes = UInt32(clamping: traces[trace].counted)
    changeAccount(for: message, before: before, at: now)
  }

  /// Lists a failure that the message passed, for its result.
  mutating func listFailure(
    of walk: Slot<Walk>, at link: Slot<Link>, _ cause: Cause, by asked: Offer.Asked? = nil, isSaid: Bool,
    at now: Instant
  ) {
    let trace = walks[walk].trace
    guard trace != .nobody else { return }
    guard mayGrow(walk) else { return traces[trace].leaveOutFailure() }
    let veil = veil(of: walk)
    let isRead = isSaid && veil == .nobody && maySenderRead(walk)
    if walks[walk].attempt != .nobody {
      writeFailure(at: link, cause, by: asked, isSaid: isSaid)
      traces[trace].listWhole(entryText.bytes, isHidden: veil != .nobody || isSaid != isRead)
    }
    guard traces[trace].mayList else { return traces[trace].leaveOutFailure() }
    // As the offer named it. A name has no escapes.
    if let asked {
      let name = replicas[asked.maker].name
      traces[trace].noteFirst(cause, of: name.part(1, name.count - 1))
    } else {
      traces[trace].noteFirst(cause, of: links[link].name.bytes)
    }
    if veil != .nobody { return listHiddenFailure(of: walk, behind: veil, cause) }
    writeFailure(at: link, cause, by: asked, isSaid: isRead)
    traces[trace].list(entryText.bytes, veil: [])
  }

  /// Writes an entry of `failures`. `isSaid`: the verdict in hand has a message, which is told.
  private mutating func writeFailure(at link: Slot<Link>, _ cause: Cause, by asked: Offer.Asked?, isSaid: Bool) {
    var writer = beginEntry(atMost: 512)
    writer.literal("\"by\":")
    if let asked { writer.raw(replicas[asked.maker].name) } else { writer.text(links[link].name.bytes) }
    writer.literal(",\"chain\":\"")
    writer.raw(chains[links[link].chain].name.bytes)
    writer.literal("\",\"cause\":\"")
    writer.literal(cause.spelling)
    writer.literal("\"")
    if isSaid {
      writer.literal(",\"message\":")
      writer.text(wordsOfFailure, atMost: Trace.mostSaid)
    }
    writeEnd(of: writer)
  }

  /// Lists the mount in place of a link that the sender may not see: once for all failures behind it.
  private mutating func listHiddenFailure(of walk: Slot<Walk>, behind veil: Slot<Link>, _ cause: Cause) {
    var writer = beginEntry(atMost: 512)
    writer.literal("\"by\":\"")
    writer.raw(links[veil].name.bytes)
    writer.literal("\",\"chain\":\"")
    writer.raw(chains[links[veil].chain].name.bytes)
    writer.literal("\",\"cause\":\"")
    writer.literal(cause.spelling)
    writer.literal("\",\"hidden\":true")
    writeEnd(of: writer)
    traces[walks[walk].trace].list(entryText.bytes, veil: veilText(of: walk))
  }
}
