internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Where the server is, and whether the way there is encrypted.
struct Place: Sendable, CustomStringConvertible {
  /// As the program says it.
  let text: String
  let endpoint: Endpoint
  /// Whether it is `tls:HOST:PORT`.
  let isEncrypted: Bool

  /// The place that a client connects to unless the program says another one.
  static var usual: String {
    let place = getenv("BATON_SERVER").map { String(cString: $0) } ?? ""
    return place.isEmpty ? "127.0.0.1:22866" : place
  }

  /// Reads `HOST:PORT`, `[IPV6]:PORT`, either of them behind `tls:`, or `unix:PATH`. Throws `notAPlace` for anything
  /// else.
  init(reading text: String) throws(BatonError) {
    self.text = text
    isEncrypted = text.hasPrefix("tls:")
    let rest = isEncrypted ? String(text.dropFirst("tls:".count)) : text
    guard let endpoint = Endpoint(rest), !isEncrypted || !rest.hasPrefix("unix:") else { throw .notAPlace(text) }
    self.endpoint = endpoint
  }

  /// `tcp HOST:PORT`, `tls HOST:PORT` or `unix PATH`.
  var description: String { isEncrypted ? "tls\(endpoint.description.dropFirst("tcp".count))" : endpoint.description }

  /// The host that the server's certificate must be for.
  var host: String {
    if case .tcp(let host, _) = endpoint { host } else { "" }
  }

  /// Whether nobody else can read what goes there: it is encrypted, or stays on this machine.
  var isPrivate: Bool {
    guard !isEncrypted, case .tcp(let host, _) = endpoint else { return true }
    if host.lowercased() == "localhost" { return true }
    let address = String(host.prefix { $0 != "%" })
    var short = in_addr()
    if inet_pton(AF_INET, address, &short) == 1 { return UInt32(bigEndian: short.s_addr) >> 24 == 127 }
    var long = in6_addr()
    guard inet_pton(AF_INET6, address, &long) == 1 else { return false }
    let bytes = withUnsafeBytes(of: &long) { Array($0) }
    let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
    return isMapped ? bytes[12] == 127 : bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
  }
}
