import BatonClient

/// One command, whose payloads keep their bytes.
struct Command: Sendable {
  private let line: ServerLine
  /// What is to be done.
  let name: String
  /// What the outcome is reported under, as JSON: a text or a number.
  let label: Payload?

  init?(_ text: String) {
    guard let line = ServerLine(Array(text.utf8)), let name = line.text("do") else { return nil }
    self.init(line, name)
  }

  private init(_ line: ServerLine, _ name: String) {
    self.line = line
    self.name = name
    label = line.payload("as")
  }

  /// The objects in a list, read the same way.
  func objects(_ name: StaticString) -> [Command] { line.objects(name).map { Command($0, self.name) } }

  /// An object, read the same way.
  func object(_ name: StaticString) -> Command? {
    line.payload(name).flatMap { ServerLine($0.bytes) }.map { Command($0, self.name) }
  }
  /// Nil where it is left out.
  func given(_ name: StaticString) -> Bool? { line.payload(name).map { $0.json == "true" } }

  func text(_ name: StaticString) -> String? { line.text(name) }
  func texts(_ name: StaticString) -> [String] { line.texts(name) }
  func integer(_ name: StaticString) -> Int? { line.payload(name).flatMap { Int($0.json) } }
  func payload(_ name: StaticString) -> Payload? { line.payload(name) }
  func members(of name: StaticString) -> [(String, Payload)] { line.members(of: name).map { ($0.name, $0.value) } }
  func milliseconds(_ name: StaticString) -> Duration? { integer(name).map { .milliseconds($0) } }

  /// False where it is left out, unless that means true.
  func flag(_ name: StaticString, unless normal: Bool = false) -> Bool {
    line.payload(name).map { $0.json == "true" } ?? normal
  }

  /// The lists of texts in a list.
  func lists(_ name: StaticString) -> [[String]] {
    guard let lists = line.payload(name) else { return [] }
    return (try? lists.decode([[String]].self)) ?? []
  }
}
