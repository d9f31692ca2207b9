/// What a shadow said of a message (contract, section 8, `Walks`).
struct ShadowOpinion: Decodable {
  let chain: String
  let handler: String
  /// `handled`, `continue`, `reject` or `failed`.
  let verdict: String
  let rewrote: Bool?
  let message: String?

  /// `reject: a word`.
  var words: String {
    let verdict = rewrote == true ? "\(verdict), another payload" : verdict
    return message.map { "\(verdict): \($0)" } ?? verdict
  }
}

/// Messages with whose outcome shadows disagreed, one line for each shadow.
struct Disagreements {
  private let walks: [FinishedWalk]

  init(_ walks: [FinishedWalk]) { self.walks = walks }

  /// For people.
  func lines(within columns: Int, paint: Paint) -> [String] {
    var table = TextTable(columns: [
      .init(title: "AGO", importance: 5, isRight: true), .init(title: "WALK", importance: 8, isRight: true),
      .init(title: "CHAIN", importance: 3, least: 6), .init(title: "TOPIC", importance: 7, least: 10),
      .init(title: "FROM", importance: 2, least: 6), .init(title: "OUTCOME", importance: 9),
      .init(title: "BY", importance: 4, least: 8), .init(title: "SHADOW", importance: 6, least: 12),
      .init(title: "SAID", importance: 10, least: 32),
    ])
    table.rows = walks.map { walk in
      .cells([
        .init(Figures.milliseconds(walk.agoMilliseconds), .dim), .init("\(walk.walk)"), .init(walk.chain),
        .init(walk.topic, .bold), .init(walk.from), .init(walk.story.status, walk.statusStyle),
        .init(walk.story.by ?? ""), .init(walk.shadow?.handler ?? ""), .init(walk.shadow?.words ?? "", .yellow),
      ])
    }
    let lines = table.lines(width: columns, paint: paint)
    return [lines.titles] + lines.rows
  }

  /// For programs.
  var fields: [String] {
    let names = [
      "ago_ms", "walk", "chain", "topic", "from", "status", "by", "shadow", "verdict", "rewrote", "message",
    ]
    return [tabbed(names)]
      + walks.map { walk in
        tabbed([
          walk.agoMilliseconds.map(String.init) ?? "", "\(walk.walk)", walk.chain, walk.topic, walk.from,
          walk.story.status, walk.story.by ?? "", walk.shadow?.handler ?? "", walk.shadow?.verdict ?? "",
          walk.shadow?.rewrote == true ? "rewrote" : "", walk.shadow?.message ?? "",
        ])
      }
  }
}
