/// `walks`: tells of messages that did not end well or that links failed (contract, section 8).
extension Router {
  /// The most kept messages that are looked at for one answer.
  private static let mostLooked = 5000

  mutating func tellWalks(to connection: Slot<Connection>, at now: Instant) throws(Fault) {
    guard request.wantsReply else { return }
    let after = request.has(.after) ? PageStart.walkOrder(request.text(.after)) : nil
    var page = beginPage("walks", limit: 100)
    page.literal(",\"walks\":[")
    var cursor = failedWalks.cursor(
      behind: after, status: statusAsked, disagreed: request.flag(.disagreed) == true)
    var (last, looked) = (0, 0)
    // To look at an identity's rights takes longer than the rest.
    let seesAllChains = seesAllChains(connection)
    let step = seesEverything(connection) ? 1 : 10
    while let entry = failedWalks.next(&cursor) {
      let isTold =
        isAskedFor(entry) && maySee(chainNamed: entry.chain.bytes, connection)
        && (seesAllChains || entry.kind != .disagreed || entry.publicCount == nil)
      guard looked < Router.mostLooked, !isTold || page.hasRoom(for: entry.text.count + 64, looking: 1) else {
        writeEnd(of: &page, behind: last)
        return sendPage(page, to: connection, at: now)
      }
      if isTold { writeFailed(entry, seesAllChains: seesAllChains, to: &page, at: now) }
      last = entry.order
      looked += step
      spent &+= Cost.look
    }
    page.literal("]")
    sendPage(page, to: connection, at: now)
  }

  private mutating func writeFailed(
    _ entry: FailedWalks.Entry, seesAllChains: Bool, to page: inout Page, at now: Instant
  ) {
    let bound = entry.text.count + 64
    var writer = page.begin(atMost: bound)
    if page.links > 0 { writer.literal(",") }
    if let count = entry.publicCount, !seesAllChains {
      writer.raw(entry.text.bytes.part(0, count))
      writer.literal(",\"hidden\":true")
    } else {
      writer.raw(entry.text.bytes)
    }
    writer.count(",\"ago_ms\":", now.milliseconds(since: entry.ended))
    writer.literal("}")
    page.commit(writer)
    page.countLink(looking: 1)
  }

  private mutating func writeEnd(of page: inout Page, behind order: Int) {
    var writer = page.begin(atMost: 64)
    writer.count("],\"more\":true,\"after\":\"", order)
    writer.literal("\"")
    page.commit(writer)
  }

  private var statusAsked: Outcome.Status? {
    mutating get {
      guard request.has(.status) else { return nil }
      let status = request.text(.status)
      return Outcome.Status.allCases.first { $0.spelling.withUTF8Buffer { status.elementsEqual($0) } }
    }
  }

  private mutating func isAskedFor(_ entry: FailedWalks.Entry) -> Bool {
    if entry.kind == .disagreed, request.has(.status), entry.status != statusAsked { return false }
    if request.has(.walk), request.integer(.walk) != entry.number { return false }
    if request.has(.chain), !request.text(.chain).equals(entry.chain.bytes) { return false }
    return !request.has(.topic) || Pattern.matches(entry.topic.bytes, pattern: request.text(.topic))
  }
}
