import WorldKit

/// Payloads and ids as peers spell them, and lines that are wrong.
enum Bytes {
  /// A payload whose first digits are the mark. Sometimes it fills the limit. Then there is no room for a meta.
  static func payload(mark: Int, limit: Int, using luck: inout Generator) -> String {
    switch luck.below(200) {
    case 0: return filled(mark, to: limit - 80, using: &luck)
    case 1: return filled(mark, to: limit + 1, using: &luck)
    case 2...10: return filled(mark, to: luck.between(100...1000), using: &luck)
    default: break
    }
    return switch luck.below(8) {
    case 0: "\(mark)"
    case 1: "{\"m\":\(mark),\"x\":[1.0,2e5],\"m\":0}"
    case 2: "[ \(mark) ,\t{ \"a\" : null }\r, 7 ]"
    case 3: "\"\(mark) \\u00e9\\/é\\ud83d\\ude00 4\""
    case 4: "{\"a\":{\"b\":[[\(mark)]]},\"n\":-0.10E+2}"
    case 5: "[{\"é\":\(mark)},true,false,123456789012345678901234567890]"
    case 6: "{ \"m\" : \"\(mark)\" , \"\\\"5\\\\\" : \"\" }"
    default: "\(mark).50"
    }
  }

  private static func filled(_ mark: Int, to count: Int, using luck: inout Generator) -> String {
    let start = "\"\(mark) "
    let letter = Character(Unicode.Scalar(UInt8(97 + luck.below(26))))
    return start + String(repeating: letter, count: max(0, count - start.utf8.count - 1)) + "\""
  }

  /// An id whose first digits are the number, in one of several spellings. The server must return the spelling
  /// unchanged.
  static func id(_ number: Int, using luck: inout Generator) -> String {
    switch luck.below(6) {
    case 0: "-\(number)"
    case 1: "\"q\(number)\""
    case 2: "\"\\/\(number)\""
    case 3: "\"é \(number) \\\"\""
    default: "\(number)"
    }
  }

  // MARK: Lines that are wrong

  /// Lines that are refused, each for another reason. The connection stays open afterwards.
  static func wrong(depth: Int, using luck: inout Generator) -> [UInt8] {
    switch luck.below(wrongLines.count + 2) {
    case 0: Array("{\"op\":\"ping\",\"x\":\"".utf8) + [0xC3, 0x28] + Array("\"}\n".utf8)
    case 1:
      Array("{\"op\":\"send\",\"topic\":\"a\",\"payload\":".utf8) + repeatElement(UInt8(ascii: "["), count: depth)
        + repeatElement(UInt8(ascii: "]"), count: depth) + Array("}\n".utf8)
    case let index: Array(wrongLines[index - 2].utf8) + [0x0A]
    }
  }

  private static let wrongLines = [
    #"{"op":"send"}"#, #"{"#, #"{"op":"nope","id":1}"#, #"{"op":"ping","id":1,"id":1}"#, #"{"op":"ping"} x"#,
    #"{"op":"send","topic":"a..b"}"#, #"{"op":"send","topic":"$x","payload":1}"#, #"{"op":"ping","i\u0064":1,"id":1}"#,
    #"{"op":"insert","handler":"bad name"}"#, #"{"op":"send","topic":"a","payload":01}"#, #"{"op":"ping","zzz":1}"#,
    #"{"op":"send","topic":"a","payload":"\ud800"}"#, #"{"op":"subscribe","topics":[]}"#, #"{"op":17}"#,
    #"{"op":"handled","id":"x"}"#, #"{"op":"send","topic":"a","timeout_ms":0}"#, #"{"op":"hello","token":"x"}"#,
    #"{"op":"broadcast","topic":"a.*"}"#, #"{"op":"subscribe","topics":["a.>.b"]}"#, #"{"op":"send","topic":"a",}"#,
    #"{"op":"insert","handler":"x","window":0}"#, #"{"op":"insert","handler":"x","at":"front","rank":1}"#,
    #"{"op":"insert","handler":"x","rank":1e10}"#, #"{"op":"ping","id":9223372036854775808}"#, #"{}"#,
    #"{"op":"continue","id":1,"payload":}"#, #"{"op":"send","topic":"a","chain":"a/b"}"#, #"{"op":"replace"}"#,
    #"{"op":"send","topic":"a","timeout_ms":1e3}"#, #"{"op":"hello","heartbeat_ms":1}"#,
  ]

  /// Bytes that end the connection, wherever they come.
  static func tooLong(_ limit: Int) -> [UInt8] {
    Array("{\"op\":\"ping\",\"x\":\"".utf8) + repeatElement(UInt8(ascii: "x"), count: limit) + Array("\"}\n".utf8)
  }

  /// What a browser sends. As the first bytes of a connection, it ends the connection.
  static let http = Array("GET / HTTP/1.1\r\n".utf8)
}
