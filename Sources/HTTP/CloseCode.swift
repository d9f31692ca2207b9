/// Why a WebSocket is closed (RFC 6455, section 7.4.1): the codes that a server says.
public enum CloseCode: UInt16, Sendable {
  case normal = 1000
  case goingAway = 1001
  /// Frames that are not right.
  case protocolError = 1002
  /// A binary message.
  case notText = 1003
  /// Text that is not UTF-8.
  case badText = 1007
  case policy = 1008
  case tooLong = 1009
  case tryAgain = 1013

  /// Whether a peer may send a code: an assigned one that is for the wire, one of a library (3000 on), or one of an
  /// application (4000 on).
  static func isAllowed(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
