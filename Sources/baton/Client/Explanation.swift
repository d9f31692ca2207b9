import BatonCore

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
    /// For how many of a hundred messages it is, where the message has no key that decides it.
    let percent: Int?
    /// `unknown` if it would be asked in doubt, `depends` if nobody knows what the message says.
    let when: String?
    /// Of a mount: whether the links of that chain are asked at once.
    let together: Bool?
    /// Whether it is a mount of whose links nothing is told.
    let hidden: Bool?

    var name: String { handler ?? mount ?? "" }
    /// For people: a link that stops the message does not only skip it.
    var verb: String { on_failure == "stop" ? "fail" : would }
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
    for link in links {
      let style = Explanation.style(of: link)
      let name = link.mount == nil ? link.name : "\(link.name) (mount)"
      let words = Explanation.words(for: link)
      table.rows.append(.cells([.init(link.chain), .init(name), .init(link.verb, style), .init(words, style)]))
    }
    let lines = table.lines(width: columns, paint: paint)
    return [lines.titles] + lines.rows + conclusion.flatMap { $0.wrapped(to: columns) }
  }

  /// What would become of the message, if the links themselves do not tell it.
  private var conclusion: [String] {
    if let stop = links.first(where: { $0.on_failure == "stop" && $0.percent == nil && $0.when != "depends" }) {
      let reason = stop.reason.map { " (\(StepWords.meaning(of: $0)))" } ?? ""
      return ["The message would fail at \(stop.chain)/\(stop.name)\(reason).".displaySafe]
    }
    // What would come of the message in a mounted chain that one may not see, nobody knows here.
    let isAnybodyAsked = links.contains {
      ($0.handler != nil || $0.hidden == true) && $0.would != "skip" && $0.reason != "shadow"
    }
    return isAnybodyAsked ? [] : ["No handler would be asked: the message would end unhandled."]
  }

  private static func style(of link: Link) -> Style? {
    switch link.would {
    case "offer": link.reason == "shadow" ? .dim : .green
    case "wait": .yellow
    default: link.on_failure == "stop" ? .red : .dim
    }
  }

  private static func words(for link: Link) -> String {
    let part = link.percent.map { "for \($0) % of the messages, by their keys" }
    let fit = [
      "depends": "if the message fits its condition", "unknown": "in doubt: the message may not fit its condition",
    ]
    let doubt = link.when.flatMap { fit[$0] }
    let why = link.reason.map { StepWords.meaning(of: $0) } ?? (link.hidden == true ? "you may not see its links" : nil)
    let stage = link.together == true ? "its links are asked at once" : nil
    return [part, doubt, stage, why].compactMap(\.self).joined(separator: "; ")
  }
}
