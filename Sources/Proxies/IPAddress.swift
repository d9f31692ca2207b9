/// An address of IPv4 or IPv6, without a port and a zone. One of IPv4 that is spelled as one of IPv6 (`::ffff:1.2.3.4`)
/// is the one of IPv4.
public struct IPAddress: Hashable, Sendable {
  /// The 128 bits; an address of IPv4 stands behind the 96 bits of `::ffff:0:0`.
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// The address of IPv4 with these 32 bits.
  init(four bits: UInt32) { self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(bits)) }

  /// The 4 or 16 bytes of an address as the network has them; nil for another number of bytes.
  public init?(networkBytes bytes: some Collection<UInt8>) {
    func number(_ part: some Sequence<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self.init(four: UInt32(number(bytes)))
    case 16: self.init(high: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
    default: return nil
    }
  }

  /// Whether it is one of IPv4.
  public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// Whether it is a machine itself: 127.0.0.0/8 or `::1`.
  public var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

  /// Whether it names nobody: `0.0.0.0` or `::`.
  public var isUnspecified: Bool { high == 0 && (low == 0 || low == 0xFFFF_0000_0000) }
}

/// Reading.
extension IPAddress {
  /// Reads an address in numbers, as all programs read it: four numbers without leading zeros, or RFC 4291, section 2.2,
  /// without a zone. Nil if it is none.
  public init?(_ text: some StringProtocol) { self.init(text: Array(text.utf8)[...]) }

  /// The same for bytes of ASCII.
  init?(text: ArraySlice<UInt8>) {
    guard text.count <= 45 else { return nil }
    if text.contains(UInt8(ascii: ":")) {
      guard let words = IPAddress.words(text) else { return nil }
      func number(_ part: ArraySlice<UInt16>) -> UInt64 { part.reduce(0) { $0 << 16 | UInt64($1) } }
      self.init(high: number(words[..<4]), low: number(words[4...]))
    } else {
      guard let bits = IPAddress.four(text) else { return nil }
      self.init(four: bits)
    }
  }

  private static func four(_ text: ArraySlice<UInt8>) -> UInt32? {
    let numbers = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard numbers.count == 4 else { return nil }
    var bits: UInt32 = 0
    for digits in numbers {
      guard digits.count <= 3, let number = decimal(digits, most: 255) else { return nil }
      bits = bits << 8 | UInt32(number)
    }
    return bits
  }

  /// The eight groups of an address of IPv6.
  private static func words(_ text: ArraySlice<UInt8>) -> [UInt16]? {
    let colon = UInt8(ascii: ":")
    var (words, gap, rest) = ([UInt16](), Int?.none, text)
    if rest.starts(with: [colon, colon]) {
      gap = 0
      rest = rest.dropFirst(2)
    }
    while !rest.isEmpty {
      let group = rest.prefix { $0 != colon }
      rest = rest.dropFirst(group.count)
      if rest.isEmpty, let bits = four(group) {
        words += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
        break
      }
      guard let word = hexadecimal(group), words.count < 8 else { return nil }
      words.append(word)
      if rest.isEmpty { break }
      rest = rest.dropFirst()
      if rest.first == colon {
        guard gap == nil else { return nil }
        gap = words.count
        rest = rest.dropFirst()
      } else if rest.isEmpty {
        return nil
      }
    }
    guard let gap else { return words.count == 8 ? words : nil }
    guard words.count < 8 else { return nil }
    words.insert(contentsOf: repeatElement(0, count: 8 - words.count), at: gap)
    return words
  }

  private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt16? {
    guard (1...4).contains(digits.count) else { return nil }
    var word: UInt16 = 0
    for digit in digits {
      switch digit {
      case 0x30...0x39: word = word << 4 | UInt16(digit - 0x30)
      case 0x41...0x46, 0x61...0x66: word = word << 4 | UInt16((digit | 0x20) - 0x61 + 10)
      default: return nil
      }
    }
    return word
  }

  /// A number without sign and leading zeros.
  static func decimal(_ digits: ArraySlice<UInt8>, most: Int) -> Int? {
    guard (1...5).contains(digits.count), digits.count == 1 || digits.first != 0x30 else { return nil }
    var number = 0
    for digit in digits {
      guard 0x30...0x39 ~= digit else { return nil }
      number = number * 10 + Int(digit - 0x30)
    }
    return number <= most ? number : nil
  }
}

extension IPAddress: CustomStringConvertible {
  /// In numbers, as RFC 5952 spells them: `192.0.2.1` or `2001:db8::1`.
  public var description: String {
    let bits = (high, low)
    if isIPv4 { return [24, 16, 8, 0].map { (shift: UInt64) in "\(bits.1 >> shift & 0xFF)" }.joined(separator: ".") }
    let shifts: [UInt64] = [48, 32, 16, 0]
    let words = shifts.map { bits.0 >> $0 & 0xFFFF } + shifts.map { bits.1 >> $0 & 0xFFFF }
    var longest = 0..<0
    var start = 0
    while start < 8 {
      let end = words[start...].firstIndex { $0 != 0 } ?? 8
      if end - start > max(1, longest.count) { longest = start..<end }
      start = max(end, start + 1)
    }
    func text(_ part: ArraySlice<UInt64>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
    if longest.isEmpty { return text(words[...]) }
    return text(words[..<longest.lowerBound]) + "::" + text(words[longest.upperBound...])
  }
}
