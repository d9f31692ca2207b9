/// Messages that the server keeps, one line each; or one of them, link by link.
struct FailedWalks {
  private let walks: [FinishedWalk]

  init(_ walks: [FinishedWalk]) { self.walks = walks }

  // MARK: All

  /// For people.
  func lines(within columns: Int, paint: Paint) -> [String] {
    var table = TextTable(columns: [
      .init(title: "AGO", importance: 6, isRight: true), .init(title: "WALK", importance: 8, isRight: true),
      .init(title: "CHAIN", importance: 3, least: 6), .init(title: "TOPIC", importance: 7, least: 10),
      .init(title: "FROM", importance: 2, least: 6), .init(title: "STATUS", importance: 9),
      .init(title: "WHY", importance: 10, least: 24),
    ])
    table.rows = walks.map { walk in
      .cells([
        .init(Figures.milliseconds(walk.agoMilliseconds), .dim), .init("\(walk.walk)"), .init(walk.chain),
        .init(walk.topic, .bold), .init(walk.from), .init(walk.story.status, walk.statusStyle),
        .init(walk.story.reason),
      ])
    }
    let lines = table.lines(width: columns, paint: paint)
    return [lines.titles] + lines.rows
  }

  /// For programs.
  var fields: [String] {
    let names = [
      "ago_ms", "walk", "chain", "topic", "from", "status", "by", "cause", "message", "hops", "total_us", "at", "key",
      "why",
    ]
    return [tabbed(names)]
      + walks.map { walk in
        let story = walk.story
        return tabbed([
          walk.agoMilliseconds.map(String.init) ?? "", "\(walk.walk)", walk.chain, walk.topic, walk.from,
          story.status, story.by ?? "", story.cause ?? "", story.message ?? "",
          story.hops.map(String.init) ?? "", walk.totalMicroseconds.map(String.init) ?? "", walk.at ?? "",
          story.key ?? "", story.reason,
        ])
      }
  }

  // MARK: One

  /// One message: what it was, how it ended, and its steps.
  static func lines(of walk: FinishedWalk, within columns: Int, paint: Paint) -> [String] {
    let story = walk.story
    let key = story.key.map { ", key \($0)" } ?? ""
    let time = walk.at.map { ", at \($0)" } ?? ""
    let ago = walk.agoMilliseconds.map { ", ended \(Figures.milliseconds($0)) ago\(time)" } ?? ""
    let facts = "walk \(walk.walk): \(walk.topic), sent to \(walk.chain) by \(walk.from)\(key)\(ago)"
    let figures = story.hops.map { " (\(counted($0, "hop", "hops")), \(Figures.microseconds(walk.totalMicroseconds)))" }
    let end = "\(story.status): \(story.reason)\(figures ?? "")"
    let wait = story.keyWaitMicroseconds.map {
      "it waited \(Figures.microseconds($0)) for the message before it that has the same key"
    }
    let steps = walk.steps.isEmpty ? [] : TraceTable(walk.steps).lines(within: columns, paint: paint)
    let fitted = { (text: String) in text.displayWidth <= columns ? [text] : text.wrapped(to: columns) }
    return fitted(facts.displaySafe) + fitted(end.displaySafe).map { paint($0, walk.statusStyle) }
      + (wait.map(fitted) ?? []) + steps + notes(story).flatMap(fitted)
  }

  /// Why there is no step. Of a message that nobody took the reason above says it.
  private static func noSteps(_ story: WalkStory) -> String? {
    guard let hops = story.hops else { return nil }
    if hops > 0 { return "its steps were not recorded: no link failed it, and it waited at none" }
    return story.status == "unhandled" ? nil : "it was offered to no link, so there are no steps"
  }

  /// What the steps do not tell.
  private static func notes(_ story: WalkStory) -> [String] {
    guard story.trace != nil else { return [noSteps(story)].compactMap(\.self) }
    var notes: [String] = []
    if story.partial == true { notes.append("offers before the first failure, wait or second chain were not recorded") }
    if story.truncated == true { notes.append("there were more steps than the server keeps") }
    return notes
  }
}
