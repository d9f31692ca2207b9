/// Traces that go beyond this server: messages in them say so to handlers, senders and subscribers (contract, section 8,
/// `traceparent`).
extension Router {
  mutating func takeTraceRule(_ rule: TraceRule?) {
    sampler.take(rule)
    announcements.samples(rule != nil)
  }

  /// What the sender of a message says of its trace, in `meta`; nil if it says nothing that counts. Where the file knows
  /// peers, nobody else writes into their traces.
  mutating func parentSpan(of walk: Slot<Walk>) -> SpanContext? {
    let meta = walks[walk].message.meta
    guard !meta.isEmpty, !identities.isAsked || namedSender(of: walk).identity != .nobody else { return nil }
    spent &+= Cost.copying(meta.count)
    return SpanContext(ofMeta: meta)
  }

  /// Tells a handler the span of its offer; a shadow that of the message, because its copy is no step of it.
  mutating func writeTraceparent(of walk: Slot<Walk>, _ offer: Slot<Offer>?, to writer: inout LineWriter) {
    guard let span = traces[walks[walk].trace].span else { return }
    writer.traceparent(span.own.trace, span: offer.map { number(of: $0, under: span) } ?? span.own.span)
  }

  /// Tells of a step which span its offer was, and when it was made.
  mutating func writeSpan(of offer: Slot<Offer>, _ walk: Slot<Walk>, to writer: inout LineWriter) {
    guard let span = traces[walks[walk].trace].span else { return }
    writer.span(",\"span\":", number(of: offer, under: span))
    writer.count(",\"offered_us\":", Int(offers[offer].made.microseconds - walks[walk].began.microseconds))
  }

  private mutating func number(of offer: Slot<Offer>, under span: MessageSpan) -> UInt64 {
    span.span(ofOffer: offers[offer].id, on: connections[offers[offer].connection].number)
  }

  /// A JSON string; empty if it goes not beyond this server.
  mutating func quotedTraceparent(of trace: Slot<Trace>) -> OwnedBytes {
    var text = OwnedBytes()
    guard let span = traces[trace].span else { return text }
    var writer = LineWriter(at: text.reserve(64 + LineWriter.slack), room: 64)
    writer.quotedTraceparent(span.own.trace, span: span.own.span)
    text.extend(to: writer.cursor)
    return text
  }

  /// What `$baton.trace` tells of a walk's span beside its result: when it was taken in, in microseconds since 1970, and the
  /// span of its sender.
  mutating func spanMembers(of walk: Slot<Walk>) -> String {
    guard let span = traces[walks[walk].trace].span else { return "" }
    var members = OwnedBytes()
    var writer = LineWriter(at: members.reserve(160 + LineWriter.slack), room: 160)
    writer.traceparent(span.own.trace, span: span.own.span)
    if let parent = span.parent { writer.span(",\"parent\":", parent) }
    let clock = settings.process.wall
    if let began = clock(walks[walk].began) { writer.count(",\"began_us\":", Int(began)) }
    members.extend(to: writer.cursor)
    return members.string
  }
}
