/// One of the server's lines, built member by member in the order in which they are given.
struct Line {
  /// Stands where the server says something in its own words: any JSON string is right there.
  static let anyText = "\u{1}"
  /// Stands where any whole number is right.
  static let anyNumber = "\u{2}"

  /// Stands where any list of objects without lists in them is right.
  static let anyList = "\u{3}"

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

  /// JSON as it is spelled; nothing where there is none.
  mutating func add(_ member: String, json value: String?) {
    guard let value else { return }
    text += text == "{" ? "\"\(member)\":\(value)" : ",\"\(member)\":\(value)"
  }

  /// A text without anything to escape; nothing where there is none.
  mutating func add(_ member: String, _ value: String?) {
    if let value { add(member, json: "\"\(value)\"") }
  }

  mutating func add(_ member: String, _ value: Int) { add(member, json: "\(value)") }

  mutating func add(_ member: String, ifTrue value: Bool) {
    if value { add(member, json: "true") }
  }

  /// Ranks are spelled without a fraction where they are whole.
  mutating func add(rank: Double) { add("rank", json: Int(exactly: rank).map(String.init) ?? rank.description) }

  var whole: String { text + "}" }
}
