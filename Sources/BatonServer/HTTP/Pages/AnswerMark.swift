internal import BatonCore

/// What an answer's status is, and the one header that says why: of a result `Baton-Status`, of an error `Baton-Error`.
struct AnswerMark: Equatable, Sendable {
  var status: Int
  /// `Baton-Status`, `Baton-Error`, or nothing.
  var name: String
  var value: String
  /// After how many seconds the same request may be taken, if that is known.
  var retrySeconds: Int?

  /// The headers that the mark brings.
  ///
  /// - Parameter secondsToDrain: how long a draining server goes on; nil if it does not drain.
  func headers(secondsToDrain: Int?) -> [(name: String, value: String)] {
    if name.isEmpty { return [] }
    var headers = [(name: name, value: value)]
    guard name == "Baton-Error" else { return headers }
    switch value {
    case "auth_required", "auth_failed": headers.append(("WWW-Authenticate", "Bearer"))
    case "busy", "too_many_connections", "not_leading": headers.append(("Retry-After", String(retrySeconds ?? 1)))
    case "draining": headers.append(("Retry-After", String(max(secondsToDrain ?? 1, 1))))
    default: break
    }
    return headers
  }
}

extension AnswerMark {
  private init(_ status: Int, of word: String) { self.init(status: status, name: "Baton-Status", value: word) }

  /// That of a line with which the router answers.
  init(_ line: LineMark) {
    switch line {
    case .result(let status): self.init(HTTPStatus.of(status), of: "\(status.spelling)")
    case .dead(let status): self.init(500, of: "\(status.spelling)")
    case .ok: self.init(200, of: "ok")
    case .accepted: self.init(202, of: "accepted")
    case .error(let code, let milliseconds):
      let status = milliseconds == nil ? HTTPStatus.of(code: code.rawValue) : 429
      self.init(status: status, name: "Baton-Error", value: code.rawValue)
      retrySeconds = milliseconds.map { ($0 + 999) / 1000 }
    case .other, .welcome, .pong, .told: self.init(status: 200, name: "", value: "")
    }
  }
}
