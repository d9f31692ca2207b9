/// What a person sees of a text. Whoever has written it may want a terminal to obey it, or a person to miss it.
extension Unicode.Scalar {
  /// Whether it is only shown: no control, no mark of direction, nothing without a picture.
  package var isSeen: Bool {
    if properties.isDefaultIgnorableCodePoint { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

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
