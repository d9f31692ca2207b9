import BatonClient

/// The answer to `approvals.list`.
struct ApprovalList: Encodable, Sendable {
  let waiting: [ApprovalFacts]
  let ended: [ApprovalFacts]
}

/// What a person is told of one question. Members that do not apply are absent.
struct ApprovalFacts: Encodable, Sendable {
  let id, topic, from: String
  var since, ends: Int?
  var again: Bool?
  var when: String?
  var how, who: String?
  var ago: Int?
  /// Payload and meta as texts of their bytes: the part that begins at the byte that was asked for, and where the next one
  /// begins.
  var payload, meta: String?
  var bytes: Int?
  var next: Int?

  private enum CodingKeys: String, CodingKey {
    case id, topic, from, again, when, how, who, payload, meta, bytes, next
    case since = "since_ms"
    case ends = "ends_ms"
    case ago = "ago_ms"
  }
}

extension ApprovalBook.Ended {
  func facts(at now: ContinuousClock.Instant) -> ApprovalFacts {
    ApprovalFacts(
      id: id, topic: topic, from: from, how: how.rawValue, who: who, ago: (now - at).wholeMilliseconds)
  }
}

extension ApprovalBook.Entry {
  func facts(at now: ContinuousClock.Instant) -> ApprovalFacts {
    ApprovalFacts(
      id: id, topic: question.topic, from: question.from, since: (now - question.came).wholeMilliseconds,
      ends: question.ends.map { max(0, ($0 - now).wholeMilliseconds) }, again: question.isAgain ? true : nil,
      when: question.isDoubtful ? "unknown" : nil)
  }

  /// The same with a part of the text: meta stands behind the payload.
  func shown(
    from start: Int, most: Int, at now: ContinuousClock.Instant
  ) throws(ApprovalRefusal) -> ApprovalFacts {
    let (payload, meta) = (question.payload?.bytes ?? [], question.meta?.bytes ?? [])
    let count = payload.count + meta.count
    guard start <= count else { throw .bad("at is behind the end") }
    var facts = facts(at: now)
    facts.bytes = count
    var at = start
    facts.payload = payload.part(from: &at, most: most)
    let rest = most - (at - start)
    var inMeta = at - payload.count
    if inMeta >= 0, rest > 0 {
      facts.meta = meta.part(from: &inMeta, most: rest)
      at = payload.count + inMeta
    }
    if at < count { facts.next = at }
    return facts
  }
}

extension [UInt8] {
  /// The text from a place on, of at most so many bytes and no part of a character; nil if nothing is left.
  fileprivate func part(from start: inout Int, most: Int) -> String? {
    guard start < count else { return nil }
    var end = Swift.min(start + most, count)
    while end > start, end < count, self[end] & 0xC0 == 0x80 { end -= 1 }
    defer { start = end }
    return String(decoding: self[start..<end], as: UTF8.self)
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}
