/// The result of a try, as it is stored: an object of JSON with the members of a `result` beside `op`, `id` and `dead`.
///
/// If the sender may not see all of it, a second object follows behind an LF: what operators are told in its place. A blank
/// behind the last object says that the message went through a mount: who may not see all chains is told its status alone.
enum DurableResult {
  /// Ends what has a second object, behind the blank: so it is found without reading the first one.
  private static let two = UInt8(ascii: "\t")
  private static let blank = UInt8(ascii: " ")
  private static let gap = UInt8(ascii: "\n")

  /// Where its parts stand.
  private struct Parts {
    /// As the sender may know it.
    var shown: Range<Int>
    /// As operators may; nil if that is the same.
    var whole: Range<Int>?
    var hasGoneThroughMounts: Bool

    init(_ result: [UInt8]) {
      var end = result.count
      let hasTwo = result.last == DurableResult.two
      if hasTwo { end -= 1 }
      hasGoneThroughMounts = end > 0 && result[end - 1] == DurableResult.blank
      if hasGoneThroughMounts { end -= 1 }
      shown = 0..<end
      // An LF stands in no line, and so in no object.
      guard hasTwo, let gap = result[..<end].lastIndex(of: DurableResult.gap) else { return }
      (shown, whole) = (0..<gap, gap + 1..<end)
    }
  }

  /// That of a message whose bytes are damaged, as a list of dead letters tells it.
  static var damaged: [UInt8] { Array(#"{"status":"failed","cause":"damaged","hops":0}"#.utf8) }

  /// That of a message of which no try has an end, without the braces.
  static let none: StaticString = "\"status\":\"timeout\",\"hops\":0"

  /// What ends it.
  static func end(hasGoneThroughMounts: Bool, hasTwo: Bool) -> [UInt8] {
    (hasGoneThroughMounts ? [blank] : []) + (hasTwo ? [two] : [])
  }

  /// Its first member.
  static func status(of result: [UInt8]) -> Outcome.Status {
    result.withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(11))
      let word = rest.part(0, rest.firstIndex(of: UInt8(ascii: "\"")) ?? rest.count)
      return Outcome.Status.allCases.first {
        $0.spelling.withUTF8Buffer { word.equals(UnsafeRawBufferPointer($0)) }
      } ?? .failed
    }
  }

  /// Whether the message has an end in good order: others are those of dead letters.
  static func isEnd(_ result: [UInt8]) -> Bool {
    // The status is its first member, and no other one begins with these letters.
    let first = result.count > 11 ? result[11] : 0
    return first == UInt8(ascii: "h") || first == UInt8(ascii: "r")
  }

  /// Whether bytes of a store can be a result.
  static func isSound(_ result: [UInt8]) -> Bool {
    let parts = Parts(result)
    return result.withUnsafeBytes { bytes in
      StoredText.isObject(UnsafeRawBufferPointer(rebasing: bytes[parts.shown]))
        && parts.whole.map { StoredText.isObject(UnsafeRawBufferPointer(rebasing: bytes[$0])) } ?? true
    }
  }

  static func hasGoneThroughMounts(_ result: [UInt8]) -> Bool { Parts(result).hasGoneThroughMounts }

  /// The members that its sender is told, without the braces.
  static func members(of result: [UInt8]) -> ArraySlice<UInt8> { result[Parts(result).shown].dropFirst().dropLast() }

  /// What operators are told of it.
  static func whole(_ result: [UInt8]) -> ArraySlice<UInt8> {
    let parts = Parts(result)
    return result[parts.whole ?? parts.shown]
  }

  /// What may be long.
  private static let long: [StaticString] = ["payload", "results", "trace"]

  /// What a list of dead letters tells of it: all but what may be long, and what stands beside it.
  static func short(_ result: [UInt8]) -> [UInt8] { rest(of: whole(result), without: long + ["stored", "try"]).text }

  /// What is kept of it where there is no room: all but what may be long, and what operators are told beside it.
  static func truncated(_ result: [UInt8]) -> [UInt8] {
    let parts = Parts(result)
    var (text, hasLeftOut) = rest(of: result[parts.shown], without: long + ["truncated"])
    guard hasLeftOut || parts.whole != nil else { return result }
    if hasLeftOut {
      text.removeLast()
      text += ",\"truncated\":true}".utf8
    } else {
      text = Array(result[parts.shown])
    }
    return text + end(hasGoneThroughMounts: parts.hasGoneThroughMounts, hasTwo: false)
  }

  private static func rest(
    of result: ArraySlice<UInt8>, without left: [StaticString]
  ) -> (text: [UInt8], hasLeftOut: Bool) {
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
