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

  private var head = AnswerHead()
  private var body: [UInt8] = []
  private var isCut = false
  /// Why the answer is not read on.
  private var refusal: WebFault?

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
    guard let one, head.count == 0, Self.closings.contains(code) else { return false }
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
    if let refusal { return .failure(refusal) }
    if code == CURLE_OK || isCut {
      // The library takes the end of the connection for the end of a head.
      guard !head.isOpen, status >= 200 else { return .failure(WebFault("the web service broke its answer off")) }
      return .success(WebAnswer(status: status, headers: head.headers, body: body, isCut: isCut))
    }
    let said = words.baseAddress.map { String(cString: $0) } ?? ""
    let detail = said.isEmpty ? String(cString: ccurl_words(code)) : said
    return .failure(WebFault(reason(code, detail), detail: detail))
  }

  private func reason(_ code: CURLcode, _ detail: String) -> String {
    switch code {
    case CURLE_OPERATION_TIMEDOUT:
      return "the web service gave no whole answer within \(Int(request.time / .milliseconds(1))) ms"
    case CURLE_URL_MALFORMAT: return "the name of the web service cannot be looked up as it is written"
    case CURLE_COULDNT_RESOLVE_HOST: return "the name of the web service cannot be resolved"
    case CURLE_COULDNT_CONNECT: return "the web service cannot be reached"
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return "the proxy to the web service cannot be reached"
    case CURLE_RECV_ERROR where !head.isOpen:
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
    // What it says of a line of a head that is too long for it; in later versions there is a code for that.
    case _ where head.isOpen && (code == CURLE_OUT_OF_MEMORY || code.rawValue == 100): return AnswerHead.tooLong
    case CURLE_OUT_OF_MEMORY: return "there is no memory for the answer of the web service"
    default: return "the web service did not answer as HTTP wants it"
    }
  }

  // MARK: What comes

  /// Takes a line of a head. Returns false if no more is to be read.
  fileprivate func addHead(_ line: UnsafeRawBufferPointer) -> Bool {
    do throws(WebFault) { try head.take(line) } catch {
      refusal = error
      return false
    }
    // Nobody waits for a body that would be cut.
    isCut = head.saidLength > request.mostBody
    return !isCut
  }

  /// Takes bytes of the body. Returns false if they are too many: no more is read then.
  fileprivate func addBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let room = request.mostBody - body.count
    body += bytes.prefix(room)
    isCut = bytes.count > room
    return !isCut
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
