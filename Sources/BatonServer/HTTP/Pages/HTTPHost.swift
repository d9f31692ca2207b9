/// The host and port that a `Host` field or an origin names.
struct HTTPHost: Equatable {
  /// In lower case; an address of IPv6 without its brackets.
  var name: String
  /// The port; nil if none is named.
  var port: Int?
  var isAddress: Bool

  /// Reads `HOST` or `HOST:PORT`; nil if it is neither. It is strict, so that nothing is a name here and another one in
  /// a browser.
  init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard (1...300).contains(bytes.count) else { return nil }
    var end = bytes.count
    if bytes[0] == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      guard HTTPHost.isIPv6(bytes[1..<bracket]) else { return nil }
      name = String(decoding: bytes[1..<bracket], as: UTF8.self).lowercased()
      isAddress = true
      end = bracket + 1
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? end
      guard HTTPHost.isName(bytes[..<end]) else { return nil }
      name = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
      isAddress = HTTPHost.isIPv4(bytes[..<end])
    }
    if end == bytes.count { return }
    guard bytes[end] == UInt8(ascii: ":"), let port = HTTPHost.port(bytes[(end + 1)...]) else { return nil }
    self.port = port
  }

  /// A port without sign and leading zeros.
  private static func port(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0") else { return nil }
    var port = 0
    for digit in digits {
      guard isDigit(digit) else { return nil }
      port = port * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return port <= 65_535 ? port : nil
  }

  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    (1...253).contains(bytes.count)
      && bytes.allSatisfy {
        isDigit($0) || (97...122).contains($0 | 0x20) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
          || $0 == UInt8(ascii: "_")
      }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }

  /// Four numbers from 0 to 255 without leading zeros: the only spelling that every program reads alike.
  private static func isIPv4(_ bytes: ArraySlice<UInt8>) -> Bool {
    var (dots, digits, value) = (0, 0, 0)
    for byte in bytes {
      if byte == UInt8(ascii: ".") {
        guard digits > 0 else { return false }
        (dots, digits, value) = (dots + 1, 0, 0)
      } else {
        guard isDigit(byte), digits == 0 || value > 0 else { return false }
        digits += 1
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
        guard value <= 255 else { return false }
      }
    }
    return dots == 3 && digits > 0
  }

  /// An address of IPv6 without a zone (RFC 4291, section 2.2): eight groups of up to four hexadecimal digits, one gap
  /// `::` at most, perhaps with an address of IPv4 as the last two groups.
  private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard (2...45).contains(bytes.count) else { return false }
    let colon = UInt8(ascii: ":")
    var rest = bytes
    var (groups, hasGap, isBehindGroup) = (0, false, false)
    while !rest.isEmpty {
      if rest.starts(with: [colon, colon]) {
        if hasGap { return false }
        hasGap = true
        isBehindGroup = false
        rest = rest.dropFirst(2)
        continue
      }
      if isBehindGroup {
        // A group ends before a colon, and another one follows.
        rest = rest.dropFirst()
        if rest.isEmpty { return false }
      }
      let group = rest.prefix { $0 != colon }
      rest = rest.dropFirst(group.count)
      if rest.isEmpty, isIPv4(group) {
        groups += 2
      } else {
        guard (1...4).contains(group.count), group.allSatisfy(isHexDigit) else { return false }
        groups += 1
      }
      isBehindGroup = true
    }
    return hasGap ? groups < 8 : groups == 8
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (97...102).contains(byte | 0x20) }
}
