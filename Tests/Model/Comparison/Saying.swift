import BatonModel

/// Compares lines if the model leaves a text in them to the server's own words, or a number to its clocks.
enum Saying {
  static func matches(_ core: String, _ model: String) -> Bool {
    var said = core.utf8[...]
    var wanted = model.utf8[...]
    while let next = wanted.popFirst() {
      switch next {
      case 1: guard skipString(&said) else { return false }
      case 2: guard skipNumber(&said) else { return false }
      case 3: guard skipList(&said) else { return false }
      case 4: guard skipString(&said, but: &wanted) else { return false }
      default: guard said.popFirst() == next else { return false }
      }
    }
    return said.isEmpty
  }

  /// One JSON string that is not the one that follows in `wanted`.
  private static func skipString(_ said: inout Substring.UTF8View, but wanted: inout Substring.UTF8View) -> Bool {
    let forbidden = wanted.prefix { $0 != 4 }
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
