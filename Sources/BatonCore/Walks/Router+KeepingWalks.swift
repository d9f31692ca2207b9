/// Keeps messages that did not end well, for `walks` (contract, section 8).
extension Router {
  /// A walk ends. What its result and its trace tell is kept, without payloads.
  @inline(never)
  mutating func keepWalk(_ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    guard walks[walk].mode != .notify, settings.maxKeptWalks > 0 else { return }
    let chain = walks[walk].outer.first?.chain ?? walks[walk].place.chain
    let trace = walks[walk].trace
    let room =
      1536 + chains[chain].name.count + walks[walk].message.topicText.count + walks[walk].message.from.count
      + walks[walk].message.key.count + by.count + (trace == .nobody ? 0 : traces[trace].bound)
    var text = OwnedBytes()
    var writer = LineWriter(at: text.reserve(room + LineWriter.slack), room: room)
    writer.count("{\"walk\":", walks[walk].number)
    writer.literal(",\"chain\":\"")
    writer.raw(chains[chain].name.bytes)
    writer.literal("\"")
    writer.raw(walks[walk].message.topicMember)
    writer.raw(walks[walk].message.fromMember)
    writer.member(",\"key\":", walks[walk].message.key)
    writer.literal(",\"status\":\"")
    writer.literal(outcome.status.spelling)
    writer.literal("\"")
    writer.by(by)
    switch outcome {
    case .rejected: writeReason(to: &writer, atMost: Trace.mostSaid)
    case .failed(let cause, let isSaid): writeCause(cause, isSaid: isSaid, to: &writer, atMost: Trace.mostSaid)
    default: break
    }
    writer.count(",\"hops\":", walks[walk].hops)
    if walks[walk].wasRepeated { writer.literal(",\"again\":true") }
    writer.count(",\"total_us\":", Int(now.microseconds - walks[walk].began.microseconds))
    if trace != .nobody {
      traces[trace].writeKept(to: &writer)
    } else if walks[walk].hops > 0 {
      writer.literal(",\"partial\":true")
    }
    text.extend(to: writer.cursor)
    keep(
      KeptWalks.Entry(
        number: walks[walk].number, status: outcome.status, chain: chains[chain].name.bytes,
        topic: walks[walk].message.topic, text: text.bytes, at: now))
    extendLifetime(text)
  }

  /// A message ended before its walk began, because there is no such chain.
  mutating func keepLine(from connection: Slot<Connection>, at now: Instant) {
    guard settings.maxKeptWalks > 0 else { return }
    let name = request.chainName()
    let (topic, key) = (request.text(.topic), request.has(.key) ? request.text(.key) : .empty)
    let room =
      256 + name.count + LineWriter.bound(text: topic.count) + LineWriter.bound(text: key.count)
      + connections[connection].from.count
    var text = OwnedBytes()
    var writer = LineWriter(at: text.reserve(room + LineWriter.slack), room: room)
    writer.count("{\"walk\":", walkNumber)
    writer.literal(",\"chain\":")
    writer.text(name.bytes)
    writer.literal(",\"topic\":")
    writer.text(topic)
    writer.literal(",\"from\":")
    writer.raw(connections[connection].from.bytes)
    if !key.isEmpty {
      writer.literal(",\"key\":")
      writer.text(key)
    }
    writer.literal(",\"status\":\"unhandled\",\"hops\":0,\"total_us\":0")
    text.extend(to: writer.cursor)
    keep(
      KeptWalks.Entry(
        number: walkNumber, status: .unhandled, chain: name.bytes, topic: topic, text: text.bytes, at: now))
    extendLifetime(text)
    extendLifetime(name)
  }

  private mutating func keep(_ entry: KeptWalks.Entry) {
    let forgotten = keptWalks.keep(entry, most: settings.maxKeptWalks, mostBytes: settings.maxKeptBytes)
    spent &+= Cost.entry &+ Cost.look &* forgotten &+ Cost.copying(entry.bytes)
  }
}
