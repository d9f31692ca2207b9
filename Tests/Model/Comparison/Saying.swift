import BatonModel

/// Compares lines in which the model leaves a text to the server's own words.
enum Saying {
  static func matches(_ core: String, _ model: String) -> Bool {
    let parts = model.utf8.split(separator: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, core.utf8.count >= model.utf8.count + 1 else { return false }
    let text = core.utf8.dropFirst(parts[0].count).dropLast(parts[1].count)
    return core.utf8.starts(with: parts[0]) && core.utf8.suffix(parts[1].count).elementsEqual(parts[1])
      && isString(text)
  }

  /// One JSON string that says something.
  private static func isString(_ text: Substring.UTF8View) -> Bool {
    guard text.count > 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") else { return false }
    var isEscaped = false
    for byte in text.dropFirst().dropLast() {
      if byte == UInt8(ascii: "\""), !isEscaped { return false }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return !isEscaped
  }
}
