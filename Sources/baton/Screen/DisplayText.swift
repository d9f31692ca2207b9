/// Text of peers that is shown on a terminal.
extension String {
  /// The text with all characters spelled out that would act on the terminal instead of being seen: control characters,
  /// and invisible ones that change the direction of writing or hide what follows. The server's signs are those that
  /// the locale has.
  var displaySafe: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var safe = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let replacement = Glyphs.current.replacements[scalar] {
        safe += replacement.unicodeScalars
      } else if scalar.isSeen {
        safe.append(scalar)
      } else {
        safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
      }
    }
    return String(safe)
  }

  /// How many columns the text takes on a terminal.
  var displayWidth: Int {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The text, or its beginning with an ellipsis, in at most this many columns.
  func fitted(to width: Int) -> String {
    if displayWidth <= width { return self }
    let ellipsis = Glyphs.current.ellipsis
    guard width >= ellipsis.count else { return String(ellipsis.prefix(max(width, 0))) }
    var short = ""
    var left = width - ellipsis.count
    for character in self {
      left -= character.displayWidth
      if left < 0 { break }
      short.append(character)
    }
    return short + ellipsis
  }

  /// The text with spaces after it or before it, in this many columns. A longer text is shortened.
  func filled(to width: Int, isRight: Bool = false) -> String {
    let text = fitted(to: width)
    let spaces = String(repeating: " ", count: Swift.max(width - text.displayWidth, 0))
    return isRight ? spaces + text : text + spaces
  }
}

extension Character {
  /// The columns of one character with its marks. Where terminals differ, it counts as most of them do.
  fileprivate var displayWidth: Int { Swift.min(unicodeScalars.reduce(0) { $0 + $1.displayWidth }, 2) }
}

extension Unicode.Scalar {
  /// Whether the character is only shown and has no effect.
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
    // The vowels and ends of Korean syllables take no columns of their own.
    case 0x1160...0x11FF: 0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
