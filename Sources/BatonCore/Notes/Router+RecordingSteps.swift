/// The steps of a walk that is recorded: as in a trace, with who served the link in place of what was said. What was said
/// stands apart, because people may ask to have it taken away.
extension Router {
  /// Records the end of the walk's open offer.
  @inline(never)
  mutating func recordOfferedStep(
    of walk: Slot<Walk>, _ outcome: StaticString, wait: Int, service: Int, isVerdict: Bool
  ) {
    let (offer, trace) = (walks[walk].offer, walks[walk].trace)
    let maker = offers[offer].maker
    let peer = offers[offer].connection
    let rewrites = isVerdict && request.op == .continue && request.has(.payload) && !isMisplaced(.continue, at: walk)
    var writer = beginText(atMost: 640 + replicas[maker].label.count)
    writer.literal("{")
    writer.raw(replicas[maker].label.bytes)
    writer.literal(",\"outcome\":\"")
    writer.literal(outcome)
    writer.count("\",\"wait_us\":", wait)
    writer.count(",\"service_us\":", service)
    if rewrites { writer.literal(",\"rewrote\":true") }
    if walks[walk].isAgain { writer.literal(",\"again\":true") }
    if walks[walk].isDoubtful { writer.literal(",\"when\":\"unknown\"") }
    writeTogether(walk, to: &writer)
    writePeer(peer, to: &writer)
    writer.literal("}")
    endText(writer)
    guard traces[trace].way.add(step: entryText.bytes), isVerdict else { return }
    recordSaid(trace)
    guard rewrites, recorder.rule?.takesPayloads == true else { return }
    let hasRoom = traces[trace].way.bytes + request.raw(.payload).count <= settings.maxLine
    traces[trace].way.add(payload: hasRoom ? request.raw(.payload) : nil)
  }

  /// Who served the link: an identity, or a number.
  private mutating func writePeer(_ peer: Slot<Connection>, to writer: inout LineWriter) {
    let identity = connections[peer].identity
    writer.literal(",\"peer\":\"")
    if identity != .nobody, !identities[identity].isAnonymous {
      writer.raw(identities[identity].name)
    } else {
      writer.count("#", connections[peer].number)
    }
    writer.literal("\"")
  }

  /// What a verdict says in words.
  private mutating func recordSaid(_ trace: Slot<Trace>) {
    let hasCode = request.op == .reject && request.has(.code)
    guard request.has(.message) || hasCode else { return }
    var writer = beginText(
      atMost: 128 + LineWriter.bound(text: request.text(.message).count) + request.raw(.code).count)
    writer.count("{\"step\":", traces[trace].way.count - 1)
    if request.has(.message) {
      writer.literal(",\"message\":")
      writer.text(request.text(.message))
    }
    if hasCode {
      writer.literal(",\"code\":")
      writer.raw(request.raw(.code))
    }
    writer.literal("}")
    endText(writer)
    traces[trace].way.add(said: entryText.bytes)
  }

  /// Records that a link was passed, or that the walk ended there, without an offer.
  @inline(never)
  mutating func recordOtherStep(
    of walk: Slot<Walk>, at link: Slot<Link>, outcome: StaticString? = nil, wait: Int = 0,
    skipped: StaticString? = nil
  ) {
    var writer = beginText(atMost: 160 + boundOfPlace(link))
    writer.literal("{")
    writePlaceMembers(link, to: &writer)
    if let outcome {
      writer.literal(",\"outcome\":\"")
      writer.literal(outcome)
      writer.count("\",\"wait_us\":", wait)
      if walks[walk].link == link, walks[walk].isDoubtful { writer.literal(",\"when\":\"unknown\"") }
    }
    if let skipped {
      writer.literal(",\"skipped\":\"")
      writer.literal(skipped)
      writer.literal("\"")
    }
    writeTogether(walk, to: &writer)
    writer.literal("}")
    endText(writer)
    _ = traces[walks[walk].trace].way.add(step: entryText.bytes)
  }
}
