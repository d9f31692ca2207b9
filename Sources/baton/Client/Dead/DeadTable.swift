import BatonClient

/// Dead letters, one line each; or one of them with all that is known.
struct DeadTable {
  let letters: [DeadLetter]

  /// For people.
  func lines(within columns: Int, paint: Paint) -> [String] {
    var table = TextTable(columns: [
      .init(title: "AGO", importance: 6, isRight: true), .init(title: "STORED", importance: 20),
      .init(title: "CHAIN", importance: 5, least: 6), .init(title: "TOPIC", importance: 8, least: 10),
      .init(title: "KEY", importance: 2, least: 4), .init(title: "TRIES", importance: 4, isRight: true),
      .init(title: "STATUS", importance: 9), .init(title: "WHY", importance: 10, least: 20),
    ])
    table.rows = letters.map { letter in
      .cells([
        .init(Figures.milliseconds(letter.age.milliseconds), .dim), .init(letter.stored), .init(letter.chain),
        .init(letter.topic, .bold), .init(letter.key ?? ""), .init("\(letter.tries)"),
        .init(letter.result?.status.rawValue ?? "", .red), .init(letter.reason),
      ])
    }
    let lines = table.lines(width: columns, paint: paint)
    return [lines.titles] + lines.rows
  }

  /// What each place of the fields holds.
  static let header = tabbed(["ago_ms", "stored", "chain", "topic", "key", "tries", "status", "why"])

  /// For programs.
  static func fields(_ letter: DeadLetter) -> String {
    tabbed([
      "\(letter.age.milliseconds)", letter.stored, letter.chain, letter.topic, letter.key ?? "", "\(letter.tries)",
      letter.result?.status.rawValue ?? "", letter.reason,
    ])
  }

  /// One of them: what it was, how it ended, and what was sent.
  static func lines(of letter: DeadLetter, within columns: Int, paint: Paint) -> [String] {
    let key = letter.key.map { ", key \($0)" } ?? ""
    let facts =
      "\(letter.stored): \(letter.topic), sent to \(letter.chain)\(key), accepted "
      + "\(Figures.milliseconds(letter.age.milliseconds)) ago"
    let end =
      "dead after \(counted(letter.tries, "attempt that counts", "attempts that count")): "
      + "\(letter.result?.status.rawValue ?? ""): \(letter.reason)"
    let fitted = { (text: String) in text.displayWidth <= columns ? [text] : text.wrapped(to: columns) }
    return fitted(facts.displaySafe) + fitted(end.displaySafe).map { paint($0, .red) }
      + part("payload", letter.payload, columns) + part("meta", letter.meta, columns)
  }

  private static func part(_ name: String, _ value: Payload?, _ columns: Int) -> [String] {
    guard let value else { return [] }
    let text = JSONLines.text(of: value).split(separator: "\n", omittingEmptySubsequences: false)
    return ["\(name):"] + text.map { "  \(String($0).displaySafe)".fitted(to: columns) }
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int { Int(clamping: Int64(self / .milliseconds(1))) }
}
