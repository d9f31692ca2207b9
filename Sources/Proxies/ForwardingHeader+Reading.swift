/// Whose request it is, by what the proxies on its way have written. Each adds at the right end where it got the request
/// from. So what stands there is read first, and what stands left of the first address that is no proxy's is not looked at:
/// the client may have written it.
extension ForwardingHeader {
  /// The most proxies behind each other.
  static let mostHops = 32
  /// The most bytes of `Forwarded`, which can only be read from its beginning.
  static let mostBytes = 4096

  /// The client of a request that a proxy has passed on; nil if the header is absent: it is the proxy's own request.
  ///
  /// - Parameters:
  ///   - fields: the values of this header, in their order.
  ///   - schemes: the values of `X-Forwarded-Proto`. It is not read beside `Forwarded`.
  public func peer(
    fields: [String], schemes: [String], _ rules: ProxyRules
  ) throws(ProxyFault) -> ForwardedPeer? {
    if fields.isEmpty { return nil }
    guard self == .forwarded else {
      guard schemes.count <= 1 else {
        throw ProxyFault("X-Forwarded-Proto stands \(schemes.count) times; let the proxy replace what the client sent")
      }
      var scheme = ForwardedPeer.Scheme.unknown
      if let told = schemes.first {
        scheme = try ForwardingHeader.scheme(Array(told.utf8)[...], of: "X-Forwarded-Proto")
      }
      return try leftmost(of: NodesFromTheRight(fields), saying: scheme, rules)
    }
    guard fields.reduce(0, { $0 + $1.utf8.count }) <= ForwardingHeader.mostBytes else {
      throw ProxyFault("Forwarded is longer than \(ForwardingHeader.mostBytes) bytes")
    }
    var nodes: [ForwardedElement] = []
    for field in fields { nodes += try ForwardedElement.read(Array(field.utf8)) }
    return try leftmost(of: nodes.reversed().makeIterator(), saying: nil, rules)
  }

  /// Goes to the left, as long as addresses are those of proxies. `scheme` is what one word says of all of them; nil: each
  /// has its own.
  private func leftmost(
    of nodes: some IteratorProtocol<some ForwardedNode>, saying scheme: ForwardedPeer.Scheme?, _ rules: ProxyRules
  ) throws(ProxyFault) -> ForwardedPeer {
    var (nodes, found, hops) = (nodes, ForwardedPeer?.none, 0)
    var way = ForwardedPeer.Scheme.encrypted
    while let node = nodes.next() {
      hops += 1
      guard hops <= ForwardingHeader.mostHops else {
        throw ProxyFault("\(shown) goes through more than \(ForwardingHeader.mostHops) proxies")
      }
      guard var peer = try node.peer(), !peer.address.isUnspecified else {
        throw ProxyFault("what the proxy added to \(shown) is no address")
      }
      if let scheme { peer.scheme = scheme }
      if !peer.address.isLoopback { way = min(way, peer.scheme) }
      peer.way = way
      found = peer
      if !rules.believes(peer.address) { return peer }
    }
    guard let found else { throw ProxyFault("\(shown) is empty") }
    return found
  }

  /// The scheme that a proxy tells. Some say `ws` and `wss` of WebSockets.
  static func scheme(_ word: ArraySlice<UInt8>, of header: String) throws(ProxyFault) -> ForwardedPeer.Scheme {
    switch String(decoding: word, as: UTF8.self).lowercased() {
    case "http", "ws": return .plain
    case "https", "wss": return .encrypted
    default: throw ProxyFault("\(header) is neither http nor https")
    }
  }
}

/// What one proxy has added.
protocol ForwardedNode {
  /// Where the proxy got the request from; nil if it does not say an address.
  func peer() throws(ProxyFault) -> ForwardedPeer?
}

/// An address as `X-Forwarded-For` has it: bare, or with brackets, or with a port.
struct ForwardedAddress: ForwardedNode {
  let text: ArraySlice<UInt8>

  func peer() -> ForwardedPeer? {
    if let address = IPAddress(text: text) { return ForwardedPeer(address: address) }
    return ForwardedAddress.peer(text, allowingNamedPort: false)
  }

  /// `1.2.3.4`, `1.2.3.4:80`, `[::1]` or `[::1]:80`; nil if it is none of these. A port may be hidden behind a name where
  /// that is allowed (RFC 7239, section 6.2).
  static func peer(_ text: ArraySlice<UInt8>, allowingNamedPort: Bool) -> ForwardedPeer? {
    var (host, rest) = (text, text[text.endIndex...])
    let isSix = text.first == UInt8(ascii: "[")
    if isSix {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      (host, rest) = (text[(text.startIndex + 1)..<end], text[(end + 1)...])
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      (host, rest) = (text[..<colon], text[colon...])
    }
    guard host.contains(UInt8(ascii: ":")) == isSix, let address = IPAddress(text: host) else { return nil }
    var peer = ForwardedPeer(address: address)
    guard let colon = rest.first else { return peer }
    guard colon == UInt8(ascii: ":") else { return nil }
    let port = rest.dropFirst()
    if allowingNamedPort, port.first == UInt8(ascii: "_"), port.count > 1 { return peer }
    guard let number = IPAddress.decimal(port, most: 65_535) else { return nil }
    peer.port = UInt16(number)
    return peer
  }
}

/// The elements of all `X-Forwarded-For`, the last one first. Each is looked at when it is asked for.
private struct NodesFromTheRight: IteratorProtocol {
  private var lines: [String]
  private var line: ArraySlice<UInt8>?

  init(_ lines: [String]) {
    self.lines = lines
    line = self.lines.popLast().map { Array($0.utf8)[...] }
  }

  mutating func next() -> ForwardedAddress? {
    guard let now = line else { return nil }
    let comma = now.lastIndex(of: UInt8(ascii: ","))
    line = comma.map { now[..<$0] } ?? lines.popLast().map { Array($0.utf8)[...] }
    return ForwardedAddress(text: trimmed(comma.map { now[($0 + 1)...] } ?? now))
  }
}

/// A piece without the spaces and tabs around it.
func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  var text = text.drop { $0 == 0x20 || $0 == 0x09 }
  while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
  return text
}
