/// How a piece of text looks on a terminal that shows colours.
enum Style: String {
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"
}

/// Adds styles to texts, or leaves them plain.
struct Paint {
  /// Whether styles are added.
  let isOn: Bool

  func callAsFunction(_ text: String, _ style: Style?) -> String {
    guard isOn, let style, !text.isEmpty else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
