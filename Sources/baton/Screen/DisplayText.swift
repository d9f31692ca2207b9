import BatonClient
import BatonCore

extension Payload {
  /// The JSON of a peer as text. A program that reads it has the same value.
  var seen: String { seenJSON(bytes) }
}

private let outputHasOnlyASCII = Glyphs.areOnlyASCII && Terminal.isOutput
private let talkHasOnlyASCII = Glyphs.areOnlyASCII && Terminal.isTalk

/// Text of peers that is shown on a terminal.
extension String {
  /// The text with all characters spelled out that would act on the terminal instead of being seen: control characters,
  /// and invisible ones that change the direction of writing, or hide something. The server's signs are those that the
  /// locale has.
  var displaySafe: String { spelled(onlyASCII: outputHasOnlyASCII) }

  /// The same for standard error.
  var talkSafe: String { spelled(onlyASCII: talkHasOnlyASCII) }

  private func spelled(onlyASCII: Bool) -> String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
    var safe = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let replacement = Glyphs.current.replacements[scalar] {
        safe += replacement.unicodeScalars
      } else if scalar.isSeen, scalar.isASCII || !onlyASCII {
        safe.append(scalar)
      } else {
        safe += scalar.spelledOut.unicodeScalars
      }
    }
    return String(safe)
  }

  /// How many columns the text takes on a terminal.
  var displayWidth: Int {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The text in pieces that take at most so many columns on any terminal: no letter of it may be cut off.
  func split(to width: Int) -> [String] {
    var (pieces, piece, used) = ([String](), "", 0)
    for part in flatMap({ $0.mostColumns > width ? $0.unicodeScalars.map(Character.init) : [$0] }) {
      let columns = part.mostColumns
      if used + columns > width, !piece.isEmpty {
        pieces.append(piece)
        (piece, used) = ("", 0)
      }
      piece.append(part)
      used += columns
    }
    return pieces + [piece]
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

  /// Its columns where it takes most: some terminals show each mark and each part for itself, and those of the Far East
  /// give many letters two.
  fileprivate var mostColumns: Int {
    unicodeScalars.reduce(0) {
      $0 + ($1.isASCII ? 1 : Glyphs.mayBeWide ? 2 : Swift.max($1.displayWidth, 1))
    }
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    return switch value {
    // The vowels and ends of Korean syllables take no columns of their own.
    case 0x1160...0x11FF: 0
    case 0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0x303E, 0x3041...0xA4CF,
      0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D37F, 0x1F200...0x1FAFF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
