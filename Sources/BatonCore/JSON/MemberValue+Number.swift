/// Numbers of a validated line.
extension MemberValue {
  /// Whether this is an integer literal that fits into 64 bits.
  @inline(__always)
  func isInteger(in line: UnsafeRawBufferPointer) -> Bool {
    kind == .integer && (count <= 18 || integer(in: line) != nil)
  }

  /// The value of an integer literal, or nil where it is none or does not fit into 64 bits.
  package func integer(in line: UnsafeRawBufferPointer) -> Int64? {
    guard kind == .integer else { return nil }
    if count <= 18 { return shortInteger(in: line) }
    var digits = bytes(in: line)[...]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    // Counted down from zero, because the smallest number has no positive twin.
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

  /// The value of an integer literal of up to 18 bytes, which cannot overflow.
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

  /// The nearest double to a number, infinite where it is too large, or nil where this is no number. Not for the way of
  /// every message: it makes a string.
  package func double(in line: UnsafeRawBufferPointer) -> Double? {
    guard kind == .integer || kind == .number else { return nil }
    return Double(String(decoding: bytes(in: line), as: UTF8.self))
  }
}
