/// The result of a try, as it is stored: an object of JSON with the members of a `result` beside `op`, `id` and `dead`.
///
/// A blank behind it says that the message went through a mount: who may not see all chains is told its status alone.
enum KeptResult {
  /// Whether the message has an end in good order: others are those of dead letters.
  static func isEnd(_ result: [UInt8]) -> Bool {
    // The status is its first member, and no other one begins with these letters.
    let first = result.count > 11 ? result[11] : 0
    return first == UInt8(ascii: "h") || first == UInt8(ascii: "r")
  }

  /// Whether bytes of a store can be a result.
  static func isSound(_ result: [UInt8]) -> Bool {
    result.withUnsafeBytes {
      StoredText.isObject(hasGoneThroughMounts(result) ? UnsafeRawBufferPointer(rebasing: $0.dropLast()) : $0)
    }
  }

  static func hasGoneThroughMounts(_ result: [UInt8]) -> Bool { result.last == UInt8(ascii: " ") }

  /// The members, without the braces.
  static func members(of result: [UInt8]) -> ArraySlice<UInt8> {
    result.dropFirst().dropLast(hasGoneThroughMounts(result) ? 2 : 1)
  }

  /// What may be long.
  private static let long: [StaticString] = ["payload", "results", "trace"]

  /// What a list of dead letters tells of it: all but what may be long, and what stands beside it.
  static func short(_ result: [UInt8]) -> [UInt8] { rest(of: result, without: long + ["stored", "try"]).text }

  /// What is kept of it where there is no room: all but what may be long.
  static func truncated(_ result: [UInt8]) -> [UInt8] {
    var (text, hasLeftOut) = rest(of: result, without: long + ["truncated"])
    guard hasLeftOut else { return result }
    text.removeLast()
    text += ",\"truncated\":true}".utf8
    if hasGoneThroughMounts(result) { text.append(UInt8(ascii: " ")) }
    return text
  }

  private static func rest(of result: [UInt8], without left: [StaticString]) -> (text: [UInt8], hasLeftOut: Bool) {
    result.withUnsafeBytes { bytes in
      let object = MemberValue(from: 0, to: bytes.count, kind: .object)
      var (text, hasLeftOut): ([UInt8], Bool) = ([], false)
      for (name, value) in ObjectMembers(of: object, in: bytes) {
        guard !left.contains(where: { name.isText($0, in: bytes) }) else {
          hasLeftOut = true
          continue
        }
        text.append(text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        text += bytes[Int(name.start)..<Int(value.end)]
      }
      return (text + [UInt8(ascii: "}")], hasLeftOut)
    }
  }

  /// The status alone.
  static func statusOnly(_ result: [UInt8]) -> [UInt8] {
    let end = result.firstIndex(of: UInt8(ascii: ",")) ?? max(0, result.count - 1)
    return result[..<end] + Array(",\"hidden\":true}".utf8)
  }
}
