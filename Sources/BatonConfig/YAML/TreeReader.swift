internal import BatonCore

/// Builds the tree of nodes from libyaml's events, and finds what no file may have, whatever it is about: keys twice,
/// anchors, aliases, tags, texts of several lines, more documents than one. Depth and size are bounded.
struct TreeReader {
  private let path: String
  private let source: SourceText
  private var open: [Level] = []
  private var root: Node?
  private var nodes = 0
  private var documents = 0
  private(set) var mistakes = MistakeList()

  /// How many lists and maps may stand in each other.
  static let mostLevels = 32
  /// How many texts, lists and maps a file may have.
  static let mostNodes = 100_000

  /// A list or a map that has begun.
  private struct Level {
    let place: FilePlace
    let isMap: Bool
    var items: [Node] = []
    var members: [Node.Member] = []
    var keys: [String: FilePlace] = [:]
    /// The key whose value comes next. `isKept` is false if the key was wrong.
    var key: (name: String, place: FilePlace, isKept: Bool)?
  }

  /// Ends the reading: what follows cannot be understood.
  private struct Stop: Error {}

  init(_ source: SourceText, path: String) {
    self.source = source
    self.path = path
  }

  /// The tree; nil for a file without values, and for one that cannot be read to its end. `mistakes` says which.
  mutating func read() -> Node? {
    do throws(Stop) {
      if let (place, message) = source.complaint { try stop(place, message) }
      let parser = YAMLParser(source.bytes)
      while true {
        let event = try next(of: parser)
        if case .fileEnds = event.kind { return root }
        try take(event)
      }
    } catch {
      return nil
    }
  }

  private mutating func next(of parser: YAMLParser) throws(Stop) -> YAMLParser.Event {
    do throws(YAMLParser.Problem) {
      return try parser.next()
    } catch {
      let slip = Slip(error, in: source)
      try stop(slip.place, slip.message)
    }
  }

  private mutating func take(_ event: YAMLParser.Event) throws(Stop) {
    if event.hasAnchor {
      wrong(event.place, "names of nodes (&name) are not used here; write the value where it counts")
    }
    if event.hasTag { wrong(event.place, "types (!type) are not used here; each key knows the type of its value") }
    switch event.kind {
    case .text(let string, let style): try takeText(string, style, at: event.place)
    case .alias(let name):
      let pattern = mayBeToken(name) ? "*…" : "*\(shortened(name))"
      wrong(
        event.place,
        "\(pattern) is a reference in YAML, and references are not used here; for the text write '\(pattern)'")
      try add(Node(place: event.place, content: .broken))
    case .listBegins, .mapBegins:
      guard open.count < TreeReader.mostLevels else {
        try stop(event.place, "more than \(TreeReader.mostLevels) lists and maps stand in each other here")
      }
      let isMap = if case .mapBegins = event.kind { true } else { false }
      open.append(Level(place: event.place, isMap: isMap))
    case .listEnds:
      let level = open.removeLast()
      try add(Node(place: level.place, content: .list(level.items)))
    case .mapEnds:
      let level = open.removeLast()
      try add(Node(place: level.place, content: .map(level.members)))
    case .documentBegins:
      documents += 1
      if documents > 1 { try stop(event.place, "a second document begins here (---); the file has one") }
    case .fileEnds, .other: break
    }
  }

  private mutating func takeText(
    _ string: String, _ style: YAMLParser.Event.Style, at place: FilePlace
  ) throws(Stop) {
    switch style {
    case .plain: try add(Node(place: place, content: .text(Node.Text(string: string, isQuoted: false))))
    case .quoted: try add(Node(place: place, content: .text(Node.Text(string: string, isQuoted: true))))
    case .folded:
      wrong(place, "> begins a text of several lines in YAML, and there are none here; for the pattern write '>'")
      try add(Node(place: place, content: .broken))
    case .literal:
      wrong(place, "| begins a text of several lines in YAML, and there are none here; write the text in this line")
      try add(Node(place: place, content: .broken))
    }
  }

  /// Puts a node where it belongs: into the list or map that is open, as a key or as a value.
  private mutating func add(_ node: Node) throws(Stop) {
    nodes += 1
    guard nodes <= TreeReader.mostNodes else {
      try stop(node.place, "the file has more than \(TreeReader.mostNodes) values")
    }
    guard !open.isEmpty else {
      root = node
      return
    }
    let last = open.count - 1
    if !open[last].isMap {
      open[last].items.append(node)
    } else if let key = open[last].key {
      open[last].key = nil
      if key.isKept { open[last].members.append(Node.Member(key: key.name, place: key.place, value: node)) }
    } else {
      open[last].key = key(node)
    }
  }

  /// Takes a node as a key of the map that is open.
  private mutating func key(_ node: Node) -> (name: String, place: FilePlace, isKept: Bool) {
    let last = open.count - 1
    guard case .text(let text) = node.content, !text.string.isEmpty else {
      if case .text = node.content {
        wrong(node.place, "a key is empty; write a name in front of the colon")
      } else if !node.isBroken {
        wrong(node.place, "a key is a text, and \(node.kind) stands here")
      }
      return ("", node.place, false)
    }
    if let first = open[last].keys[text.string] {
      wrong(node.place, "\(quoted(text.string)) stands here a second time; line \(first.line) has it already")
      return (text.string, node.place, false)
    }
    open[last].keys[text.string] = node.place
    return (text.string, node.place, true)
  }

  private mutating func wrong(_ place: FilePlace, _ message: String) {
    mistakes.add(ConfigMistake(.file(path, place), message))
  }

  private mutating func stop(_ place: FilePlace, _ message: String) throws(Stop) -> Never {
    wrong(place, message)
    throw Stop()
  }
}
