/// What a person sees of a text. Whoever has written it may want a terminal to obey it, or a person to miss it.
extension Unicode.Scalar {
  /// Whether it is only shown: no control, no mark of direction, nothing without a picture.
  package var isSeen: Bool {
    if properties.isDefaultIgnorableCodePoint || Self.blank.contains(value) { return false }
    return switch properties.generalCategory {
    case .spaceSeparator: self == " "
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  /// Letters and signs without ink: an empty pattern of Braille, what stands for an object, a note without a head, fillers.
  private static let blank: [UInt32] = [0x2800, 0xFFFC, 0x1D159, 0x16FE4, 0x13441, 0x13442]

  /// `\u{1B}`.
  package var spelledOut: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}

/// A line of JSON for a person: in its strings, what is not seen is escaped, so that the value stays the same. What is no
/// UTF-8 is replaced. `onlyASCII` escapes all other letters, too.
package func seenJSON(_ line: some Collection<UInt8>, onlyASCII: Bool = false) -> String {
  let text = String(decoding: line, as: UTF8.self)
  if line.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
  var seen = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if scalar.isSeen, scalar.isASCII || !onlyASCII {
      seen.append(scalar)
    } else if ["\t", "\n", "\r"].contains(scalar) {
      // These stand between tokens only.
      seen.append(" ")
    } else {
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        seen += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars
      }
    }
  }
  return String(seen)
}
