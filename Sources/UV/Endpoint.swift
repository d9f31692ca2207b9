/// A place to listen at or to connect to, as a person writes it.
public enum Endpoint: Equatable, Sendable, CustomStringConvertible {
  /// A host, by number or name, and a port; port 0 takes a free one.
  case tcp(host: String, port: UInt16)
  /// The path of a Unix socket.
  case unix(path: String)

  /// Reads `unix:PATH`, `HOST:PORT` or `[IPV6]:PORT`; nil for anything else.
  public init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = text.dropFirst("unix:".count)
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .unix(path: String(path))
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, !host.contains("/") else { return nil }
    self = .tcp(host: String(host), port: port)
  }

  /// `tcp 127.0.0.1:22866` or `unix PATH`: the kind, one space, the rest of the line.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp [\(host)]:\(port)" : "tcp \(host):\(port)"
    case .unix(let path): "unix \(path)"
    }
  }
}
