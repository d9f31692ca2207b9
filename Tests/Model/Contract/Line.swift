/// One of the server's lines, built member by member in the order in which they are given.
struct Line {
  /// Stands for a text in the server's own words: any JSON string is right there.
  static let anyText = "\u{1}"
  /// Stands for a number: any whole number is right there.
  static let anyNumber = "\u{2}"

  /// Stands for a list: any list of objects without lists in them is right there.
  static let anyList = "\u{3}"

  /// Stands for a text in the server's own words that must not be this JSON string.
  static func anyText(but forbidden: String) -> String { "\u{7}\(forbidden)\u{7}" }

  /// Stands for so many of these texts, with commas between them: any order is right there.
  static func any(_ count: Int, of texts: [String]) -> String {
    "\u{4}\(count)\u{5}\(texts.joined(separator: "\u{5}"))\u{6}"
  }

  private var text: String

  /// A line that is no reply.
  init(_ op: String) { text = "{\"op\":\"\(op)\"" }

  /// An object within a line.
  init() { text = "{" }

  /// The reply to a request: its id stands first.
  init(_ op: String, to asked: Asked) {
    self.init(op)
    add("id", json: asked.id)
  }

  /// Adds JSON as it is spelled; adds nothing if there is none.
  mutating func add(_ member: String, json value: String?) {
    guard let value else { return }
    text += text == "{" ? "\"\(member)\":\(value)" : ",\"\(member)\":\(value)"
  }

  /// Adds a text without anything to escape; adds nothing if there is none.
  mutating func add(_ member: String, _ value: String?) {
    if let value { add(member, json: "\"\(value)\"") }
  }

  mutating func add(_ member: String, _ value: Int) { add(member, json: "\(value)") }

  mutating func add(_ member: String, ifTrue value: Bool) {
    if value { add(member, json: "true") }
  }

  /// How many messages led to one, if any did.
  mutating func add(within number: Int?) {
    if let number, number > 0 { add("within", number) }
  }

  /// A rank is spelled without a fraction if it is whole.
  mutating func add(rank: Double) { add("rank", json: Int(exactly: rank).map(String.init) ?? rank.description) }

  var whole: String { text + "}" }
}
