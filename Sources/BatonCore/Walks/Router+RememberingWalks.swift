/// Keeps messages that did not end well or that links failed, for `walks` (contract, section 8).
extension Router {
  /// A walk ends. What its result and its trace tell is kept, without payloads.
  @inline(never)
  mutating func rememberWalk(_ walk: Slot<Walk>, _ outcome: Outcome, by: UnsafeRawBufferPointer, at now: Instant) {
    guard walks[walk].mode != .notify, settings.maxKeptWalks > 0 else { return }
    let chain = chainSentTo(by: walk)
    let trace = walks[walk].trace
    let hasFailures = trace != .nobody && traces[trace].hasFailures
    guard let kind = FailedWalks.Kind(outcome.status, hasFailures: hasFailures) else { return }
    let room =
      1536 + chains[chain].name.count + walks[walk].message.topicText.count + walks[walk].message.from.count
      + walks[walk].message.key.count + by.count + (trace == .nobody ? 0 : traces[trace].bound)
    var writer = beginRemembered(
      walks[walk].number, outcome.status, chain: chains[chain].name.bytes, topic: walks[walk].message.topicText,
      from: walks[walk].message.from, key: walks[walk].message.key, within: Int(walks[walk].within), atMost: room)
    let publicCount = walks[walk].hasGoneThroughMounts ? writer.cursor - entryText.start : nil
    writer.by(by)
    switch outcome {
    case .rejected: writeReason(to: &writer, atMost: Trace.mostSaid)
    case .failed(let cause, let isSaid, let wasAsked):
      writeCause(cause, isSaid: isSaid, wasAsked: wasAsked, to: &writer, atMost: Trace.mostSaid)
    default: break
    }
    writer.count(",\"hops\":", walks[walk].hops)
    if walks[walk].wasRepeated { writer.literal(",\"again\":true") }
    writer.count(",\"total_us\":", Int(now.microseconds - walks[walk].began.microseconds))
    if trace != .nobody {
      traces[trace].writeRemembered(to: &writer)
    } else if walks[walk].hops > 0 {
      writer.literal(",\"partial\":true")
    } else if walks[walk].place.entered >= 0, chains[walks[walk].place.chain].live > 0 {
      // It has met links, and none accepts its topic. Without a version, there was none.
      writer.count(",\"version\":", walks[walk].place.entered)
    }
    endText(writer)
    // A name has no escapes.
    let name = by.isEmpty ? by : by.part(1, by.count - 1)
    var like = FailedWalks.Likeness(chain: chains[chain].name.bytes, link: name)
    if case .failed(let cause, _, _) = outcome { like.cause = cause.rawValue + 1 }
    if kind.isPassedBy {
      like.link = traces[trace].firstFailed.bytes
      like.cause = traces[trace].firstCause.map { $0.rawValue + 1 } ?? 0
    }
    remember(
      FailedWalks.Entry(
        number: walks[walk].number, kind: kind, status: outcome.status, like: like, by: name,
        topic: walks[walk].message.topic, key: walks[walk].message.key, text: entryText.bytes,
        publicCount: publicCount, at: now, wall: settings.process.wall(now)))
  }

  /// A message ended before its walk began, because there is no such chain.
  mutating func rememberLine(from connection: Slot<Connection>, at now: Instant) {
    guard settings.maxKeptWalks > 0 else { return }
    let name = request.chainName()
    let topic = OwnedBytes(quoting: request.text(.topic))
    let key = request.has(.key) ? OwnedBytes(quoting: request.text(.key)) : OwnedBytes()
    let room = 256 + name.count + topic.count + key.count + connections[connection].from.count
    var writer = beginRemembered(
      walkNumber, .unhandled, chain: name.bytes, topic: topic.bytes, from: connections[connection].from.bytes,
      key: key.bytes, within: request.integer(.within) ?? 0, atMost: room)
    writer.literal(",\"hops\":0,\"total_us\":0")
    endText(writer)
    remember(
      FailedWalks.Entry(
        number: walkNumber, kind: .unhandled, status: .unhandled,
        like: FailedWalks.Likeness(chain: name.bytes, link: .empty), by: .empty, topic: request.text(.topic),
        key: key.bytes, text: entryText.bytes, at: now, wall: settings.process.wall(now)))
    extendLifetime(name)
    extendLifetime(topic)
    extendLifetime(key)
  }

  /// Begins the members of a message that is kept. `topic`, `from` and `key` are JSON strings; `key` may be empty.
  mutating func beginRemembered(
    _ number: Int, _ status: Outcome.Status, chain: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer,
    from: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, within: Int, atMost bound: Int
  ) -> LineWriter {
    var writer = beginText(atMost: bound)
    writer.count("{\"walk\":", number)
    writer.literal(",\"chain\":\"")
    writer.raw(chain)
    writer.literal("\"")
    writer.member(",\"topic\":", topic)
    writer.member(",\"from\":", from)
    writer.member(",\"key\":", key)
    writer.within(within)
    writer.literal(",\"status\":\"")
    writer.literal(status.spelling)
    writer.literal("\"")
    return writer
  }

  /// Keeps one, and forgets what is too much then.
  mutating func remember(_ entry: FailedWalks.Entry) {
    // What a lowered limit makes too much goes in pieces.
    let forgotten = failedWalks.add(
      entry, most: settings.maxKeptWalks, mostBytes: settings.maxKeptBytes,
      atOnce: isForgetting ? settings.pieces.size : .max)
    spent &+= Cost.entry &+ Cost.look &* forgotten &+ Cost.copying(entry.bytes)
  }
}
