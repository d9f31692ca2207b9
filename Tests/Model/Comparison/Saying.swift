import BatonModel

/// Compares lines if the model leaves a text in them to the server's own words, or a number to its clocks.
enum Saying {
  static func matches(_ core: String, _ model: String) -> Bool {
    var (said, wanted) = (core.utf8[...], model.utf8[...])
    return skip(&wanted, &said) && said.isEmpty
  }

  /// What both say from the place on at which they begin to differ, with a little of what is before it.
  static func difference(_ core: String, _ model: String) -> (core: Substring, model: Substring) {
    var (said, wanted) = (core.utf8[...], model.utf8[...])
    _ = skip(&wanted, &said)
    return (around(said.startIndex, in: core), around(wanted.startIndex, in: model))
  }

  private static func around(_ place: String.Index, in line: String) -> Substring {
    let start = line.utf8.index(place, offsetBy: -120, limitedBy: line.startIndex) ?? line.startIndex
    return line[start...].prefix(240)
  }

  /// What the model says, at the front of what is left of the core's line.
  private static func skip(_ wanted: inout Substring.UTF8View, _ said: inout Substring.UTF8View) -> Bool {
    while let next = wanted.popFirst() {
      switch next {
      case 1: guard skipString(&said) else { return false }
      case 2: guard skipNumber(&said) else { return false }
      case 3: guard skipList(&said) else { return false }
      case 4:
        let end = wanted.firstIndex(of: 6) ?? wanted.endIndex
        guard skipSome(of: wanted[..<end], &said) else { return false }
        wanted = wanted[end...].dropFirst()
      case 7: guard skipString(&said, but: &wanted) else { return false }
      default: guard said.popFirst() == next else { return false }
      }
    }
    return true
  }

  /// As many of these texts as the first word says, in any order.
  private static func skipSome(of words: Substring.UTF8View, _ said: inout Substring.UTF8View) -> Bool {
    var texts = words.split(separator: 5)
    let count = Int(String(Substring(texts.removeFirst()))) ?? 0
    for number in 0..<count {
      if number > 0, said.popFirst() != UInt8(ascii: ",") { return false }
      var rest = said
      let found = texts.firstIndex { text in
        rest = said
        var text = text
        return skip(&text, &rest)
      }
      guard let found else { return false }
      texts.remove(at: found)
      said = rest
    }
    return true
  }

  /// One JSON string that is not the one that follows in `wanted`.
  private static func skipString(_ said: inout Substring.UTF8View, but wanted: inout Substring.UTF8View) -> Bool {
    let forbidden = wanted.prefix { $0 != 7 }
    wanted = wanted[forbidden.endIndex...].dropFirst()
    let start = said
    guard skipString(&said) else { return false }
    return !start[..<said.startIndex].elementsEqual(forbidden)
  }

  /// One JSON string that says something.
  private static func skipString(_ said: inout Substring.UTF8View) -> Bool {
    guard said.popFirst() == UInt8(ascii: "\"") else { return false }
    var count = 0
    while let byte = said.popFirst() {
      if byte == UInt8(ascii: "\"") { return count > 0 }
      if byte == UInt8(ascii: "\\") { _ = said.popFirst() }
      count += 1
    }
    return false
  }

  private static func skipList(_ said: inout Substring.UTF8View) -> Bool {
    guard said.first == UInt8(ascii: "["), let end = said.firstIndex(of: UInt8(ascii: "]")) else { return false }
    said = said[said.index(after: end)...]
    return true
  }

  private static func skipNumber(_ said: inout Substring.UTF8View) -> Bool {
    let digits = said.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    said = said[digits.endIndex...]
    return !digits.isEmpty
  }
}
