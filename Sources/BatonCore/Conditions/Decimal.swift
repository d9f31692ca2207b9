/// A number as it is written in JSON, for exact comparison: 0.d₁d₂d₃… × 10^`exponent`, where d₁ is not 0. The digits stay
/// where they are written.
struct Decimal: Equatable, Sendable {
  /// -1, 0 or 1.
  private(set) var sign = 0
  private(set) var exponent = 0
  /// The offset of the first digit that is not 0.
  private var first = 0
  /// The digits behind `e`, with zeros; 0 without `e`.
  private(set) var exponentDigits = 0

  /// An exponent beyond this is cut: no number of so few bytes as are compared comes near it.
  private static var largest: Int { 1_000_000 }

  /// Reads a number that is right in JSON.
  init(_ number: UnsafeRawBufferPointer) {
    var isBehindPoint = false
    var isFound = false
    var at = number.first == UInt8(ascii: "-") ? 1 : 0
    let isNegative = at == 1
    loop: while at < number.count {
      switch number[at] {
      case UInt8(ascii: "."): isBehindPoint = true
      case UInt8(ascii: "0") where !isFound: if isBehindPoint { exponent -= 1 }
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        if !isFound { (isFound, first) = (true, at) }
        if !isBehindPoint { exponent += 1 }
      default: break loop
      }
      at += 1
    }
    if at < number.count { readExponent(number, from: at + 1) }
    if isFound { sign = isNegative ? -1 : 1 } else { exponent = 0 }
  }

  private mutating func readExponent(_ number: UnsafeRawBufferPointer, from start: Int) {
    var (at, power) = (start, 0)
    let isNegative = number[at] == UInt8(ascii: "-")
    if isNegative || number[at] == UInt8(ascii: "+") { at += 1 }
    exponentDigits = number.count - at
    while at < number.count {
      power = min(power * 10 + Int(number[at] - UInt8(ascii: "0")), Decimal.largest)
      at += 1
    }
    exponent += isNegative ? -power : power
  }

  /// -1, 0 or 1: this number, written in `bytes`, is less than, equal to or more than `other`, written in `others`.
  func compared(in bytes: UnsafeRawBufferPointer, to other: Decimal, in others: UnsafeRawBufferPointer) -> Int {
    if sign != other.sign { return sign < other.sign ? -1 : 1 }
    if sign == 0 { return 0 }
    if exponent != other.exponent { return exponent < other.exponent ? -sign : sign }
    var (at, otherAt) = (first, other.first)
    while true {
      let (digit, otherDigit) = (Decimal.digit(bytes, &at), Decimal.digit(others, &otherAt))
      if digit == nil, otherDigit == nil { return 0 }
      let (mine, its) = (digit ?? 0, otherDigit ?? 0)
      if mine != its { return mine < its ? -sign : sign }
    }
  }

  /// The next digit; nil behind the last one.
  private static func digit(_ bytes: UnsafeRawBufferPointer, _ at: inout Int) -> UInt8? {
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") { at += 1 }
    guard at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 else { return nil }
    at += 1
    return bytes[at - 1] - UInt8(ascii: "0")
  }
}

/// A number as programs see it: exactly, and as the double that most of them make of it.
struct SeenNumber: Sendable {
  /// Of a number with more bytes, or more digits in its exponent, nothing is known.
  static var mostBytes: Int { 64 }
  static var mostExponentDigits: Int { 4 }

  let decimal: Decimal
  let double: Double

  /// The caller has checked that `number` is not too long.
  init(_ number: UnsafeRawBufferPointer) {
    decimal = Decimal(number)
    double = Double(String(decoding: number, as: UTF8.self)) ?? .nan
  }

  /// A number of a message; nil if nothing is known of it.
  init?(ofMessage number: UnsafeRawBufferPointer) {
    guard number.count <= SeenNumber.mostBytes else { return nil }
    self.init(number)
    guard decimal.exponentDigits <= SeenNumber.mostExponentDigits else { return nil }
  }
}
