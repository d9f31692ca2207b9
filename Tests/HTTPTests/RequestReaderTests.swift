import HTTP
import HTTPKit
import Testing

@Suite struct RequestReaderTests {
  /// Each case is read as the file says, whole and cut at every byte.
  @Test(arguments: RequestCase.all)
  func reads(_ one: RequestCase) {
    let events = requestEvents(of: [one.bytes])
    var found = RequestCase.summary(events)
    if !(events.last ?? "end").hasPrefix("fault") { found.append(isBetween(one.bytes) ? "all" : "more") }
    #expect(found == one.expected, "\(events)")
    #expect(disagreement(over: one.bytes, everywhere: one.bytes.count < 2000) { requestEvents(of: $0) } == nil)
  }

  @Test func theFileHasManyCases() {
    #expect(RequestCase.all.count >= 250)
    #expect(Set(RequestCase.all.map(\.bytes)).count == RequestCase.all.count)
  }

  /// With a small `max_head`, what is longer by one byte is refused, in each way of cutting.
  @Test func headsHaveABound() {
    let head = Array("GET /a HTTP/1.1\r\nHost: a\r\nX: 1\r\n\r\n".utf8)
    #expect(requestEvents(of: [head + head], maxHead: head.count).filter { $0 == "end" }.count == 2)
    #expect(disagreement(over: head, everywhere: true) { requestEvents(of: $0, maxHead: head.count) } == nil)
    for most in 1..<head.count {
      let events = requestEvents(of: [head], maxHead: most)
      #expect(events.count == 1 && events[0].hasPrefix("fault 431"), "\(most): \(events)")
      #expect(disagreement(over: head, everywhere: true) { requestEvents(of: $0, maxHead: most) } == nil)
    }
  }

  @Test func trailersAndExtensionsHaveABound() {
    let begin = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let most = begin.utf8.count
    let extensions = Array((begin + "1;" + String(repeating: "e", count: most - 2) + "\r\nx\r\n0\r\n\r\n").utf8)
    #expect(requestEvents(of: [extensions], maxHead: most).last == "end")
    let tooMany = Array(
      (begin + "1;" + String(repeating: "e", count: most - 10) + "\r\nx\r\n0;12345678901\r\n\r\n").utf8)
    #expect(requestEvents(of: [tooMany], maxHead: most).last?.hasPrefix("fault 400") == true)
    let trailers = Array((begin + "0\r\nX: " + String(repeating: "e", count: most - 7) + "\r\n\r\n").utf8)
    #expect(requestEvents(of: [trailers], maxHead: most).last == "end")
    let longer = Array((begin + "0\r\nX: " + String(repeating: "e", count: most - 6) + "\r\n\r\n").utf8)
    #expect(requestEvents(of: [longer], maxHead: most).last?.hasPrefix("fault 431") == true)
    for bytes in [extensions, tooMany, trailers, longer] {
      #expect(disagreement(over: bytes, everywhere: true) { requestEvents(of: $0, maxHead: most) } == nil)
    }
  }

  /// A pipeline of many requests, cut into pieces of every size.
  @Test func aPipelineInPieces() {
    let one =
      "POST /a?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
      + "GET /b HTTP/1.1\r\nHost: b\r\n\r\n"
      + "PUT /c HTTP/1.1\r\nHost: c\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
    let bytes = Array(String(repeating: one, count: 20).utf8)
    let whole = requestEvents(of: [bytes])
    #expect(whole.filter { $0 == "end" }.count == 60)
    for size in 1..<bytes.count {
      let pieces = cut(bytes, at: stride(from: size, to: bytes.count, by: size))
      #expect(requestEvents(of: pieces) == whole, "pieces of \(size)")
    }
  }

