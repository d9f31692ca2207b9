internal import CCurl

/// One request on its way, and what has come of its answer. Lives on its service's thread.
final class Transfer {
  let request: WebRequest
  private let told: CheckedContinuation<Result<WebAnswer, WebFault>, Never>
  private var one: UnsafeMutableRawPointer?
  private var list: UnsafeMutablePointer<curl_slist>?
  /// When its time is over.
  private let limit: ContinuousClock.Instant
  private let words = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  private var headers: [(name: String, value: String)] = []
  private var body: [UInt8] = []
  /// Bytes of heads, with those of provisional answers and of trailers.
  private var headCount = 0
  private var isInHead = true
  /// The bytes of the latest head's status, and the length that it says.
  private var status: [UInt8] = []
  private var length: Int?
  private var isCut = false
  /// Why the answer is not read on, for people.
  private var refusal: String?

  /// No service has reason to send more.
  private static let mostHead = 64 << 10

  init(_ request: WebRequest, _ told: CheckedContinuation<Result<WebAnswer, WebFault>, Never>) {
    self.request = request
    self.told = told
    limit = .now + request.time
    words.initialize(repeating: 0)
  }

  deinit {
    ccurl_free(list)
    words.deallocate()
  }

  /// Begins among `many`, and keeps itself alive until `end`.
  func begin(_ many: UnsafeMutableRawPointer, at url: String, _ authorities: String?, through proxy: String?) -> Bool {
    // An empty value has a spelling of its own. A name without any takes away what the library adds by itself: a question
    // whether a long body is wanted, for whose answer it waits, and the type of a form.
    var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + ["Expect:"]
    if !request.headers.contains(where: { $0.name == "Content-Type" }) { lines.append("Content-Type:") }
    guard lines.allSatisfy({ ccurl_add(&list, $0) }), let base = words.baseAddress else { return false }
    one = url.withCString { url in
      withText(authorities) { authorities in
        withText(proxy) { proxy in
          request.body.withUnsafeBytes { body in
            var post = ccurl_post(
              url: url, authorities: authorities, proxy: proxy, body: body.baseAddress, count: body.count,
              headers: list, timeout_ms: timeLeft, object: Unmanaged.passUnretained(self).toOpaque(),
              take_head: takeHead, take_body: takeBody, words: base)
            return ccurl_begin(many, &post)
          }
        }
      }
    }
    return one != nil
  }

  /// In milliseconds.
  private var timeLeft: Int { max(1, Int((limit - .now) / .milliseconds(1))) }

