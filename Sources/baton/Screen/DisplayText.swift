/// Text of other people on its way to a terminal.
extension String {
  /// The text with everything spelled out that would do something instead of being seen: control characters, and
  /// invisible ones that turn the direction of writing around or hide what follows.
  var displaySafe: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var safe = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.isSeen {
        safe.append(scalar)
      } else {
        safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
      }
    }
    return String(safe)
  }

  /// The columns that the text takes on a terminal.
  var displayWidth: Int {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The text, or as much of its beginning as goes into so many columns together with a `…`.
  func fitted(to width: Int) -> String {
    if displayWidth <= width { return self }
    guard width > 0 else { return "" }
    var short = ""
    var left = width - 1
    for character in self {
      left -= character.displayWidth
      if left < 0 { break }
      short.append(character)
    }
    return short + "…"
  }

  /// The text with spaces behind it, or before it, up to so many columns; shortened where it is longer.
  func filled(to width: Int, isRight: Bool = false) -> String {
    let text = fitted(to: width)
    let spaces = String(repeating: " ", count: Swift.max(width - text.displayWidth, 0))
    return isRight ? spaces + text : text + spaces
  }
}

extension Character {
  /// The columns of one character with its marks. What terminals disagree about is counted the way most have it.
  fileprivate var displayWidth: Int { Swift.min(unicodeScalars.reduce(0) { $0 + $1.displayWidth }, 2) }
}

extension Unicode.Scalar {
  /// Whether it shows as itself, and does nothing else.
  fileprivate var isSeen: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  fileprivate var displayWidth: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    return switch value {
    // The vowels and ends of Korean syllables that are spelled in parts stand in the room of their beginning.
    case 0x1160...0x11FF: 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
