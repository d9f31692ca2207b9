/// The replies to a request that is answered in pages: each says where the next one begins (contract, section 8,
/// `Pages`). It knows no session: it is given what asks.
actor Pages {
  private let ask: @Sendable (RequestLine) async throws -> ServerLine
  private let op: String
  private let members: [(String, Payload)]
  /// Where the next page begins; nil before the first page.
  private var after: Payload?
  private var isOver = false

  init(
    _ op: String, _ members: [(String, Payload)], ask: @escaping @Sendable (RequestLine) async throws -> ServerLine
  ) {
    self.ask = ask
    self.op = op
    self.members = members
  }

  /// Asks for the next page; nil behind the last one.
  func next() async throws -> Payload? {
    if isOver { return nil }
    var line = RequestLine(op, members)
    line.add("after", after)
    let reply = try await ask(line)
    let next =
      reply.flag("more") && (reply.text("after") != nil || reply.integer("after") != nil) ? reply.payload("after") : nil
    // A page that leads to itself has no next one.
    isOver = next == nil || next == after
    after = next
    return reply.whole
  }
}
