/// `walks`: tells of messages that did not end well or that links failed (contract, section 8).
extension Router {
  /// The most kept messages that are looked at for one answer.
  private static let mostLooked = 5000
  /// The most bytes that `kinds` takes.
  private static let boundOfKinds = 1400

  mutating func tellWalks(to connection: Slot<Connection>, at now: Instant) throws(Fault) {
    guard request.wantsReply else { return }
    let after = request.has(.after) ? PageStart.walkOrder(request.text(.after)) : nil
    var page = beginPage("walks", limit: 100, lists: Router.boundOfKinds)
    page.literal(",\"walks\":[")
    let isDisagreed = request.flag(.disagreed) == true
    var cursor = failedWalks.cursor(behind: after, status: statusAsked, disagreed: isDisagreed)
    var (last, looked, hasMore) = (0, 0, false)
    // To look at an identity's rights takes longer than the rest.
    let seesAllChains = seesAllChains(connection)
    let step = seesEverything(connection) ? 1 : 10
    let asked = WalksAsked(
      status: statusAsked, since: request.integer(.sinceMilliseconds).map { now.advanced(milliseconds: -$0) },
      key: request.has(.key) ? OwnedBytes(quoting: request.text(.key)) : OwnedBytes(), seesAllChains: seesAllChains)
    var times = LineTime()
    while let entry = failedWalks.next(&cursor) {
      // They come in the order of their ends.
      if let since = asked.since, entry.ended < since { break }
      let isTold = isAskedFor(entry, asked) && maySee(chainNamed: entry.chain.bytes, connection)
      hasMore = looked >= Router.mostLooked || isTold && !page.hasRoom(for: entry.text.count + 128, looking: 1)
      if hasMore { break }
      if isTold { writeFailed(entry, seesAllChains: seesAllChains, &times, to: &page, at: now) }
      last = entry.order
      looked += step
      spent &+= Cost.look
    }
    page.literal("]")
    if seesAllChains, after == nil { writeKinds(asked.status, disagreed: isDisagreed, to: &page, at: now) }
    if hasMore { writeEnd(of: &page, behind: last) }
    sendPage(page, to: connection, at: now)
  }

  private mutating func writeFailed(
    _ entry: FailedWalks.Entry, seesAllChains: Bool, _ times: inout LineTime, to page: inout Page, at now: Instant
  ) {
    let bound = entry.text.count + 128
    var writer = page.begin(atMost: bound)
    if page.links > 0 { writer.literal(",") }
    if let count = entry.publicCount, !seesAllChains {
      writer.raw(entry.text.bytes.part(0, count))
      writer.literal(",\"hidden\":true")
    } else {
      writer.raw(entry.text.bytes)
    }
    writer.count(",\"ago_ms\":", now.milliseconds(since: entry.ended))
    if let wall = entry.wall {
      var text = times.text(wall / 1000)
      writer.literal(",\"at\":\"")
      text.withUTF8 { writer.raw(UnsafeRawBufferPointer($0)) }
      writer.literal("\"")
    }
    writer.literal("}")
    page.commit(writer)
    page.countLink(looking: 1)
  }

  private mutating func writeEnd(of page: inout Page, behind order: Int) {
    var writer = page.begin(atMost: 64)
    writer.count(",\"more\":true,\"after\":\"", order)
    writer.literal("\"")
    page.commit(writer)
  }

  /// How far back each kind reaches that is asked for, and how many of it were forgotten.
  private mutating func writeKinds(
    _ status: Outcome.Status?, disagreed: Bool, to page: inout Page, at now: Instant
  ) {
    var writer = page.begin(atMost: Router.boundOfKinds)
    writer.literal(",\"kinds\":[")
    var isFirst = true
    for kind in FailedWalks.Kind.allCases where kind.isAsked(status: status, disagreed: disagreed) {
      let reach = failedWalks.reach(of: kind)
      if reach.oldest == nil, reach.forgotten == 0 { continue }
      writer.literal(isFirst ? "{" : ",{")
      isFirst = false
      if let status = kind.status {
        writer.literal("\"status\":\"")
        writer.literal(status.spelling)
        writer.literal("\"")
        if kind.isPassedBy { writer.literal(",\"with_failures\":true") }
      } else {
        writer.literal("\"disagreed\":true")
      }
      if let oldest = reach.oldest { writer.count(",\"oldest_ms\":", now.milliseconds(since: oldest)) }
      if reach.forgotten > 0 { writer.count(",\"forgotten\":", reach.forgotten) }
      writer.literal("}")
    }
    writer.literal("]")
    page.commit(writer)
  }

  private var statusAsked: Outcome.Status? {
    mutating get {
      guard request.has(.status) else { return nil }
      let status = request.text(.status)
      return Outcome.Status.allCases.first { $0.spelling.withUTF8Buffer { status.elementsEqual($0) } }
    }
  }

  private mutating func isAskedFor(_ entry: FailedWalks.Entry, _ asked: borrowing WalksAsked) -> Bool {
    if entry.kind == .disagreed, request.has(.status), entry.status != asked.status { return false }
    if request.has(.walk), request.integer(.walk) != entry.number { return false }
    if request.has(.chain), !request.text(.chain).equals(entry.chain.bytes) { return false }
    if !asked.key.isEmpty, !asked.key.bytes.equals(entry.key.bytes) { return false }
    // Who may not be told which links it met cannot find them out.
    if entry.publicCount != nil, !asked.seesAllChains, entry.kind == .disagreed || request.has(.handler) {
      return false
    }
    if request.has(.handler) {
      let name = request.text(.handler)
      guard name.equals(entry.link.bytes) || name.equals(entry.by.bytes) else { return false }
    }
    return !request.has(.topic) || Pattern.matches(entry.topic.bytes, pattern: request.text(.topic))
  }
}

/// What a request `walks` asks for, beside what is compared as it stands there.
private struct WalksAsked: ~Copyable {
  let status: Outcome.Status?
  /// Only those that ended then or later.
  let since: Instant?
  /// As a JSON string; empty if any key will do.
  let key: OwnedBytes
  let seesAllChains: Bool
}
