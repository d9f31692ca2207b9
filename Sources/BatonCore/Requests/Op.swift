extension Op {
  /// The members that the op must have, apart from `op`.
  var required: MemberSet { Member.set(needs) }

  /// The members that the op may have. It includes `op` and the required members.
  var allowed: MemberSet { Member.set(takes) }

  /// The examples of all ops with commas between. They are put together once: it takes longer than all else of `help`.
  static let examples = allCases.map(\.example).joined(separator: ",")

  /// The outcome that a trace gives for an offer that was answered with this op.
  var verdictWord: StaticString {
    switch self {
    case .handled: "handled"
    case .reject: "reject"
    case .failed: "failed"
    default: "continue"
    }
  }

  /// The op with this spelling; nil if there is none. Its first eight bytes are enough to find it; the rest is compared
  /// then.
  @inline(never)
  init?(_ bytes: UnsafeRawBufferPointer) {
    // The words are filled up with NULs. An escape can spell a NUL, so a text that ends in one is refused here.
    guard bytes.count <= 11, bytes.last != 0, let base = bytes.baseAddress else { return nil }
    var word: UInt64 = 0
    if bytes.count >= 8 {
      word = UInt64(littleEndian: base.loadUnaligned(as: UInt64.self))
    } else {
      for at in 0..<bytes.count { word |= UInt64(bytes[at]) << UInt64(at * 8) }
    }
    guard let op = Op(word: word), bytes.count < 8 || bytes.elementsEqual(op.spelling.utf8) else { return nil }
    self = op
  }

  /// The first eight bytes of a spelling as a number.
  @inline(__always)
  static func word(_ text: StaticString) -> UInt64 {
    var word: UInt64 = 0
    for at in 0..<text.utf8CodeUnitCount { word |= UInt64(text.utf8Start[at]) << UInt64(at * 8) }
    return word
  }
}
