/// Which names a right means: one name, or all that begin alike (contract, section 11).
public struct NamePattern: Equatable, Sendable {
  /// The name, or its beginning.
  let text: [UInt8]
  /// Whether all names are meant that begin with the text: `mod*`, or `*` for every name.
  let isPrefix: Bool

  /// All names.
  static let any = NamePattern(text: [], isPrefix: true)

  /// Whether every name is meant.
  var isAny: Bool { isPrefix && text.isEmpty }

  @inline(__always)
  func matches(_ name: UnsafeRawBufferPointer) -> Bool {
    guard isPrefix ? name.count >= text.count : name.count == text.count else { return false }
    return text.withUnsafeBytes { name.part(0, $0.count).equals($0) }
  }

  /// Whether it means every name that the other one means.
  func covers(_ other: NamePattern) -> Bool {
    guard isPrefix || !other.isPrefix else { return false }
    return isPrefix ? other.text.starts(with: text) : other.text == text
  }

  /// As a right spells it.
  public var spelling: String { String(decoding: text, as: UTF8.self) + (isPrefix ? "*" : "") }
}
