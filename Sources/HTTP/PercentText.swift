/// Text in targets, where `%XX` is a byte (RFC 3986, section 2.1). It is decoded once, and strictly.
public enum PercentText {
  /// Decodes a part of a path. Throws at a `%` without two hexadecimal digits, and if the bytes are not UTF-8.
  public static func decodePath(_ bytes: ArraySlice<UInt8>) throws(PercentFault) -> [UInt8] {
    try decode(bytes, plusIsSpace: false)
  }

  /// Decodes a part of a query, in which `+` is a space. Throws as `decodePath` does.
  public static func decodeQuery(_ bytes: ArraySlice<UInt8>) throws(PercentFault) -> [UInt8] {
    try decode(bytes, plusIsSpace: true)
  }

  /// Decodes a whole query: names and values, in order. A name without `=` has an empty value; what is empty between
  /// two `&` is a name without letters.
  public static func query(_ bytes: [UInt8]) throws(PercentFault) -> [(name: String, value: [UInt8])] {
    var members: [(name: String, value: [UInt8])] = []
    if bytes.isEmpty { return members }
    for pair in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = try decodeQuery(pair[..<equals])
      members.append((String(decoding: name, as: UTF8.self), try decodeQuery(pair[equals...].dropFirst())))
    }
    return members
  }

  /// A text with all bytes as `%XX` but letters and digits of ASCII and `-._~`.
  public static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(byte)
      default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) throws(PercentFault) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var at = bytes.startIndex
    while at < bytes.endIndex {
      let byte = bytes[at]
      at += 1
      guard byte == UInt8(ascii: "%") else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
        continue
      }
      guard bytes.endIndex - at >= 2, let high = hexValue(bytes[at]), let low = hexValue(bytes[at + 1]) else {
        throw PercentFault("a % must have two hexadecimal digits behind it; % itself is %25")
      }
      decoded.append(high << 4 | low)
      at += 2
    }
    var validator = UTF8Validator()
    guard validator.firstBad(0..<decoded.count, in: decoded.span.bytes) == nil, validator.isComplete else {
      throw PercentFault("the bytes that it spells are not UTF-8")
    }
    return decoded
  }
}

/// Why a text in a target cannot be decoded.
public struct PercentFault: Error, Equatable, Sendable {
  /// What is wrong, for people.
  public let message: String

  init(_ message: String) { self.message = message }
}
