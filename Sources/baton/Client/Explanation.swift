/// The server's answer to `explain`, and how it is shown.
struct Explanation: Decodable {
  let topic, chain: String
  /// Nil if there is no such chain.
  let version: Int?
  var links: [Link]
  /// Whether the server explains no more, though there is more.
  var truncated: Bool?

  /// Adds the next page.
  mutating func add(_ next: Explanation) {
    links += next.links
    truncated = next.truncated
  }

  /// What one link would do.
  struct Link: Decodable {
    let chain: String
    let handler, mount: String?
    let would: String
    let reason: String?
    let on_failure: String?

    var name: String { handler ?? mount ?? "" }
  }

  /// For programs.
  var fields: [String] {
    links.map { link in
      let kind = link.mount == nil ? "handler" : "mount"
      return tabbed([link.chain, kind, link.name, link.would, link.reason ?? "", link.on_failure ?? ""])
    }
  }

  /// For people.
  func table(within columns: Int, paint: Paint) -> [String] {
    var table = TextTable(columns: [
      .init(title: "CHAIN", importance: 2, least: 6), .init(title: "LINK", importance: 4, least: 6),
      .init(title: "WOULD", importance: 3), .init(title: "REASON", importance: 1, least: 40),
    ])
    var isStopped = false
    for link in links {
      let style = isStopped ? .dim : Explanation.style(of: link)
      let name = link.mount == nil ? link.name : "\(link.name) (mount)"
      let words = Explanation.words(for: link)
      table.rows.append(.cells([.init(link.chain), .init(name), .init(link.would, style), .init(words, style)]))
      isStopped = isStopped || link.on_failure == "stop"
    }
    let nobody = links.contains { $0.handler != nil && $0.would != "skip" && $0.reason != "shadow" } ? [] : [conclusion]
    let lines = table.lines(width: columns, paint: paint)
    return [lines.titles] + lines.rows + nobody
  }

  private var conclusion: String {
    links.contains { $0.on_failure == "stop" }
      ? "The message would fail." : "No handler would be asked: the message would end unhandled."
  }

  private static func style(of link: Link) -> Style? {
    switch link.would {
    case "offer": link.reason == "shadow" ? .dim : .green
    case "wait": .yellow
    default: link.on_failure == "stop" ? .red : .dim
    }
  }

  private static func words(for link: Link) -> String {
    guard let reason = link.reason else { return "" }
    let words =
      switch reason {
      case "topic": "it does not accept the topic"
      case "breaker": "its breaker is open: too many offers timed out"
      case "held": "its place is held until it comes back"
      case "absent": "its place is empty"
      case "empty": "nobody serves it, and it is not required"
      case "visited": "the message has been in that chain"
      case "shadow": "it only gets a copy"
      case "window": "its window is full"
      case "unsent": "it does not read"
      case "overload": "too many messages wait there"
      default: reason
      }
    return words + (link.on_failure == "stop" ? "; the message fails" : "")
  }
}
