/// The numbers of a validated line.
extension MemberValue {
  /// Whether the value is an integer literal that fits into 64 bits.
  @inline(__always)
  func isInteger(in line: UnsafeRawBufferPointer) -> Bool {
    kind == .integer && (count <= 18 || integer(in: line) != nil)
  }

  /// The value of an integer literal; nil if this is another value, or if it does not fit into 64 bits.
  package func integer(in line: UnsafeRawBufferPointer) -> Int64? {
    guard kind == .integer else { return nil }
    if count <= 18 { return shortInteger(in: line) }
    var digits = bytes(in: line)[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    // The loop counts down from zero, because the smallest number has no positive counterpart.
    var negated: Int64 = 0
    for byte in digits {
      let (product, overflow) = negated.multipliedReportingOverflow(by: 10)
      let (difference, carry) = product.subtractingReportingOverflow(Int64(byte &- UInt8(ascii: "0")))
      if overflow || carry { return nil }
      negated = difference
    }
    if isNegative { return negated }
    return negated == .min ? nil : 0 - negated
  }

  /// The value of an integer literal of up to 18 bytes. It cannot overflow.
  @inline(__always)
  private func shortInteger(in line: UnsafeRawBufferPointer) -> Int64 {
    guard let digits = bytes(in: line).baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
    let isNegative = digits[0] == UInt8(ascii: "-")
    var number: Int64 = 0
    var at = isNegative ? 1 : 0
    while at < count {
      number = number &* 10 &+ Int64(digits[at] &- UInt8(ascii: "0"))
      at &+= 1
    }
    return isNegative ? 0 &- number : number
  }

  /// The double that is nearest to a number; infinite if the number is too large; nil if this is not a number. It makes
  /// a string, so it is too slow to use for every message.
  package func double(in line: UnsafeRawBufferPointer) -> Double? {
    guard kind == .integer || kind == .number else { return nil }
    return Double(String(decoding: bytes(in: line), as: UTF8.self))
  }
}
