internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The place of a server, as a person writes it: a socket, encrypted or not.
struct Endpoint: Sendable, CustomStringConvertible {
  /// As the program says it.
  let text: String
  /// What a client connects to.
  let socket: UV.Endpoint
  let isEncrypted: Bool

  /// Reads `HOST:PORT`, `[IPV6]:PORT`, `tcp:HOST:PORT`, `tls:HOST:PORT` or `unix:PATH`. Throws `notAPlace` for anything else.
  init(reading place: String) throws(BatonError) {
    // A place without its host, tls:22867, is not the place of a host called tls, which would not be encrypted.
    isEncrypted = place.hasPrefix("tls:")
    let hasKind = isEncrypted || place.hasPrefix("tcp:")
    guard let socket = UV.Endpoint(hasKind ? String(place.dropFirst("tls:".count)) : place) else {
      throw .notAPlace(place)
    }
    switch socket {
    case .tcp(let host, _): if host.contains(",") { throw .notAPlace(place) }
    case .unix: if hasKind { throw .notAPlace(place) }
    }
    self.socket = socket
    text = place
  }

  /// The host that the server's certificate has to be for; nil of a Unix socket.
  var host: String? {
    if case .tcp(let host, _) = socket { host } else { nil }
  }

  /// Whether nobody else can read what goes there: it is encrypted, or stays on this machine.
  var isPrivate: Bool {
    guard !isEncrypted, let host else { return true }
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

  /// `tcp HOST:PORT`, `tls HOST:PORT` or `unix PATH`.
  var description: String { isEncrypted ? "tls" + "\(socket)".dropFirst("tcp".count) : "\(socket)" }
}
