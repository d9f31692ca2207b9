/// What comes from a store becomes part of lines, and may be any bytes: somebody may have written into its file. Whatever
/// reads it later relies on what is found here.
enum StoredText {
  /// As deep as any line may be (`max_depth`).
  private static let deepest = 10_000

  static func isObject(_ text: UnsafeRawBufferPointer) -> Bool { kind(of: text) == .object }

  static func isText(_ text: UnsafeRawBufferPointer) -> Bool {
    let kind = kind(of: text)
    return kind == .text || kind == .escapedText
  }

  /// One value, or nothing.
  static func isValueOrNothing(_ text: UnsafeRawBufferPointer) -> Bool { text.isEmpty || kind(of: text) != nil }

  /// Nil if it is no JSON, or has white space around it, or a CR, that nobody has stored.
  private static func kind(of text: UnsafeRawBufferPointer) -> ValueKind? {
    guard !text.contains(UInt8(ascii: "\r")),
      let value = try? LoneValue.readChecked(text, maximumDepth: deepest).get()
    else { return nil }
    return value.start == 0 && Int(value.end) == text.count ? value.kind : nil
  }
}
