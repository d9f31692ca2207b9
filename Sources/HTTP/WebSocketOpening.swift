/// What a request says that wants to become a WebSocket (RFC 6455, section 4.2.1).
public struct WebSocketOpening: Sendable {
  /// `Sec-WebSocket-Key`, for `WebSocketHandshake.accept`; empty if it is not right.
  public let key: String
  /// The subprotocols that the client would like to speak, the best one first.
  public let protocols: [String]
  /// Why it cannot become one: 426 if it asks for another upgrade or version, 400 if it is not right. The connection
  /// need not close. Empty if all is right.
  public let faults: [RequestFault]

  init(_ head: RequestHead) {
    var faults: [RequestFault] = []
    if head.version == .http10 || !head.connectionUpgrades {
      faults.append(RequestFault(status: 426, "an upgrade needs HTTP/1.1 and \"Connection: Upgrade\""))
    }
    let versions = head.fields("sec-websocket-version")
    if versions != ["13"] {
      faults.append(RequestFault(status: 426, "the upgrade needs \"Sec-WebSocket-Version: 13\""))
    }
    let keys = head.fields("sec-websocket-key")
    let isRight = keys.count == 1 && WebSocketOpening.isKey(keys[0])
    if !isRight { faults.append(RequestFault("Sec-WebSocket-Key must stand there once, and be 16 bytes in base64")) }
    if head.method != .get { faults.append(RequestFault("the upgrade to WebSocket needs GET")) }
    if head.framing != .none, head.framing != .length(0) {
      faults.append(RequestFault("a request for an upgrade to WebSocket has no body"))
    }
    var protocols: [String] = []
    for list in head.fields("sec-websocket-protocol") {
      let text = Array(list.utf8)
      HeadLines.eachElement(of: 0..<text.count, in: text.span.bytes) { element in
        protocols.append(String(decoding: text[element], as: UTF8.self))
      }
    }
    if protocols.contains(where: { !$0.utf8.allSatisfy { isTokenByte($0) } }) {
      faults.append(RequestFault("Sec-WebSocket-Protocol is not a list of words with commas"))
    }
    self.key = isRight ? keys[0] : ""
    self.protocols = protocols
    self.faults = faults
  }

  /// Whether a text is 16 bytes in base64, spelled in the one right way.
  private static func isKey(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 24, bytes[22] == UInt8(ascii: "="), bytes[23] == UInt8(ascii: "=") else { return false }
    // Of the last digit only two bits count.
    return bytes[..<22].allSatisfy { Base64.digits.contains($0) } && "AQgw".utf8.contains(bytes[21])
  }
}

extension RequestHead {
  /// What it says of an upgrade to WebSocket; nil if `Upgrade` does not name it. Worked out with each call.
  public var wantsUpgrade: WebSocketOpening? { namesWebSocket ? WebSocketOpening(self) : nil }
}
