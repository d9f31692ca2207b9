internal import BatonCore
internal import HTTP

/// Why a door refuses a request itself, before the router has seen anything of it: a code for programs, and a sentence
/// for people that says what is wrong, where, and how to mend it.
struct HTTPRefusal: Error {
  var code: HTTPCode
  var message: String
  var status: Int
  /// Headers beside those that the code brings.
  var headers: [(name: String, value: String)]
  /// Whether the connection closes behind the answer.
  var closes: Bool
  /// Members of the line beside the code and the message: JSON, each with its comma in front.
  var members = ""

  /// - Parameter status: what the answer's status is, if the code has several.
  init(
    _ code: HTTPCode, _ message: String, status: Int? = nil, headers: [(name: String, value: String)] = [],
    closes: Bool = false
  ) {
    self.code = code
    self.message = message
    self.status = status ?? HTTPStatus.of(code: code.rawValue)
    self.headers = headers
    // A request that is too long, or that came to the wrong place, has a rest that nobody wants to read.
    self.closes = closes || [408, 413, 421, 431, 505].contains(self.status)
  }

  /// The answer, whose body is an `error` line.
  func answer(
    cors: [(name: String, value: String)] = [], closes: Bool = false, secondsToDrain: Int? = nil
  ) -> HTTPAnswer {
    let body = line + [0x0A]
    let mark = AnswerMark(status: status, name: "Baton-Error", value: code.rawValue)
    return HTTPAnswer(
      status,
      headers: HTTPAnswer.lineHeaders + mark.headers(secondsToDrain: secondsToDrain) + headers + cors, body: body,
      closes: self.closes || closes)
  }
}

extension HTTPRefusal {
  /// The `error` line, without its end.
  var line: [UInt8] {
    var line: [UInt8] = []
    line.append("{\"op\":\"error\",\"code\":\"")
    line += code.rawValue.utf8
    line += Array("\"\(members),\"message\":".utf8)
    line.appendQuoted(message)
    line.append("}")
    return line
  }
}

/// What a door refuses outside of the pages.
extension HTTPRefusal {
  /// A head or a framing that is not plainly right.
  static func fault(_ fault: RequestFault) -> HTTPRefusal {
    switch fault.status {
    case 431: HTTPRefusal(.headTooLong, fault.message, status: 431, closes: true)
    case 426: HTTPRefusal(.badRequest, fault.message, status: 426, headers: upgrade, closes: true)
    default: HTTPRefusal(.badRequest, fault.message, status: fault.status, closes: true)
    }
  }

  /// The disk of the store does not take what is written.
  static let withoutStore = HTTPRefusal(
    .storeFailed, "the store does not take what is written; see the server's log")

  /// What an answer 426 says beside its words.
  static let upgrade = [(name: "Upgrade", value: "websocket"), (name: "Sec-WebSocket-Version", value: "13")]

  /// The head or the body did not come in time.
  static func late(milliseconds: Int, isKnown: Bool = true) -> HTTPRefusal {
    HTTPRefusal(
      .lineTimeout,
      "the request was begun, but not ended within \(milliseconds) ms (\(isKnown ? "line_timeout_ms" : "auth_ms")); "
        + "send it at once")
  }

  /// The request does not say who asks, and the server must know it.
  static func authRequired(hasCertificate: Bool) -> HTTPRefusal {
    let certificate = hasCertificate ? "\(PeerFacts.unknownCertificate), or " : ""
    return HTTPRefusal(
      .authRequired,
      "this server must know who you are: \(certificate)send the header \"Authorization: Bearer TOKEN\", with a token of "
        + "its operator", closes: true)
  }

  /// One of too many sockets that have not said who they are.
  static func tooManyStrangers(_ most: Int, setting: String) -> HTTPRefusal {
    HTTPRefusal(
      .tooManyConnections,
      "\(most) connections have not said who they are, and no more are allowed now (\(setting)); "
        + "send a request with a token sooner", closes: true)
  }

  /// A body that takes more bytes than a line may have.
  static func bodyTooLong(_ rules: HTTPRules) -> HTTPRefusal {
    HTTPRefusal(
      .lineTooLong, "the body takes more than \(rules.maxLine) bytes (max_line); send less, or send where to find it")
  }

  /// Nothing more is taken in, because the server ends.
  static var draining: HTTPRefusal {
    HTTPRefusal(.draining, "the server is shutting down; send this to another one, or again when it is back")
  }

  /// There is no room for the request now.
  static var busy: HTTPRefusal {
    HTTPRefusal(.busy, "too many messages are under way; send this again a little later")
  }

  /// As many reports of metrics are written as may be at once.
  static func tooManyReports(_ most: Int) -> HTTPRefusal {
    HTTPRefusal(.busy, "\(most) reports of metrics are being written already; ask again a little later")
  }

  /// There are as many connections as may be.
  static func tooManyConnections(_ most: Int, setting: String) -> HTTPRefusal {
    HTTPRefusal(.tooManyConnections, "no place is free (\(setting): \(most)); try again later")
  }

  /// The place of a request was needed that has been coming longest.
  static func requestTooSlow(_ most: Int) -> HTTPRefusal {
    HTTPRefusal(
      .tooManyConnections,
      "no place is free (max_http_connections: \(most)), and your request has not come whole; nothing was done; send it again",
      closes: true)
  }

  /// The requests under way of an identity have their share of the places.
  static func shareOfPlaces(_ most: Int) -> HTTPRefusal {
    HTTPRefusal(
      .tooManyConnections,
      "the requests of your identity that are under way have their share (share_of_free) of the \(most) places of HTTP "
        + "(max_http_connections); nothing was done; send it again a little later")
  }

  /// The place of a request was needed whose identity has most of them.
  static func mostPlaces(_ most: Int) -> HTTPRefusal {
    HTTPRefusal(
      .tooManyConnections,
      "no place is free (max_http_connections: \(most)), and that of this request was needed; nothing was done of it; send "
        + "it again", closes: true)
  }

  /// The place of a request was needed whose client has ended its side, and perhaps has gone.
  static func givenUp(_ most: Int) -> HTTPRefusal {
    HTTPRefusal(
      .tooManyConnections,
      "no place is free (max_http_connections: \(most)), and your connection had ended its side; what the request asked for "
        + "may have happened; ask before you repeat", closes: true)
  }

  /// The router had too much to say to all peers, and most of it to this one.
  static var tooSlow: HTTPRefusal {
    HTTPRefusal(
      .tooSlow,
      "the server had no room for the answer, because peers do not read theirs (max_total_unsent_bytes), and what the "
        + "request asked for may have happened; ask before you repeat")
  }

  /// The router ended the request's connection without a word.
  static var lost: HTTPRefusal {
    HTTPRefusal(
      .closedByPeer,
      "the request ended without an answer, and what it asked for may have happened; ask before you repeat")
  }
}

/// A peer's word as a message shows it: its beginning, and nothing of it that is not UTF-8.
func shown(_ word: some Collection<UInt8>) -> String { shortened(String(decoding: word.prefix(300), as: UTF8.self)) }
