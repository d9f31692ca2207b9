/// What a walk was that has ended, for those of its copies whose verdicts are not the outcome, or are yet to come.
final class EndedWalk {
  let number: Int
  let status: Outcome.Status
  let chain: OwnedBytes
  let topic: OwnedBytes
  /// The key as a JSON string, and the name of the handler that its result tells; both may be empty.
  let key: OwnedBytes
  let by: OwnedBytes
  /// The members of its line, up to the shadow's.
  let text: OwnedBytes
  /// The bytes of `text` that tell nothing of links; nil if it tells only of links of its own chain.
  let publicCount: Int?

  init(
    number: Int, status: Outcome.Status, chain: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer, by: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer, publicCount: Int?
  ) {
    (self.number, self.status, self.publicCount) = (number, status, publicCount)
    self.chain = OwnedBytes(copying: chain)
    self.topic = OwnedBytes(copying: topic)
    self.key = OwnedBytes(copying: key)
    self.by = OwnedBytes(copying: by)
    self.text = OwnedBytes(copying: text)
  }
}

/// Keeps messages with whose outcome a shadow disagreed, for `walks` (contract, section 8).
extension Router {
  /// The most bytes of a topic and a key as JSON that are kept until a shadow answers: what a copy counts is the same for
  /// each.
  private static var mostKept: Int { 128 }

  /// What a walk was that ends; nil where its topic and its key are too long.
  mutating func describeEnd(
    of walk: Slot<Walk>, _ status: Outcome.Status, by: UnsafeRawBufferPointer
  ) -> EndedWalk? {
    guard walks[walk].message.topicText.count + walks[walk].message.key.count <= Router.mostKept else { return nil }
    let chain = chainSentTo(by: walk)
    var writer = beginRemembered(
      walks[walk].number, status, chain: chains[chain].name.bytes, topic: walks[walk].message.topicText,
      from: walks[walk].message.from, key: walks[walk].message.key, within: Int(walks[walk].within),
      atMost: 272 + chains[chain].name.count + Router.mostKept + walks[walk].message.from.count + by.count)
    let publicCount = walks[walk].hasGoneThroughMounts ? writer.cursor - entryText.start : nil
    writer.by(by)
    endText(writer)
    spent &+= Cost.entry
    return EndedWalk(
      number: walks[walk].number, status: status, chain: chains[chain].name.bytes, topic: walks[walk].message.topic,
      key: walks[walk].message.key, by: by.isEmpty ? by : by.part(1, by.count - 1), text: entryText.bytes,
      publicCount: publicCount)
  }

  /// The words of the verdict in hand, as a JSON string.
  mutating func saidText() -> [UInt8] {
    var writer = beginText(atMost: LineWriter.bound(text: Trace.mostSaid))
    writer.text(request.text(.message), atMost: Trace.mostSaid)
    endText(writer)
    return Array(entryText.bytes)
  }

  /// A shadow has disagreed with what has become of a message.
  mutating func rememberDisagreement(_ disagreement: ShadowCopy.Disagreement, at link: Slot<Link>, _ now: Instant) {
    guard let walk = disagreement.walk, links[link].fate == nil else { return }
    let chain = links[link].chain
    var writer = beginText(
      atMost: 256 + walk.text.count + chains[chain].name.count + LineWriter.bound(text: links[link].name.count)
        + disagreement.said.count)
    writer.raw(walk.text.bytes)
    writer.literal(",\"shadow\":{\"chain\":\"")
    writer.raw(chains[chain].name.bytes)
    writer.literal("\",\"handler\":")
    writer.text(links[link].name.bytes)
    writer.literal(",\"verdict\":\"")
    writer.literal(disagreement.verdict.spelling)
    writer.literal("\"")
    if disagreement.verdict == .rewrote { writer.literal(",\"rewrote\":true") }
    disagreement.said.withUnsafeBytes { writer.member(",\"message\":", $0) }
    writer.literal("}")
    endText(writer)
    remember(
      FailedWalks.Entry(
        number: walk.number, kind: .disagreed, status: walk.status,
        like: FailedWalks.Likeness(
          chain: walk.chain.bytes, link: links[link].name.bytes, cause: disagreement.verdict.rawValue + 1),
        by: walk.by.bytes, topic: walk.topic.bytes, key: walk.key.bytes, text: entryText.bytes,
        publicCount: walk.publicCount, at: now, wall: settings.process.wall(now)))
  }
}
