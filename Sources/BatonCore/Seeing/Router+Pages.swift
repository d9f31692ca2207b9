/// Pages of links, for `explain` and `inspect` (contract, section 8, `Pages`).
extension Router {
  /// Begins the reply to the line that is read now: `{"op":…,"id":…`. `lists` bytes will come behind its links.
  mutating func beginPage(_ op: StaticString, limit: Int = 1000, lists: Int = 0) -> Page {
    let id = request.id(isOffer: false)
    let limit = request.integer(.limit) ?? limit
    var page = Page(limit: limit, maxLine: settings.maxLine, lists: lists, reserved: 128 + pageStartBound)
    var writer = page.begin(atMost: 32 + id.count)
    writer.literal("{\"op\":\"")
    writer.literal(op)
    writer.literal("\"")
    writer.id(id)
    page.commit(writer)
    return page
  }

  /// Ends the reply and sends it, in pieces that fit into the usual blocks of an outbox.
  mutating func sendPage(_ page: consuming Page, to connection: Slot<Connection>, at now: Instant) {
    page.literal("}\n")
    spent &+= Cost.entry &* page.links &+ Cost.copying(2 &* page.bytes.count)
    let most = BlockPool.blockBytes - LineWriter.slack
    var sent = 0
    while sent < page.bytes.count {
      let piece = page.bytes.bytes.part(sent, min(sent + most, page.bytes.count))
      mark(sent + piece.count == page.bytes.count ? .told : nil, for: connection)
      var writer = beginLine(to: connection, atMost: piece.count)
      writer.raw(piece)
      commitLine(writer, to: connection, at: now)
      sent += piece.count
    }
  }

  /// The most bytes that an `after` may have, because it comes back in a line.
  var pageStartBound: Int { mutating get { min(settings.maxLine / 4, 64 << 10) } }

  /// Writes where the next page begins, if the last link that was told is this one.
  mutating func writePlace(of link: Slot<Link>, to writer: inout LineWriter) {
    writer.raw(chains[links[link].chain].name.bytes)
    writer.byte(UInt8(ascii: "/"))
    writer.raw(links[link].name.bytes)
    writer.byte(UInt8(ascii: "/"))
    writer.number(links[link].rank)
    writer.byte(UInt8(ascii: "/"))
    writer.integer(links[link].arrival)
  }

  /// The link at a place where a page ended, or `nobody` if it is gone; and the order behind which the next page begins.
  mutating func findPlace(_ place: PageStart.Place, in chain: Slot<Chain>) -> (link: Slot<Link>, order: Link.Order) {
    if let link = findLink(place.link, in: chain), links[link].arrival == place.arrival {
      return (link, links[link].order)
    }
    return (.nobody, Link.Order(rank: place.rank, arrival: place.arrival))
  }

  /// What has to be looked at to tell about a link. A history that is told counts like four things, and so does
  /// half a kilobyte in which a condition looks.
  mutating func looking(at link: Slot<Link>) -> Int {
    let tellsHistory = request.op == .inspect && request.flag(.history) == true && links[link].history != .nobody
    let message = request.raw(.payload).count + request.raw(.meta).count
    let isAsked = request.op == .explain && links[link].settings.when != nil
    return 1 + (isAsked ? 1 + message >> 7 : 0) + links[link].settings.accepts.count + 2 * links[link].connections
      + (tellsHistory ? 4 : 0)
  }
}
