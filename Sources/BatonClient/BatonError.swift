/// What can go wrong between this program and the server; results of messages are no errors (`SendResult`).
public enum BatonError: Error, Sendable, Hashable, CustomStringConvertible {
  /// No connection could be made: why, in words.
  case unreachable(String)
  /// The connection was lost with the request open: whether it was carried out is not known.
  case connectionLost(String)
  /// The client was closed by this program.
  case closed
  /// The server refused a request: the contract's code, and what it says.
  case refused(code: String, message: String)
  /// The text is no JSON value.
  case notJSON(String)
  /// The text names no place to connect to.
  case notAPlace(String)
  /// The message had a result, but another than was asked for.
  case notHandled(SendResult)

  /// One word for programs: the server's code where it refused something.
  public var code: String {
    switch self {
    case .unreachable: "unreachable"
    case .connectionLost: "connection_lost"
    case .closed: "closed"
    case .refused(let code, _): code
    case .notJSON: "bad_value"
    case .notAPlace: "bad_place"
    case .notHandled: "not_handled"
    }
  }

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .unreachable(let why): "the server cannot be reached: \(why)"
    case .connectionLost(let why): "the connection was lost before the answer came: \(why)"
    case .closed: "the client is closed"
    case .refused(let code, let message): "\(message) (\(code))"
    case .notJSON(let text): "\"\(text)\" is no JSON value"
    case .notAPlace(let text): "\"\(text)\" is no place to connect to; write HOST:PORT or unix:PATH"
    case .notHandled(let result): "the message is \(result.status.rawValue)" + (result.message.map { ": \($0)" } ?? "")
    }
  }
}
