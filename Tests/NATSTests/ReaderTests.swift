import Testing

@testable import NATS

/// What a NATS server sends, cut into words: whole, and byte by byte.
struct ReaderTests {
  private static func words(_ text: String, pieces: Int) throws -> [NATSReader.Word] {
    var reader = NATSReader()
    var words: [NATSReader.Word] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { reader.feed($0) }
      while let word = try reader.next() { words.append(word) }
    }
    return words
  }

  @Test(arguments: [1, 7, 10_000]) func `All words are read, however they come`(pieces: Int) throws {
    let words = try Self.words(
      "INFO {\"version\":\"2.15.1\"} \r\n+OK\r\nPING\r\nPONG\r\n-ERR 'Permissions Violation'\r\n"
        + "MSG a.b 1 5\r\nhello\r\nMSG a.b 1 r.1 0\r\n\r\n"
        + "HMSG a.c 2 16 18\r\nNATS/1.0 503\r\n\r\nhi\r\n", pieces: pieces)
    #expect(words.count == 7)
    #expect(words[1] == .ping && words[2] == .pong && words[3] == .error("Permissions Violation"))
    guard case .message(let first) = words[4], case .message(let second) = words[5], case .message(let third) = words[6]
    else { return #expect(Bool(false), "no messages") }
    #expect(first.subject == "a.b" && first.reply == nil && first.payload == Array("hello".utf8))
    #expect(second.reply == "r.1" && second.payload.isEmpty && second.status == nil)
    #expect(third.status == 503 && third.payload == Array("hi".utf8))
  }

  @Test(arguments: [
    "HTTP/1.1 400 Bad Request\r\n", "MSG a 1\r\n", "MSG a 1 -1\r\n", "MSG a 1 99999999999\r\n", "HMSG a 1 5 4\r\n",
    "MSG a 1 2\r\nabc\r\n", "MSG a 1 r x 5\r\n",
  ]) func `What breaks the protocol is a fault`(text: String) {
    #expect(throws: NATSReader.Fault.self) { try Self.words(text, pieces: 1000) }
  }

  @Test func `A line without an end is a fault`() {
    #expect(throws: NATSReader.Fault.self) {
      try Self.words("INFO " + String(repeating: "x", count: NATSReader.mostLine + 10), pieces: 4096)
    }
  }

  @Test(arguments: [
    ("2.12.8", true), ("2.12.7", false), ("2.15.1", true), ("3.0.0", true), ("2.9.25", false), ("2.13.0-RC.1", true),
    ("", false),
  ]) func `Versions are compared by their numbers`(version: String, isRight: Bool) throws {
    let info = try #require(NATSInfo(Array("{\"version\":\"\(version)\"}".utf8)))
    #expect(info.isAtLeast(2, 12, 8) == isRight)
  }
}
