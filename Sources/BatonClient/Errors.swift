/// What can go wrong between this program and the server. The result of a message is not an error (`SendResult`).
public enum BatonError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No connection could be made, or there was none for as long as the patience allows: why, in words.
  case unreachable(String)
  /// The connection was lost with the request open. The server may have carried it out.
  case connectionLost(String)
  /// The call's deadline is over: why, in words. `maySent`: the request was written, and the server may have carried it
  /// out.
  case noAnswer(String, maySent: Bool)
  /// The requests that wait take as many bytes as they may: why, in words.
  case backlogFull(String)
  /// The configuration file makes a guard of this client weaker, so that it guards nothing: why, in words.
  case notAGuard(String)
  /// The client was closed by this program.
  case closed
  /// The server refused a request: its code, and its message.
  case refused(code: String, message: String)
  /// The token cannot be used, or would be read by others on its way. The token is never told.
  case badToken(String)
  /// The files or pins for encryption cannot be used.
  case badTLS(String)
  /// The text is not a JSON value.
  case notJSON(String)
  /// The text is not a place to connect to.
  case notAPlace(String)
  /// The message was not handled: its result says what became of it.
  case notHandled(SendResult)

  /// One word for programs. If the server refused something, it is the code of the server.
  public var code: String {
    switch self {
    case .unreachable: "unreachable"
    case .connectionLost: "connection_lost"
    case .noAnswer: "no_answer"
    case .backlogFull: "backlog_full"
    case .notAGuard: "not_a_guard"
    case .closed: "closed"
    case .refused(let code, _): shown(code)
    case .badToken: "bad_token"
    case .badTLS: "bad_tls"
    case .notJSON: "bad_value"
    case .notAPlace: "bad_place"
    case .notHandled: "not_handled"
    }
  }

  /// One sentence for people. Nothing in it acts on a terminal or in a log, whoever has said it.
  public var description: String { shown(words) }

  private var words: String {
    switch self {
    case .unreachable(let why): "the server cannot be reached: \(why)"
    case .connectionLost(let why): "the connection was lost before the answer came: \(why)"
    case .closed: "the client is closed"
    case .refused(let code, let message): "\(message) (\(code))"
    case .badToken(let why), .badTLS(let why), .noAnswer(let why, _), .backlogFull(let why), .notAGuard(let why): why
    case .notJSON(let text): "\"\(text)\" is not a JSON value"
    case .notAPlace(let text):
      "\"\(text)\" is not a place to connect to; write HOST:PORT, tls:HOST:PORT or unix:PATH, several with commas between them"
    case .notHandled(let result): result.words
    }
  }
}

extension BatonError {
  /// Whether a server refuses each newcomer for a while, so that another server may take it.
  var isOfNewcomers: Bool { ["not_leading", "draining", "too_many_connections"].contains(code) }
}

extension SendResult {
  /// What became of a message that was not handled, with the links that failed it.
  fileprivate var words: String {
    let said = message.map { ": \($0)" } ?? ""
    let all = failures.map(\.description) + (hasMoreFailures ? ["and more"] : [])
    let failed = all.isEmpty ? "" : "; links that failed it: " + all.joined(separator: ", ")
    let name = stored.map { " \($0)" } ?? ""
    let what = isDead ? "the message\(name) is a dead letter: its last attempt is" : "the message is"
    return "\(what) \(status.rawValue)\(said)\(failed)"
  }
}
