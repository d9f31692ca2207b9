import HTTP
import Testing

@Suite struct PercentTextTests {
  @Test(arguments: [
    ("", ""), ("a+b", "a+b"), ("a%2Bb", "a+b"), ("a%252Bb", "a%2Bb"), ("%2f", "/"), ("%C3%A4", "ä"), ("%00", "\0"),
    ("a%20b", "a b"), ("%e2%82%ac", "€"),
  ])
  func paths(text: String, decoded: String) throws {
    #expect(try PercentText.decodePath(Array(text.utf8)[...]) == Array(decoded.utf8))
  }

  @Test(arguments: [
    "%", "a%", "%4", "%4g", "%g4", "%%41", "% 41", "%+4", "%-1", "%u0041", "%C3", "%FF", "%ED%A0%80", "%C0%AF",
  ])
  func isStrict(text: String) {
    #expect(throws: PercentFault.self) { try PercentText.decodePath(Array(text.utf8)[...]) }
    #expect(throws: PercentFault.self) { try PercentText.decodeQuery(Array(text.utf8)[...]) }
    #expect(throws: PercentFault.self) { try PercentText.query(Array("a=\(text)".utf8)) }
  }

  @Test func slicesAreReadWhereTheyStand() throws {
    let bytes = Array("%%41%".utf8)
    #expect(try PercentText.decodePath(bytes[1..<4]) == [0x41])
    #expect(throws: PercentFault.self) { try PercentText.decodePath(bytes[1..<3]) }
  }

  @Test func queries() throws {
    let members = try PercentText.query(Array("a=1+2&b=%26%3D&&c&=d&e=f=g".utf8))
    #expect(members.map(\.name) == ["a", "b", "", "c", "", "e"])
    #expect(members.map { String(decoding: $0.value, as: UTF8.self) } == ["1 2", "&=", "", "", "d", "f=g"])
    #expect(try PercentText.query([]).isEmpty)
    #expect(try PercentText.decodeQuery(Array("a+%2B".utf8)[...]) == Array("a +".utf8))
  }

  @Test func encodes() throws {
    #expect(PercentText.encode("aZ09-._~ /+%ä") == "aZ09-._~%20%2F%2B%25%C3%A4")
    let all = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) }))
    #expect(try PercentText.decodePath(Array(PercentText.encode(all).utf8)[...]) == Array(all.utf8))
  }
}

@Suite struct UTF8ValidatorTests {
  /// Swift's own decoder is the judge: all of two bytes, and three and four at the borders.
  @Test func agreesWithTheStandardLibrary() {
    let borders: [UInt8] = [
      0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
      0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
    ]
    for first in UInt8.min...UInt8.max { for second in UInt8.min...UInt8.max { check([first, second]) } }
    for first in borders {
      for second in borders {
        for third in borders { for fourth in borders { check([first, second, third, fourth]) } }
      }
    }
  }

  private func check(_ bytes: [UInt8]) {
    let isRight = String(validating: bytes, as: UTF8.self) != nil
    var (whole, single) = (UTF8Validator(), UTF8Validator())
    var isAccepted = bytes.withUnsafeBytes { whole.accepts($0) }
    var isTaken = true
    for byte in bytes where isTaken { isTaken = [byte].withUnsafeBytes { single.accepts($0) } }
    isAccepted = isAccepted && whole.isComplete
    isTaken = isTaken && single.isComplete
    if isAccepted != isRight || isTaken != isRight { Issue.record("\(bytes): \(isAccepted), \(isTaken), \(isRight)") }
  }

  @Test func longTextsWithOneCharacterAnywhere() {
    for place in 0..<40 {
      let text = String(repeating: "a", count: place) + "😀" + String(repeating: "b", count: 40 - place)
      var validator = UTF8Validator()
      let isText = Array(text.utf8).withUnsafeBytes { validator.accepts($0) }
      #expect(isText && validator.isComplete)
      var bytes = Array(text.utf8)
      bytes.remove(at: place + 1)
      validator = UTF8Validator()
      #expect(!bytes.withUnsafeBytes { validator.accepts($0) })
    }
  }
}
