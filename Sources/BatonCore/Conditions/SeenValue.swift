/// A text, a number or a truth value of a message, against alternatives. What is found out of it once is kept.
struct SeenValue {
  let value: MemberValue
  let part: UnsafeRawBufferPointer
  private var number: SeenNumber??
  private var isCut: Bool?

  /// A text with escapes and more bytes as written is not compared from its end.
  private static var mostEscaped: Int { 4096 }

  init(_ value: MemberValue, in part: UnsafeRawBufferPointer) { (self.value, self.part) = (value, part) }

  private var raw: UnsafeRawBufferPointer { value.rawText(in: part) }

  /// Whether a text begins with `{`, `[` or a quote, perhaps behind white space: a program may read it as JSON once more, and
  /// what is in quotes again.
  var mayBeJSON: Bool {
    guard value.kind.isText else { return false }
    let raw = raw
    var at = 0
    while let scalar = raw.scalar(&at) {
      if scalar == 0x7B || scalar == 0x5B || scalar == 0x22 { return true }
      guard SeenValue.isSpace(scalar) else { return false }
    }
    return false
  }

  /// What some program takes for white space, and cuts off.
  private static func isSpace(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0...0x20, 0x7F...0xA0, 0x1680, 0x180E, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x2060, 0x3000, 0xFEFF: true
    default: false
    }
  }

  /// Whether one of the alternatives is equal to it.
  mutating func fits(_ alternative: Condition.Alternative, _ texts: UnsafeRawBufferPointer) -> Answer {
    switch alternative {
    case .text(let text): compare { $0.isEqual(to: texts.part(text.range)) }
    case .prefix(let text): compare { Answer($0.begins(with: texts.part(text.range))) }
    case .suffix(let text): compare { $0.ends(with: texts.part(text.range)) }
    case .ignoringCase(let text): compare { $0.isEqualIgnoringCase(to: texts.part(text.range)) }
    case .number(let bound): compare(texts, bound, nil)
    case .numeric(let first, let second): compare(texts, first, second)
    case .truth(let truth): value.kind == .true ? Answer(truth) : value.kind == .false ? Answer(!truth) : .unknown
    case .null: .no
    case .anythingBut(let all): all.reduce(.no) { max($0, fits($1, texts)) }.opposite
    case .exists(let isThere): Answer(isThere)
    }
  }

  // MARK: Numbers

  private mutating func compare(
    _ texts: UnsafeRawBufferPointer, _ first: Condition.Bound, _ second: Condition.Bound?
  ) -> Answer {
    guard value.kind == .integer || value.kind == .number else { return .unknown }
    let bytes = value.bytes(in: part)
    let found = number ?? SeenNumber(ofMessage: bytes)
    number = .some(found)
    guard let found else { return .unknown }
    func isExactly(_ bound: Condition.Bound) -> Bool {
      bound.relation.holds(
        found.decimal.compared(in: bytes, to: bound.number.decimal, in: texts.part(bound.written.range)), 0)
    }
    func isAsDouble(_ bound: Condition.Bound) -> Bool { bound.relation.holds(found.double, bound.number.double) }
    return Answer(
      isExactly(first) && second.map(isExactly) ?? true, isAsDouble(first) && second.map(isAsDouble) ?? true)
  }

  // MARK: Texts

  private mutating func compare(_ body: (SeenValue) -> Answer) -> Answer {
    guard value.kind.isText else { return .unknown }
    let isCut = isCut ?? hasZero
    self.isCut = isCut
    return isCut ? .unknown : body(self)
  }

  /// Whether U+0000 stands in the text.
  private var hasZero: Bool {
    guard value.kind == .escapedText else { return false }
    let raw = raw
    var at = 0
    while at < raw.count {
      guard raw[at] == UInt8(ascii: "\\") else {
        at += 1
        continue
      }
      let step = TextEscape.next(in: raw, at: at)
      if step.meant == 0 { return true }
      at += step.rawCount
    }
    return false
  }

  private func isEqual(to text: UnsafeRawBufferPointer) -> Answer {
    if value.kind == .text { return Answer(raw.equals(text)) }
    // Each byte of a text takes at least one byte as written, and at most six.
    guard raw.count >= text.count, raw.count <= text.count * 6 else { return .no }
    return Answer(value.textCount(in: part) == text.count && begins(with: text))
  }

  private func begins(with text: UnsafeRawBufferPointer) -> Bool {
    let raw = raw
    guard value.kind == .escapedText else { return raw.count >= text.count && raw.part(0, text.count).equals(text) }
    var (at, compared) = (0, 0)
    while compared < text.count {
      guard at < raw.count else { return false }
      let step = TextEscape.next(in: raw, at: at)
      at += step.rawCount
      var isSame = true
      step.copyUTF8 { byte in
        if compared < text.count {
          isSame = isSame && text[compared] == byte
          compared += 1
        }
      }
      if !isSame { return false }
    }
    return true
  }

  private func ends(with text: UnsafeRawBufferPointer) -> Answer {
    let raw = raw
    guard value.kind == .escapedText else {
      return Answer(raw.count >= text.count && raw.part(raw.count - text.count, raw.count).equals(text))
    }
    guard raw.count <= SeenValue.mostEscaped else { return .unknown }
    return withUnsafeTemporaryAllocation(byteCount: raw.count, alignment: 1) { decoded in
      let count = value.copyText(in: part, into: decoded)
      guard count >= text.count else { return .no }
      return Answer(UnsafeRawBufferPointer(decoded).part(count - text.count, count).equals(text))
    }
  }

  /// One character after the other, ASCII letters without case. Of what is beyond ASCII it is not known which case it has.
  private func isEqualIgnoringCase(to text: UnsafeRawBufferPointer) -> Answer {
    let raw = raw
    var (at, textAt) = (0, 0)
    while true {
      let mine = value.kind == .text ? raw.plainScalar(&at) : raw.scalar(&at)
      let its = text.plainScalar(&textAt)
      if mine == its {
        if mine == nil { return .fits }
        continue
      }
      if (mine ?? 0) >= 0x80 || (its ?? 0) >= 0x80 { return .unknown }
      guard let mine, let its, NameFolding.small(UInt8(mine)) == NameFolding.small(UInt8(its)) else { return .no }
    }
  }
}

extension Condition.Bound.Relation {
  /// Whether `left` has this relation to `right`.
  func holds<Number: Comparable>(_ left: Number, _ right: Number) -> Bool {
    switch self {
    case .equal: left == right
    case .less: left < right
    case .atMost: left <= right
    case .more: left > right
    case .atLeast: left >= right
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The next character of a string, escapes resolved; nil at its end.
  fileprivate func scalar(_ at: inout Int) -> UInt32? {
    guard at < count, self[at] == UInt8(ascii: "\\") else { return plainScalar(&at) }
    let step = TextEscape.next(in: self, at: at)
    at += step.rawCount
    return step.meant
  }

  /// The next character of UTF-8; nil at its end.
  fileprivate func plainScalar(_ at: inout Int) -> UInt32? { at < count ? UTF8Step.scalar(self, &at) : nil }
}
