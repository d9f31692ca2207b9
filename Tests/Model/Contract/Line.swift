/// One of the server's lines, built member by member in the order in which they are given.
struct Line {
  /// Stands where the server says something in its own words: any JSON string is right there.
  static let anyText = "\u{1}"

  private var text: String

  /// A line that answers nobody.
  init(_ op: String) { text = "{\"op\":\"\(op)\"" }

  /// The reply to a request: its id stands first.
  init(_ op: String, to asked: Asked) {
    self.init(op)
    add("id", json: asked.id)
  }

  /// JSON as it is spelled; nothing where there is none.
  mutating func add(_ member: String, json value: String?) {
    guard let value else { return }
    text += ",\"\(member)\":\(value)"
  }

  /// A text without anything to escape; nothing where there is none.
  mutating func add(_ member: String, _ value: String?) {
    guard let value else { return }
    text += ",\"\(member)\":\"\(value)\""
  }

  mutating func add(_ member: String, _ value: Int) { text += ",\"\(member)\":\(value)" }

  mutating func add(_ member: String, ifTrue value: Bool) {
    if value { text += ",\"\(member)\":true" }
  }

  /// Ranks are spelled without a fraction where they are whole.
  mutating func add(rank: Double) { text += ",\"rank\":\(Int(exactly: rank).map(String.init) ?? rank.description)" }

  var whole: String { text + "}" }
}
