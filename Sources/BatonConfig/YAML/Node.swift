/// A value in the file with its place: a text, a list or a map. Nothing says yet what a text means; that depends on
/// whose value it is.
package struct Node {
  package let place: FilePlace
  package let content: Content

  package enum Content {
    case text(Text)
    case list([Node])
    case map([Member])
    /// Something wrong that was told already.
    case broken
  }

  /// A text. Quotes are gone and do not count, but for one thing: nothing at all is no empty text.
  package struct Text {
    package let string: String
    package let isQuoted: Bool
  }

  /// A key with its value.
  package struct Member {
    package let key: String
    package let place: FilePlace
    package let value: Node
  }

  /// Whether nothing stands there: `key:` and the end of the line.
  package var isAbsent: Bool {
    if case .text(let text) = content { text.string.isEmpty && !text.isQuoted } else { false }
  }

  /// Whether it is what YAML takes for nothing: `null` or `~`.
  package var isNull: Bool {
    if case .text(let text) = content {
      !text.isQuoted && ["null", "Null", "NULL", "~"].contains(text.string)
    } else {
      false
    }
  }

  package var isBroken: Bool { if case .broken = content { true } else { false } }

  /// What it is, for messages.
  package var kind: String {
    switch content {
    case .text: isAbsent || isNull ? "nothing" : "a text"
    case .list: "a list"
    case .map: "a map (KEY: VALUE)"
    case .broken: "something else"
    }
  }
}