  private func withText<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    text.map { $0.withCString(body) } ?? body(nil)
  }

  /// Posts once more, on a fresh connection, where a kept one was closed instead of an answer. The library does so by
  /// itself, but not where writing a long body fails, and not where many kept connections are closed in a row.
  func beginsAgain(_ many: UnsafeMutableRawPointer, _ code: CURLcode) -> Bool {
    guard let one, headCount == 0, Self.closings.contains(code) else { return false }
    words.initialize(repeating: 0)
    return ccurl_again(many, one, timeLeft)
  }

  /// The service has closed the connection, unless more is known of it.
  private static let closings = [CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_SEND_FAIL_REWIND]

  /// Takes it out, and tells what came of it; nil: it was cancelled.
  func end(_ many: UnsafeMutableRawPointer, _ code: CURLcode?) {
    let status = one.map { Int(ccurl_status($0)) } ?? 0
    if let one { ccurl_end(many, one) }
    one = nil
    told.resume(returning: outcome(code, status))
  }

  private func outcome(_ code: CURLcode?, _ status: Int) -> Result<WebAnswer, WebFault> {
    guard let code else { return .failure(WebFault("the request was taken back")) }
    if code == CURLE_OK || isCut {
      // The library takes the end of the connection for the end of a head.
      guard !isInHead, status >= 200 else { return .failure(WebFault("the web service broke its answer off")) }
      return .success(WebAnswer(status: status, headers: headers, body: body, isCut: isCut))
    }
    let said = words.baseAddress.map { String(cString: $0) } ?? ""
    let detail = said.isEmpty ? String(cString: ccurl_words(code)) : said
    return .failure(WebFault(refusal ?? reason(code, detail), detail: detail))
  }

  private func reason(_ code: CURLcode, _ detail: String) -> String {
    switch code {
    case CURLE_OPERATION_TIMEDOUT:
      return "the web service gave no whole answer within \(Int(request.time / .milliseconds(1))) ms"
    case CURLE_URL_MALFORMAT: return "the name of the web service cannot be looked up as it is written"
    case CURLE_COULDNT_RESOLVE_HOST: return "the name of the web service cannot be resolved"
    case CURLE_COULDNT_CONNECT: return "the web service cannot be reached"
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return "the proxy to the web service cannot be reached"
    case CURLE_RECV_ERROR where !isInHead:
      // The library has one code for both, and other words.
      return detail.lowercased().contains("chunked")
        ? "the web service sent its answer in chunks that are not as HTTP wants them"
        : "the web service broke its answer off"
    case _ where Self.closings.contains(code):
      return "the web service closed the connection without an answer"
    case CURLE_PARTIAL_FILE: return "the web service broke its answer off"
    case CURLE_PEER_FAILED_VERIFICATION: return "the certificate of the web service does not count"
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return "no encrypted connection to the web service came about"
    case CURLE_OUT_OF_MEMORY: return "there is no memory for the answer of the web service"
    default: return "the web service did not answer as HTTP wants it"
    }
  }

  // MARK: What comes

  /// Takes a line of a head. Returns false if it was too much.
  fileprivate func addHead(_ line: UnsafeRawBufferPointer) -> Bool {
    headCount += line.count
    guard headCount <= Self.mostHead else {
      return refuse("the web service sent more than \(Self.mostHead) bytes of headers")
    }
    let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
    // Others may read a CR as the end of a line, and so another head.
    guard ["\r\n", "\n"].contains(where: { line.dropFirst(text.count).elementsEqual($0.utf8) }) else {
      return refuse("the web service sent a head with a CR that ends no line")
    }
    let isFirst = headCount == line.count
    if line.starts(with: "HTTP/".utf8) {
      // Another head: the one before was provisional.
      (headers, length) = ([], nil)
      guard line.starts(with: "HTTP/1.1 ".utf8) || line.starts(with: "HTTP/1.0 ".utf8) else {
        return refuse("the web service answered in a version of HTTP that is neither 1.1 nor 1.0")
      }
      guard Self.isStatus(text.dropFirst("HTTP/1.1 ".utf8.count)) else {
        return refuse("the web service answered with a status that is not of three digits")
      }
      status = Array(text.dropFirst("HTTP/1.1 ".utf8.count).prefix(3))
      // The library would wait for another head, but what follows this one is no HTTP.
      if status.elementsEqual("101".utf8) {
        return refuse("the web service answered with status 101")
      }
    } else if isFirst {
      return refuse("the web service did not answer as HTTP wants it")
    } else if text.isEmpty {
      isInHead = false
      if status.elementsEqual("200".utf8), let length, length > request.mostBody {
        return refuse("the web service answered with more than \(request.mostBody) bytes, and the server takes no more")
      }
    } else if isInHead {
      guard let colon = Self.endOfName(text) else {
        return refuse("the web service sent a header that is not a name, a colon and a value on one line")
      }
      let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
      let value = String(decoding: text[(colon + 1)...], as: UTF8.self)
      headers.append((name, String(value.trimmed)))
      if let fault = framingFault(of: headers.count - 1) { return refuse(fault) }
      if name == "content-length" { length = Int(headers[headers.count - 1].value) }
    }
    if line.starts(with: "HTTP/".utf8) { isInHead = true }
    return true
  }

  /// Whether that is a status, and perhaps a blank and its words. The library would read the first three digits of anything.
  private static func isStatus(_ text: some Collection<UInt8>) -> Bool {
    text.prefix(3).count { 48...57 ~= $0 } == 3 && text.dropFirst(3).first.map { $0 == 0x20 } ?? true
  }

  /// The place of the colon behind the name of a header; nil if it has no name. What begins with a blank goes on with the
  /// line before, and a blank before the colon hides the name from some readers (RFC 9112, 5).
  private static func endOfName(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else { return nil }
    return text[..<colon].allSatisfy { 0x21...0x7E ~= $0 } ? colon : nil
  }

  /// Reads no further.
  private func refuse(_ why: String) -> Bool {
    refusal = why
    return false
  }

  private static let framing = ["content-length", "transfer-encoding"]

  /// What is wrong with a header, as far as it says where the body ends.
  private func framingFault(of last: Int) -> String? {
    let (name, value) = headers[last]
    guard Self.framing.contains(name) else { return nil }
    // The library takes a number that is too large for none, and waits for the end of the connection.
    let isNumber = name != "content-length" || value.utf8.allSatisfy { 48...57 ~= $0 } && Int(value) != nil
    if !isNumber, !value.contains(",") {
      return "the web service said a length of its answer that is no number, or too large a one"
    }
    // The library takes one of the lengths. What it is for others, a proxy for instance, nobody knows.
    let hasOther = headers[..<last].contains {
      Self.framing.contains($0.name) && ($0.name != name || $0.value != value)
    }
    if hasOther || !isNumber { return "the web service said more than one thing about the length of its answer" }
    // The library takes other codings off, and says nothing of a damaged end.
    if name == "transfer-encoding", value.lowercased() != "chunked" {
      return "the web service sent its answer in a transfer coding that is not chunked"
    }
    return nil
  }

  /// Takes bytes of the body. Returns false if they are too many: no more is read then.
  fileprivate func addBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let room = request.mostBody - body.count
    body += bytes.prefix(room)
    isCut = bytes.count > room
    return !isCut
  }
}

extension StringProtocol {
  fileprivate var trimmed: SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = drop(while: isBlank)
    return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? start[start.startIndex..<start.startIndex]
  }
}

private func takeHead(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ object: UnsafeMutableRawPointer?
) -> Int {
  take(bytes, size * count, object) { $0.addHead($1) }
}

private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ object: UnsafeMutableRawPointer?
) -> Int {
  take(bytes, size * count, object) { $0.addBody($1) }
}

/// What the library calls must say how many bytes it has taken; any other number ends the transfer.
private func take(
  _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ object: UnsafeMutableRawPointer?,
  _ body: (Transfer, UnsafeRawBufferPointer) -> Bool
) -> Int {
  guard let object else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(object).takeUnretainedValue()
  // Even of nothing, the wrong number is an error.
  return body(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : count == 0 ? 1 : 0
}
