import BatonClient

/// What is to be inspected.
struct InspectionRequest: Sendable {
  /// One chain; nil: all.
  var chain: String?
  /// Whether the server tells of itself, too.
  var wantsServer = false
  /// Whether links tell of their last ten minutes.
  var wantsHistory = false
  /// Whether the server says what it finds wrong.
  var wantsFindings = false
  /// The most pages that are asked for, if there are that many. A view that is drawn each second needs an end.
  var mostPages = Int.max

  /// The same for a view that is drawn each second.
  var live: InspectionRequest {
    var live = self
    live.mostPages = 5
    return live
  }
}

extension Client {
  /// Inspects, page after page; returns the replies as they came, too.
  func inspect(_ wanted: InspectionRequest) async throws -> (seen: Inspection, lines: [Payload]) {
    var members: [(String, Payload)] = []
    if let chain = wanted.chain { members.append(("chain", Payload(text: chain))) }
    if wanted.wantsServer, try await seesServerOrChains() { members.append(("server", try Payload(true))) }
    if wanted.wantsHistory { members.append(("history", try Payload(true))) }
    var seen: Inspection?
    var lines: [Payload] = []
    do {
      for try await page in pages("inspect", members) {
        let next = try page.decode(Inspection.self)
        if seen?.add(next) == nil { seen = next }
        lines.append(page)
        if lines.count >= wanted.mostPages { break }
      }
    } catch is DecodingError {
      throw BatonError.unknownForm
    }
    guard var seen else { throw CancellationError() }
    // What was seen is shown without them, too.
    if wanted.wantsFindings { seen.findings = try? await ServerFindings(of: self) }
    return (seen, lines)
  }

  /// Whether the server tells of itself. Throws if it tells of no chain either.
  private func seesServerOrChains() async throws(BatonError) -> Bool {
    if await maySeeServer { return true }
    guard await maySeeSomeChain else {
      throw .refused(
        code: "not_allowed",
        message: "you may see nothing here; the right that is missing: see server, or see CHAIN")
    }
    return false
  }

  /// Inspects what stands beside the chains, for instance `messages`. Of the chains it tells next to nothing. Returns
  /// the reply as it came, too.
  func inspect(_ list: String, chain: String? = nil) async throws -> (seen: Inspection, line: Payload) {
    var members = RequestMembers()
    members.add("chain", text: chain)
    members.add(list, try Payload(true))
    try members.add("limit", number: 1)
    let reply = try await request("inspect", members.all)
    guard let seen = try? reply.decode(Inspection.self) else { throw BatonError.unknownForm }
    return (seen, reply)
  }
}

extension BatonError {
  /// The server's answer cannot be read.
  static let unknownForm = BatonError.refused(
    code: "bad_reply", message: "this program does not know the form of the server's answer")
}
