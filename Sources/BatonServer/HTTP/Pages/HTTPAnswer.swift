internal import HTTP

/// A whole answer to a request: what the door says itself, or a line of the router.
///
/// The values of headers are words of the program, numbers, and what the operator's settings say. Nothing that a peer
/// has chosen stands in a header, so no peer can end one.
struct HTTPAnswer: Error {
  var status: Int
  /// Headers beside `Date`, `Content-Length` and `Connection`.
  var headers: [(name: String, value: String)]
  /// The body; empty if there is none.
  var body: [UInt8]
  /// Whether the connection closes behind the answer, whatever the request says.
  var closes: Bool

  init(
    _ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], closes: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.closes = closes
  }

  /// What every answer with lines of JSON has.
  static let lineHeaders = headers(ofType: "application/json")

  /// What an answer of this type has. It is told once, so nobody may keep it.
  static func headers(ofType type: String) -> [(name: String, value: String)] {
    [("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
  }

  /// An answer that has a line of the router as its body. `line` has its LF.
  static func line(
    _ line: [UInt8], _ mark: AnswerMark, cors: [(name: String, value: String)], secondsToDrain: Int? = nil
  ) -> HTTPAnswer {
    HTTPAnswer(mark.status, headers: lineHeaders + mark.headers(secondsToDrain: secondsToDrain) + cors, body: line)
  }

  /// The answer to a request that wants no result: its message has been taken in.
  static func taken(cors: [(name: String, value: String)]) -> HTTPAnswer { HTTPAnswer(202, headers: cors) }

  /// The answer of `/healthz` and `/readyz` when all is well.
  static func healthy(cors: [(name: String, value: String)]) -> HTTPAnswer {
    HTTPAnswer(200, headers: lineHeaders + cors, body: Array("{\"op\":\"ok\"}\n".utf8))
  }

  /// The answer's bytes. `keepsAlive` says whether the request lets the connection stay open, `idle` for how many
  /// milliseconds.
  func bytes(keepsAlive: Bool, for idle: Int = 0, isHead: Bool, date: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256 + headers.count * 64 + (isHead ? 0 : body.count))
    appendHead(to: &bytes, bodyCount: body.count, keepsAlive: keepsAlive, for: idle, date: date)
    if !isHead { bytes += body }
    return bytes
  }

  /// Writes the first line and the headers. `bodyCount` is the number of bytes that follow; nil if they follow until
  /// the connection closes, or as a stream of its own.
  func appendHead(to bytes: inout [UInt8], bodyCount: Int?, keepsAlive: Bool, for idle: Int = 0, date: String) {
    bytes.append("HTTP/1.1 ")
    bytes.append(status)
    bytes.append(" ")
    bytes.append(HTTPStatus.reason(status))
    bytes.append("\r\nDate: ")
    bytes += date.utf8
    for header in headers {
      bytes.append("\r\n")
      bytes += header.name.utf8
      bytes.append(": ")
      bytes += header.value.utf8
    }
    // A 204 and a 304 have no body, and no length of one (RFC 9110, section 8.6).
    if let bodyCount, status != 204, status != 304, status >= 200 {
      bytes.append("\r\nContent-Length: ")
      bytes.append(bodyCount)
    }
    // An upgrade says what it becomes; it has its own Connection.
    if status >= 200 {
      bytes.append(keepsAlive && !closes ? "\r\nConnection: keep-alive" : "\r\nConnection: close")
      // Who knows it sends no request on a socket that is just being closed.
      if keepsAlive, !closes, idle >= 1000 {
        bytes.append("\r\nKeep-Alive: timeout=")
        bytes.append(idle / 1000)
      }
    }
    bytes.append("\r\n\r\n")
  }
}
