internal import BatonCore
internal import HTTP

/// The pages of a door, by their paths.
enum HTTPPage {
  case healthz, readyz, metrics
  case send(topic: [UInt8]), broadcast(topic: [UInt8]), explain(topic: [UInt8])
  case inspect, findings, walks
  case stored, dead, resend, discard
  case events
  case webSocket
  case file(ConsoleFile)

  /// The page of a path as it stood in the request. Only the topic is decoded, once.
  static func find(_ path: [UInt8]) throws(HTTPRefusal) -> HTTPPage {
    for page in withTopic where path.starts(with: page.path.utf8) {
      return page.make(try topic(of: path, behind: page.path))
    }
    // Only paths of the program's own length are worth a text.
    let text = path.count <= 64 ? String(decoding: path, as: UTF8.self) : ""
    if let page = plain.first(where: { $0.path == text }) { return page.page }
    if let file = ConsoleFile.find(text) { return .file(file) }
    throw HTTPRefusal(.noSuchPage, "there is no page \"\(shown(path))\"; \(hint(for: text))")
  }

  /// Whether the page is answered whatever the `Host` and the `Origin` are, and without a token.
  var isProbe: Bool {
    switch self {
    case .healthz, .readyz: true
    default: false
    }
  }

  /// Whether the router has to know who asks before anything of the request counts. A WebSocket may say it later.
  var asksWho: Bool {
    switch self {
    case .healthz, .readyz, .webSocket, .file: false
    default: true
    }
  }

  /// Whether a draining server answers the page.
  var isAnsweredWhileDraining: Bool {
    switch self {
    case .healthz, .readyz, .metrics, .inspect, .explain, .file: true
    default: false
    }
  }

  /// Whether the page has no end, so that there is no head of a whole answer.
  private var isEndless: Bool {
    switch self {
    case .events, .webSocket: true
    default: false
    }
  }

  /// Whether the page is asked for with POST.
  private var isPosted: Bool {
    switch self {
    case .send, .broadcast, .resend, .discard, .explain: true
    default: false
    }
  }

  /// Whether the page is asked for with GET.
  private var isGot: Bool {
    if case .explain = self { return true }
    return !isPosted
  }

  /// What `Allow` says of the page.
  var methods: String {
    let got = !isGot ? [] : isEndless ? ["GET"] : ["GET", "HEAD"]
    return (got + (isPosted ? ["POST"] : []) + ["OPTIONS"]).joined(separator: ", ")
  }

  /// Whether a request with this method is answered.
  func takes(_ method: RequestHead.Method) -> Bool {
    switch method {
    case .get: isGot
    case .head: isGot && !isEndless
    case .post: isPosted
    default: false
    }
  }

  /// The path as messages to people name it.
  var shownPath: String {
    switch self {
    case .healthz: "/healthz"
    case .readyz: "/readyz"
    case .metrics: "/metrics"
    case .send: "/send/TOPIC"
    case .broadcast: "/broadcast/TOPIC"
    case .explain: "/explain/TOPIC"
    case .inspect: "/inspect"
    case .findings: "/findings"
    case .walks: "/walks"
    case .stored: "/stored"
    case .dead: "/dead"
    case .resend: "/resend"
    case .discard: "/discard"
    case .events: "/events"
    case .webSocket: "/ws"
    case .file(let file): file.path
    }
  }

  private static let plain: [(path: String, page: HTTPPage)] = [
    ("/healthz", .healthz), ("/readyz", .readyz), ("/metrics", .metrics), ("/inspect", .inspect),
    ("/findings", .findings), ("/walks", .walks), ("/stored", .stored), ("/dead", .dead), ("/resend", .resend),
    ("/discard", .discard), ("/events", .events), ("/ws", .webSocket),
  ]
  private static let withTopic: [(path: String, make: @Sendable ([UInt8]) -> HTTPPage)] = [
    ("/send/", { .send(topic: $0) }), ("/broadcast/", { .broadcast(topic: $0) }),
    ("/explain/", { .explain(topic: $0) }),
  ]

  private static func topic(of path: [UInt8], behind prefix: String) throws(HTTPRefusal) -> [UInt8] {
    let raw = path[prefix.utf8.count...]
    if raw.isEmpty { throw HTTPRefusal(.noSuchPage, "the path ends behind \"\(prefix)\"; a topic has to follow") }
    if raw.contains(UInt8(ascii: "/")) {
      throw HTTPRefusal(
        .noSuchPage,
        "there is no page \"\(shown(path))\"; behind \"\(prefix)\" stands one topic, in which / is written %2F")
    }
    do {
      return try PercentText.decodePath(raw)
    } catch {
      throw HTTPRefusal(.badRequest, "the topic in the path is wrong: \(error.message)")
    }
  }

  private static func hint(for path: String) -> String {
    let known = plain.map(\.path) + withTopic.map { "\($0.path)TOPIC" }
    if withTopic.contains(where: { $0.path == path + "/" }) { return "a topic has to follow: \"\(path)/TOPIC\"" }
    if let nearest = nearestName(to: path, among: known) { return "did you mean \"\(nearest)\"?" }
    return "the pages are \(known.joined(separator: ", ")) and /"
  }
}
