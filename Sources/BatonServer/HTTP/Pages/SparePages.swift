internal import BatonCore
internal import HTTP

/// What a spare of a cluster answers over HTTP: that it is alive, its own figures, and where the leader is (Docs/http.md,
/// section 11).
struct SparePages {
  let other: OtherLeader
  /// The origin of the leader's pages; nil if it is not known.
  let leaderPages: String?
  /// The text of `/metrics`.
  let metrics: () -> [UInt8]

  /// The answer to a request that may come in; nil: as a leader answers. Throws what is refused.
  func answer(
    _ head: RequestHead, _ page: HTTPPage, _ cors: [(name: String, value: String)]
  ) throws(HTTPRefusal) -> HTTPAnswer? {
    guard head.method != .options else { return nil }
    switch page {
    case .healthz: return nil
    case .metrics where page.takes(head.method):
      return HTTPAnswer(
        200, headers: HTTPAnswer.headers(ofType: MetricsText.type) + cors, body: metrics())
    case .events where HTTPPlan.isEventSource(head): return EventStream.refused(refusal, cors)
    case .file where HTTPPlan.isConsole(page, head):
      return HTTPAnswer(
        503, headers: HTTPAnswer.headers(ofType: "text/html; charset=utf-8") + [("Retry-After", "1")] + cors,
        body: Array(pageText.utf8))
    default: throw refusal
    }
  }

  private var refusal: HTTPRefusal {
    var refusal = HTTPRefusal(.notLeading, other.words)
    var members: [UInt8] = Array(",\"node\":".utf8)
    members.appendQuoted(other.node)
    if let leader = other.leader {
      members += Array(",\"leader\":".utf8)
      members.appendQuoted(leader.address)
    }
    refusal.members = String(decoding: members, as: UTF8.self) + ",\"ready\":\(other.isReady)"
    return refusal
  }

  /// It asks again by itself, until this node leads or the leader is known.
  private var pageText: String {
    let words = SparePages.escaped(other.words)
    let link = leaderPages.map { "<p><a href=\"\(SparePages.escaped($0))\">\(SparePages.escaped($0))</a></p>" } ?? ""
    return "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=5><title>Baton: a spare</title>"
      + "<p>\(words).</p>\(link)\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