  /// What is kept of an unfinished head is what has come of it; between requests it is nothing.
  @Test func keepsLittle() {
    var reader = RequestReader(maxHead: 16384)
    feed("GET / HTTP/1.1\r\nHost: a\r\nX: 1", to: &reader)
    #expect(reader.heldBytes == 29 + 8)
    #expect(!reader.isBetweenRequests)
    feed("\r\n\r\n", to: &reader)
    #expect(reader.heldBytes == 0)
    #expect(reader.isBetweenRequests)
  }

  @Test func tellsWhatAHeadSays() throws {
    let head = try #require(
      firstHead(
        "POST /send/a%2Fb?c=d?e HTTP/1.1\r\nhOsT: [::1]:80\r\nAccept: \t a, b \t\r\nACCEPT:\r\naccept:c\r\n"
          + "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n"))
    #expect(head.method == .post && head.version == .http11 && head.framing == .length(2))
    #expect(head.path == Array("/send/a%2Fb".utf8) && head.query == Array("c=d?e".utf8))
    #expect(head.host == "[::1]:80" && head.keepsAlive && head.expectsContinue && head.wantsUpgrade == nil)
    #expect(head.fields("accept") == ["a, b", "", "c"])
    #expect(head.field("accept") == "a, b, , c")
    #expect(head.field("host") == "[::1]:80" && head.field("missing") == nil && head.fields("accep") == [])
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true), ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, CLOSE\r\n\r\n", false),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n", true),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n", true), ("GET / HTTP/1.0\r\n\r\n", false),
    ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
  ])
  func keepsAlive(text: String, keeps: Bool) { #expect(firstHead(text)?.keepsAlive == keeps) }

  @Test func expectationsWithoutABody() {
    #expect(firstHead("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n")?.expectsContinue == false)
    #expect(
      firstHead("PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")?.expectsContinue == false)
    let empty = firstHead("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n")
    #expect(empty?.expectsContinue == false && empty?.framing == .length(0) && empty?.query == nil)
  }

  /// A head that comes byte by byte costs as much as its bytes, not as their square.
  @Test func aLongHeadByteByByte() {
    let fields = (0..<1000).map { "X-\($0): abcdef\r\n" }.joined()
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
    #expect(requestEvents(of: bytes.map { [$0] }, maxHead: bytes.count) == requestEvents(of: [bytes], maxHead: 1 << 20))
  }

  /// What a peer sends is repeated only in part: an answer stays short, and a token stays untold.
  @Test(arguments: [
    ("\(String(repeating: "x", count: 9000)): \u{7F}", "a control character, 127"),
    ("Authorization : Bearer secret", "colon: \"Authorization\""), ("Bearer secret", "colon: \"Bearer\""),
    ("Host: a b", "the Host \"a b\" is not"), ("Host: \(String(repeating: "x", count: 9000)) ?", "xxx…\" is not"),
    ("\(String(repeating: "x", count: 9000))", "xxx…\""),
  ])
  func faultsAreShort(line: String, words: String) {
    let fault = requestEvents(of: [Array("GET / HTTP/1.1\r\n\(line)\r\n\r\n".utf8)]).last ?? ""
    #expect(fault.contains(words) && fault.utf8.count < 160 && !fault.contains("secret"), "\(fault)")
  }

  private func isBetween(_ bytes: [UInt8]) -> Bool {
    var reader = RequestReader(maxHead: 16384)
    var events = RequestEvents(maxHead: 16384)
    events.read(bytes, with: &reader)
    return reader.isBetweenRequests
  }
}

func feed(_ text: String, to reader: inout RequestReader) {
  var events = RequestEvents(maxHead: reader.maxHead)
  events.read(Array(text.utf8), with: &reader)
}

/// The head that a text begins with; nil if it is at fault, or not whole.
func firstHead(_ text: String) -> RequestHead? {
  var reader = RequestReader(maxHead: 16384)
  return Array(text.utf8).withUnsafeBytes { bytes in
    var position = 0
    if case .head(let head) = reader.next(in: bytes, at: &position) { return head }
    return nil
  }
}
