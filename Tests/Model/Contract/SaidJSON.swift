/// A value of JSON as a whole, read with recursion, for what conditions say of it.
package indirect enum SaidJSON {
  case object([(name: SaidText, value: SaidJSON)])
  case list([SaidJSON])
  case text(SaidText)
  case number(String)
  case truth(Bool)
  case null

  /// A text: what it means, and how it is written between its quotes.
  package struct SaidText {
    package var scalars: [UInt32]
    package var written: Int
    package var hasEscapes: Bool
    package var string: String { String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init))) }
  }

  /// The value in `json`, which must be right.
  package init(_ json: String) {
    var reader = Reader(scalars: Array(json.unicodeScalars))
    self = reader.value()
  }

  /// The members of this name of an object: their texts, or nil for one that is no text, or has escapes.
  func texts(named name: String) -> [String?] {
    guard case .object(let members) = self else { return [] }
    return members.filter { $0.name.string == name }.map { member in
      if case .text(let text) = member.value, !text.hasEscapes { text.string } else { nil }
    }
  }

  private struct Reader {
    let scalars: [Unicode.Scalar]
    var at = 0

    mutating func space() {
      while at < scalars.count, scalars[at].value <= 0x20 { at += 1 }
    }

    mutating func take(_ wanted: Unicode.Scalar) -> Bool {
      space()
      guard at < scalars.count, scalars[at] == wanted else { return false }
      at += 1
      return true
    }

    mutating func value() -> SaidJSON {
      space()
      switch scalars[at] {
      case "{": return object()
      case "[": return list()
      case "\"": return .text(text())
      case "t", "f", "n": return word()
      default: return number()
      }
    }

    mutating func object() -> SaidJSON {
      var members: [(SaidText, SaidJSON)] = []
      at += 1
      while !take("}") {
        _ = take(",")
        space()
        let name = text()
        _ = take(":")
        members.append((name, value()))
      }
      return .object(members)
    }

    mutating func list() -> SaidJSON {
      var elements: [SaidJSON] = []
      at += 1
      while !take("]") {
        _ = take(",")
        elements.append(value())
      }
      return .list(elements)
    }

    mutating func word() -> SaidJSON {
      let first = scalars[at]
      while at < scalars.count, ("a"..."z").contains(scalars[at]) { at += 1 }
      return first == "n" ? .null : .truth(first == "t")
    }

    mutating func number() -> SaidJSON {
      var digits = ""
      while at < scalars.count, "0123456789+-.eE".unicodeScalars.contains(scalars[at]) {
        digits.unicodeScalars.append(scalars[at])
        at += 1
      }
      return .number(digits)
    }

    mutating func text() -> SaidText {
      at += 1
      let start = at
      var units: [UInt16] = []
      var escapes = false
      while scalars[at] != "\"" {
        if scalars[at] == "\\" {
          escapes = true
          units.append(escape())
        } else {
          units += Array(String(scalars[at]).utf16)
          at += 1
        }
      }
      let written = scalars[start..<at].reduce(0) { $0 + String($1).utf8.count }
      at += 1
      let means = String(decoding: units, as: UTF16.self).unicodeScalars.map(\.value)
      return SaidText(scalars: means, written: written, hasEscapes: escapes)
    }

    mutating func escape() -> UInt16 {
      let letter = scalars[at + 1]
      guard letter == "u" else {
        at += 2
        let meanings: [Unicode.Scalar: UInt16] = ["b": 8, "f": 12, "n": 10, "r": 13, "t": 9]
        return meanings[letter] ?? UInt16(letter.value)
      }
      let digits = String(String.UnicodeScalarView(scalars[at + 2..<at + 6]))
      at += 6
      return UInt16(digits, radix: 16) ?? 0
    }
  }
}
