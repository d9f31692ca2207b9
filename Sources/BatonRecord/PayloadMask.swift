internal import BatonCore

/// Values that are never kept: a pointer of JSON into `payload` or `meta`, where `*` stands for each element or member.
/// Names are compared after their escapes, and without regard to the case of ASCII.
package struct PayloadMask: Sendable, Equatable {
  package enum Root: String, Sendable { case payload, meta }

  package let root: Root
  /// The words of the way, in small letters.
  package let words: [[UInt8]]

  /// Reads one, such as `/payload/cards/*/number`. Returns what is wrong with it in place of a mask.
  package static func read(_ text: String) -> Result<PayloadMask, RecordError> {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 2, parts[0].isEmpty, let root = Root(rawValue: parts[1]) else {
      return .failure(RecordError("begins with /payload or /meta, as in /payload/cards/*/number"))
    }
    guard parts.count <= 130 else { return .failure(RecordError("has more than 128 words")) }
    var words: [[UInt8]] = []
    for part in parts.dropFirst(2) {
      var rest = part.replacing("~0", with: "").replacing("~1", with: "")
      rest.removeAll { $0 != "~" }
      guard rest.isEmpty else { return .failure(RecordError("has a ~ that is neither ~0 (a ~) nor ~1 (a /)")) }
      words.append(small(Array(part.replacing("~1", with: "/").replacing("~0", with: "~").utf8)))
    }
    return .success(PayloadMask(root: root, words: words))
  }

  /// The letters of ASCII as small ones.
  static func small(_ text: [UInt8]) -> [UInt8] {
    text.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
  }

  /// What comes of masking.
  enum Masked {
    /// The bytes, with `"***"` in place of each value, and how many there were.
    case kept([UInt8], count: Int)
    /// It cannot be masked for certain.
    case leftOut(StaticString)
  }

  /// The levels of a value in which masks are looked for.
  private static let deepest = 128

  /// Masks a value of JSON.
  static func mask(_ value: ArraySlice<UInt8>, _ masks: [PayloadMask], in root: Root) -> Masked {
    let ways = masks.filter { $0.root == root }.map { $0.words[...] }
    guard !ways.isEmpty, !value.isEmpty else { return .kept(Array(value), count: 0) }
    return value.withUnsafeBytes { bytes in
      guard case .success(let whole) = LoneValue.readChecked(bytes, maximumDepth: 10_000) else {
        return .leftOut("no_json")
      }
      var masking = Masking(bytes: bytes)
      guard masking.go(through: whole, ways, depth: 1) else { return .leftOut("too_deep") }
      return .kept(masking.finished(), count: masking.count)
    }
  }

  private struct Masking {
    let bytes: UnsafeRawBufferPointer
    var text: [UInt8] = []
    /// Up to where the value is copied.
    var copied = 0
    var count = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Goes into a value with the ways that lead on from it. Returns false if it is too deep.
    mutating func go(through value: MemberValue, _ ways: [ArraySlice<[UInt8]>], depth: Int) -> Bool {
      if ways.contains(where: \.isEmpty) {
        replace(value)
        return true
      }
      guard depth <= PayloadMask.deepest else { return value.kind != .object && value.kind != .array }
      switch value.kind {
      case .object:
        for (name, inner) in ObjectMembers(of: value, in: bytes) {
          let word = PayloadMask.small(text(of: name))
          guard step(into: inner, ways, by: word, depth: depth) else { return false }
        }
      case .array:
        for (number, inner) in ArrayElements(of: value, in: bytes).enumerated() {
          guard step(into: inner, ways, by: Array("\(number)".utf8), depth: depth) else { return false }
        }
      default: break
      }
      return true
    }

    private mutating func step(
      into inner: MemberValue, _ ways: [ArraySlice<[UInt8]>], by word: [UInt8], depth: Int
    ) -> Bool {
      let onward = ways.filter { $0.first == word || $0.first == [UInt8(ascii: "*")] }.map { $0.dropFirst() }
      return onward.isEmpty || go(through: inner, onward, depth: depth + 1)
    }

    private func text(of name: MemberValue) -> [UInt8] {
      var text = [UInt8](repeating: 0, count: name.textCount(in: bytes))
      _ = text.withUnsafeMutableBytes { name.copyText(in: bytes, into: $0) }
      return text
    }

    private mutating func replace(_ value: MemberValue) {
      text.append(contentsOf: bytes[copied..<Int(value.start)])
      text.append(contentsOf: "\"***\"".utf8)
      copied = Int(value.end)
      count += 1
    }

    consuming func finished() -> [UInt8] {
      text.append(contentsOf: bytes[copied...])
      return text
    }
  }
}
