import BatonCore
import Testing

/// Lines that the scanner must take, and lines that it must refuse, each with its fault.
enum ScannerCases {
  struct Refusal: CustomTestStringConvertible {
    var line: [UInt8]
    var reason: ScanFault.Reason
    var offset: Int
    var testDescription: String {
      "\(String(decoding: line, as: UTF8.self).debugDescription) → \(reason) at \(offset)"
    }

    init(_ line: [UInt8], _ reason: ScanFault.Reason, _ offset: Int) {
      self.line = line
      self.reason = reason
      self.offset = offset
    }

    init(_ line: String, _ reason: ScanFault.Reason, _ offset: Int) {
      self.init(Array(line.utf8), reason, offset)
    }

    /// A line `{"a":"TEXT"}` whose fault is at `offset` in TEXT.
    init(text: String, _ reason: ScanFault.Reason, _ offset: Int) {
      self.init(text: Array(text.utf8), reason, offset)
    }

    /// A line `{"a":VALUE}` whose fault is at `offset` in VALUE.
    init(value: String, _ reason: ScanFault.Reason, _ offset: Int) {
      self.init(#"{"a":\#(value)}"#, reason, offset + 5)
    }

    /// A line `{"a":"TEXT"}` whose fault is at `offset` in TEXT.
    init(text: [UInt8], _ reason: ScanFault.Reason, _ offset: Int) {
      self.init(Array(#"{"a":""#.utf8) + text + Array(#""}"#.utf8), reason, offset + 6)
    }
  }

  /// Values that may stand anywhere.
  static let values: [String] = [
    // Numbers.
    "0", "-0", "1", "-1", "10", "123456789012345678901234567890", "0.5", "-0.5", "1.25", "0e0", "0E+0", "1e5", "1E5",
    "1e+5", "1e-5", "1e05", "12.5e-300", "1e999", "-0.0e-0",
    // Literals.
    "true", "false", "null",
    // Strings.
    #""""#, #""a""#, #"" ""#, #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\u4EAC\uFFFF\u0000""#, #""\ud83d\ude00""#,
    #""\uD800\uDC00\uDBFF\uDFFF""#, #""\ud7ff\ue000""#, #""\\u12""#, #""{[,:]}""#, "\"\u{7f}\"", "\"é京😀\"",
    "\"\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"", "\"\u{d7ff}\u{e000}\u{feff}\u{2028}\"",
    #""exactly fifteen""#, #""exactly sixteen!""#, #""exactly seventeen""#,
    "\"" + String(repeating: "x", count: 63) + "\"", "\"" + String(repeating: "x", count: 200) + "\\n\"",
    "\"" + String(repeating: "x", count: 130) + "é" + String(repeating: "y", count: 100) + "\"",
    // Arrays and objects.
    "[]", "[ ]", "{}", "{ }", "[1]", "[[]]", "[{}]", "[1,2,3]", "[ 1 , 2 ]", "[[],[[]],[[],[]]]", #"{"a":1}"#,
    #"{"":0}"#,
    #"{"a":{"a":{}},"b":[{"c":[]}]}"#, #"{"a":1,"a":2}"#, #"[true,false,null,"x",-1.5e3,{},[]]"#, "[\t1\r,\t2\r]",
  ]

  /// Lines that are valid as they stand.
  static let lines: [String] = [
    "{}", " { } ", "\t{}\r", "{}\r", #"{"":""}"#, #"{"a":1,"b":2}"#, #" { "a" : 1 , "b" : [ ] } "#, #"{"a":1,"a":1}"#,
    #"{"op":"send","id":123456,"topic":"door.open","payload":{"door":3,"who":"somebody"},"meta":null}"#,
    #"{"\u006f\u0070":"ping"}"#, #"{"é":"京","\ud83d\ude00":1}"#,
  ]

  static let validLines: [[UInt8]] = (lines + values.map { #"{"a":\#($0)}"# } + values.map { #"{"a":[\#($0) , 0]}"# })
    .map { Array($0.utf8) }

  static let refusals: [Refusal] = structure + scalars + texts + encodings

  private static let structure: [Refusal] = [
    Refusal("{", .unfinished, 1), Refusal(#"{""#, .unfinished, 2), Refusal(#"{"a"#, .unfinished, 3),
    Refusal(#"{"a""#, .unfinished, 4), Refusal(#"{"a":"#, .unfinished, 5), Refusal(#"{"a":1"#, .unfinished, 6),
    Refusal(#"{"a":1,"#, .unfinished, 7), Refusal(#"{"a":[1,"#, .unfinished, 8),
    Refusal(#"{"a":{"b":"#, .unfinished, 10),
    Refusal("{}}", .behindObject, 2), Refusal("{}{}", .behindObject, 2), Refusal("{} x", .behindObject, 3),
    Refusal("{},", .behindObject, 2), Refusal("{}\u{0}", .behindObject, 2), Refusal("{}#", .behindObject, 2),
    Refusal("{}\u{b}", .behindObject, 2), Refusal("{} \u{a0}", .behindObject, 3), Refusal("{}\n", .behindObject, 2),
    Refusal("{\n}", .missingName, 1), Refusal("{1:2}", .missingName, 1), Refusal("{a:1}", .missingName, 1),
    Refusal("{'a':1}", .missingName, 1), Refusal("{,}", .missingName, 1), Refusal("{]", .missingName, 1),
    Refusal(#"{"a":1,,"b":2}"#, .missingName, 7), Refusal(#"{"a":1,2}"#, .missingName, 7),
    Refusal(#"{"a" 1}"#, .missingColon, 5), Refusal(#"{"a"}"#, .missingColon, 4),
    Refusal(#"{"a","b"}"#, .missingColon, 4),
    Refusal(#"{"a"::1}"#, .missingValue, 5), Refusal(#"{"a":}"#, .missingValue, 5),
    Refusal(#"{"a":,}"#, .missingValue, 5),
    Refusal(#"{"a":1 "b":2}"#, .missingComma, 7), Refusal(#"{"a":1]"#, .missingComma, 6),
    Refusal(#"{"a":1;"b":2}"#, .missingComma, 6), Refusal(#"{"a":1:2}"#, .missingComma, 6),
    Refusal(#"{"a":"b"c}"#, .missingComma, 8), Refusal(#"{"a":1,}"#, .trailingComma, 6),
    Refusal(#"{"a":1 , }"#, .trailingComma, 7),
    Refusal(value: "[1,]", .trailingComma, 2), Refusal(value: #"{"b":1,}"#, .trailingComma, 6),
    Refusal(value: "[,1]", .missingValue, 1), Refusal(value: "[1,,2]", .missingValue, 3),
    Refusal(value: "[1 2]", .missingComma, 3), Refusal(value: "[1}", .missingComma, 2),
    Refusal(value: #"{"b":1]"#, .missingComma, 6), Refusal(value: "[[1}]", .missingComma, 3),
    Refusal(value: #"{"b"}"#, .missingColon, 4), Refusal(value: "{b:1}", .missingName, 1),
    Refusal(value: #"{"b":1,2}"#, .missingName, 7), Refusal(value: "{[]:1}", .missingName, 1),
    Refusal(value: "[1:2]", .missingComma, 2), Refusal(value: "[", .missingValue, 1),
    Refusal(value: "[]]", .missingComma, 2), Refusal(value: "]", .missingValue, 0),
    Refusal(value: "/**/1", .missingValue, 0), Refusal(value: "1//", .missingComma, 1),
  ]

  private static let scalars: [Refusal] = [
    Refusal(value: "01", .leadingZero, 0), Refusal(value: "-01", .leadingZero, 1),
    Refusal(value: "00", .leadingZero, 0),
    Refusal(value: "-00.5", .leadingZero, 1), Refusal(value: "[0123]", .leadingZero, 1),
    Refusal(value: "1.", .badNumber, 2), Refusal(value: "1.e5", .badNumber, 2), Refusal(value: "-", .badNumber, 1),
    Refusal(value: "--1", .badNumber, 1), Refusal(value: "-a", .badNumber, 1), Refusal(value: "-.5", .badNumber, 1),
    Refusal(value: "1e", .badNumber, 2), Refusal(value: "1e+", .badNumber, 3), Refusal(value: "1E-", .badNumber, 3),
    Refusal(value: "1e+-1", .badNumber, 3), Refusal(value: "1e1.5", .missingComma, 3),
    Refusal(value: "1.2.3", .missingComma, 3), Refusal(value: ".5", .missingValue, 0),
    Refusal(value: "+1", .missingValue, 0), Refusal(value: "0x1F", .missingComma, 1),
    Refusal(value: "1_000", .missingComma, 1),
    Refusal(value: "1a", .missingComma, 1), Refusal(value: "NaN", .missingValue, 0),
    Refusal(value: "Infinity", .missingValue, 0),
    Refusal(value: "-Infinity", .badNumber, 1), Refusal(value: "１", .missingValue, 0),
    Refusal(value: "tru", .badLiteral, 0), Refusal(value: "True", .missingValue, 0),
    Refusal(value: "trux", .badLiteral, 0),
    Refusal(value: "truex", .missingComma, 4), Refusal(value: "falsy", .badLiteral, 0),
    Refusal(value: "fals", .badLiteral, 0),
    Refusal(value: "nul", .badLiteral, 0), Refusal(value: "nil", .badLiteral, 0),
    Refusal(value: "nulll", .missingComma, 4),
    Refusal(value: "undefined", .missingValue, 0), Refusal(value: "'a'", .missingValue, 0),
    Refusal(value: "\u{0}", .missingValue, 0), Refusal(#"{"a":tru"#, .badLiteral, 5),
    Refusal(#"{"a":f"#, .badLiteral, 5),
    Refusal(#"{"a":n"#, .badLiteral, 5), Refusal(#"{"a":-"#, .unfinished, 6), Refusal(#"{"a":1."#, .unfinished, 7),
    Refusal(#"{"a":1e"#, .unfinished, 7), Refusal(#"{"a":é}"#, .missingValue, 5),
    Refusal("{\u{feff}}", .missingName, 1),
  ]

  private static let texts: [Refusal] =
    (0..<0x20).map { Refusal(text: Array("ab".utf8) + [$0], .controlCharacter, 2) } + [
      Refusal(#"{"a":"b}"#, .unfinished, 8), Refusal(#"{"a":"b\"}"#, .unfinished, 10),
      Refusal(#"{"a":"b\"#, .badEscape, 7), Refusal(text: #"\x"#, .badEscape, 0),
      Refusal(text: #"a\'"#, .badEscape, 1), Refusal(text: #"\0"#, .badEscape, 0),
      Refusal(text: #"\N"#, .badEscape, 0), Refusal(text: "\\é", .badEscape, 0),
      Refusal(text: #"\U0041"#, .badEscape, 0), Refusal(text: "\\\u{0}", .badEscape, 0),
      Refusal(text: #"\u"#, .badUnicodeEscape, 0), Refusal(text: #"\u12"#, .badUnicodeEscape, 0),
      Refusal(text: #"\u123"#, .badUnicodeEscape, 0), Refusal(text: #"\u12g4"#, .badUnicodeEscape, 0),
      Refusal(text: #"\u+123"#, .badUnicodeEscape, 0), Refusal(text: #"\u 123"#, .badUnicodeEscape, 0),
      Refusal(text: #"a\ud800"#, .loneSurrogate, 1), Refusal(text: #"\udbff"#, .loneSurrogate, 0),
      Refusal(text: #"\udc00"#, .loneSurrogate, 0), Refusal(text: #"\uDFFF"#, .loneSurrogate, 0),
      Refusal(text: #"\ud800x"#, .loneSurrogate, 0), Refusal(text: #"\ud800\n"#, .loneSurrogate, 0),
      Refusal(text: #"\ud800\ud800"#, .loneSurrogate, 0),
      Refusal(text: #"\ud800\u0041"#, .loneSurrogate, 0),
      Refusal(text: #"\ud800\ue000"#, .loneSurrogate, 0),
      Refusal(text: #"\ude00\ud83d"#, .loneSurrogate, 0),
      Refusal(text: #"\ude00\ude00"#, .loneSurrogate, 0),
      Refusal(text: #"\ud83d\ude0"#, .badUnicodeEscape, 6),
      Refusal(value: #"[["\ud800"]]"#, .loneSurrogate, 3), Refusal(#"{"\ud800":1}"#, .loneSurrogate, 2),
      Refusal(value: #"{"\udc00":1}"#, .loneSurrogate, 2),
    ]

  /// Bytes that are not UTF-8: stray, overlong, surrogates, beyond U+10FFFF, and each character cut short.
  private static let malformed: [[UInt8]] = [
    [0x80], [0xBF], [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xC2, 0xC0], [0xDF], [0xDF, 0x7F],
    [0xE0], [0xE0, 0xA0], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE0, 0xA0, 0x7F], [0xE0, 0xA0, 0xC0], [0xE1, 0x80],
    [0xE4, 0xBA], [0xE4, 0x41, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80], [0xED, 0xBF, 0xBF],
    [0xEF, 0xBF], [0xEF, 0xBB, 0x3F], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x98], [0xF0, 0x80, 0x80, 0x80],
    [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98, 0x41], [0xF0, 0x9F, 0x41, 0x80], [0xF4, 0x90, 0x80, 0x80],
    [0xF4, 0x8F, 0xBF], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
  ]

  private static let encodings: [Refusal] = malformed.flatMap { bytes -> [Refusal] in
    let inName = Array(#"{""#.utf8) + bytes + Array(#"":1}"#.utf8)
    let inside = Array(#"{"a":[{""#.utf8) + bytes + Array(#"":1}]}"#.utf8)
    // At the line's end: the missing bytes would be the line feed and what comes after it.
    let atEnd = Array(#"{"a":""#.utf8) + bytes
    return [
      Refusal(text: bytes, .badUTF8, 0), Refusal(text: Array("ok é".utf8) + bytes, .badUTF8, 5),
      Refusal(inName, .badUTF8, 2), Refusal(inside, .badUTF8, 8), Refusal(atEnd, .badUTF8, 6),
    ]
  }
}
