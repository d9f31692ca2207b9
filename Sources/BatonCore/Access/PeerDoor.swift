/// Through which door a connection came (contract, section 13). The router treats all alike, except for requests.
public enum PeerDoor: UInt8, Sendable {
  /// Lines over a socket, encrypted or not.
  case lines
  /// One request of HTTP. It is not paused, because nobody could see that: it gets `busy`. While the server drains, it
  /// may still see what the server does. Its end in good order is no news.
  case request
  /// A stream of events over HTTP.
  case events
  /// A WebSocket.
  case webSocket

  /// Whether the peer has never seen its lines: the door makes them of requests.
  var makesLines: Bool { self == .request || self == .events }

  /// Whether the door need not know what the lines behind such a one are: a WebSocket wants to know whether it is let in, a
  /// stream of events whether it is subscribed.
  func isLastMarked(_ mark: LineMark?) -> Bool { self == .webSocket || self == .events && mark == .ok }

  /// As `inspect` tells it; nil for lines.
  var spelling: StaticString? {
    switch self {
    case .lines: nil
    case .request, .events: "http"
    case .webSocket: "ws"
    }
  }
}
