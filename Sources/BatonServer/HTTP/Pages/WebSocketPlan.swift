internal import HTTP

/// How a request becomes a WebSocket (RFC 6455): the answer, and what is said to the router first.
struct WebSocketPlan {
  /// `Sec-WebSocket-Accept`.
  let accept: String
  /// The subprotocol of the answer: `baton.1` if the client has named it, else none.
  let subprotocol: String?
  /// The line `hello` with the token of `Authorization`, with its LF; nil if there is none. Programs may send one,
  /// browsers cannot.
  let greeting: [UInt8]?
  let cors: [(name: String, value: String)]

  /// The only subprotocol.
  static let baton = "baton.1"

  /// The answer, behind which frames follow.
  var answer: HTTPAnswer {
    var headers = [
      (name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade"),
      (name: "Sec-WebSocket-Accept", value: accept),
    ]
    if let subprotocol { headers.append(("Sec-WebSocket-Protocol", subprotocol)) }
    return HTTPAnswer(101, headers: headers + cors)
  }
}
