/// A span of a trace, as `traceparent` names it (W3C, Trace Context): `00-TRACE-SPAN-FLAGS`, in small hexadecimal digits.
package struct SpanContext: BitwiseCopyable, Equatable {
  let trace: UInt128
  let span: UInt64
  /// Whether who began the trace wants it to be kept.
  let isSampled: Bool

  /// The bytes of version 00; a later version may have more behind a dash.
  static let count = 55

  init(trace: UInt128, span: UInt64) { (self.trace, self.span, isSampled) = (trace, span, true) }

  /// Nil for what is not well formed.
  init?(_ text: UnsafeRawBufferPointer) {
    guard text.count >= SpanContext.count, let version = Self.number(text, 0, 2), version != 0xFF,
      text.count == SpanContext.count || version > 0 && text[SpanContext.count] == UInt8(ascii: "-"),
      let trace = Self.number(text, 3, 35), let span = Self.number(text, 36, 52),
      let flags = Self.number(text, 53, 55), trace != 0, span != 0,
      [2, 35, 52].allSatisfy({ text[$0] == UInt8(ascii: "-") })
    else { return nil }
    (self.trace, self.span) = (trace, UInt64(truncatingIfNeeded: span))
    isSampled = flags & 1 != 0
  }

  /// What a message's `meta` says: an object that has the member once, and well formed, without an escape.
  init?(ofMeta meta: UnsafeRawBufferPointer) {
    guard let value = SpanContext.value(inMeta: meta) else { return nil }
    self.init(value.rawText(in: meta))
  }

  /// A text without an escape that is there once; nil otherwise.
  private static func value(inMeta meta: UnsafeRawBufferPointer) -> MemberValue? {
    var found: MemberValue?
    var cursor = EntryCursor(of: MemberValue(whole: meta), of: .object, in: meta)
    while let member = cursor.nextMember() {
      guard member.name.isText("traceparent", in: meta) else { continue }
      guard found == nil, member.value.kind == .text else { return nil }
      found = member.value
    }
    return found
  }

  /// The same of a sender to whom no server has listened, as it stands there; nil for what a later version has.
  package static func text(ofMeta meta: [UInt8]) -> String? {
    meta.withUnsafeBytes { bytes in
      value(inMeta: bytes).flatMap { text($0.rawText(in: bytes).string) }
    }
  }

  /// The text itself; nil for what is not well formed, or of a later version.
  package static func text(_ said: String) -> String? {
    var said = said
    return said.withUTF8 { $0.count == count && SpanContext(UnsafeRawBufferPointer($0)) != nil } ? said : nil
  }

  /// Whether it is there, whatever it says.
  package static func isSaid(inMeta meta: [UInt8]) -> Bool {
    meta.withUnsafeBytes { bytes in
      var cursor = EntryCursor(of: MemberValue(whole: bytes), of: .object, in: bytes)
      while let member = cursor.nextMember() { if member.name.isText("traceparent", in: bytes) { return true } }
      return false
    }
  }

  private static func number(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UInt128? {
    var number: UInt128 = 0
    for byte in text.part(start, end) {
      guard byte &- UInt8(ascii: "A") >= 6, let digit = HexDigit.value(of: byte) else { return nil }
      number = number << 4 | UInt128(digit)
    }
    return number
  }
}

extension LineWriter {
  /// `,"traceparent":"…"`.
  mutating func traceparent(_ trace: UInt128, span: UInt64) {
    literal(",\"traceparent\":")
    quotedTraceparent(trace, span: span)
  }

  /// The same without the name.
  mutating func quotedTraceparent(_ trace: UInt128, span: UInt64) {
    literal("\"00-")
    hex(UInt64(truncatingIfNeeded: trace >> 64))
    hex(UInt64(truncatingIfNeeded: trace))
    literal("-")
    hex(span)
    literal("-01\"")
  }

  /// A span alone. `name` is its comma, name and colon.
  mutating func span(_ name: StaticString, _ span: UInt64) {
    literal(name)
    literal("\"")
    hex(span)
    literal("\"")
  }

  private mutating func hex(_ number: UInt64) {
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift) & 15)
      byte(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }
}
