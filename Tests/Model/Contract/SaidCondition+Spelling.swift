extension SaidCondition {
  /// Without white space between tokens; of texts, only what has to be escaped is.
  static func spelled(_ said: SaidJSON) -> String {
    switch said {
    case .object(let members):
      "{" + members.map { "\(quoted($0.name)):\(spelled($0.value))" }.joined(separator: ",") + "}"
    case .list(let elements): "[" + elements.map(spelled).joined(separator: ",") + "]"
    case .text(let text): quoted(text)
    case .number(let number): number
    case .truth(let truth): "\(truth)"
    case .null: "null"
    }
  }

  private static func quoted(_ text: SaidJSON.SaidText) -> String {
    var quoted = "\""
    for scalar in text.string.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\u{8}": quoted += "\\b"
      case "\u{C}": quoted += "\\f"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// A decimal number as its digits and the power of ten of the first one.
struct SaidNumber {
  var isNegative = false
  var digits: [Int] = []
  var power = 0
  var exponentDigits = 0

  init(_ written: String) {
    var rest = Substring(written)
    if rest.first == "-" {
      isNegative = true
      rest = rest.dropFirst()
    }
    let parts = rest.split(whereSeparator: { $0 == "e" || $0 == "E" })
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    digits = mantissa.joined().compactMap { $0.wholeNumberValue }
    power = mantissa[0].count
    if parts.count > 1 {
      let figures = parts[1].drop { $0 == "+" || $0 == "-" }
      exponentDigits = figures.count
      let size = Int(figures.suffix(9)) ?? 0
      power += parts[1].first == "-" ? -size : size
    }
    while digits.first == 0 {
      digits.removeFirst()
      power -= 1
    }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { (isNegative, power) = (false, 0) }
  }

  /// Below, at or above 0, as this number is below, at or above the other.
  func order(_ other: SaidNumber) -> Int {
    if digits.isEmpty || other.digits.isEmpty || isNegative != other.isNegative { return sign - other.sign }
    if power != other.power { return power < other.power ? -sign : sign }
    if digits == other.digits { return 0 }
    return digits.lexicographicallyPrecedes(other.digits) ? -sign : sign
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }
}
