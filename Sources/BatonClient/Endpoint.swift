internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

extension Endpoint {
  /// The place that a client connects to unless the program says another one.
  static var usual: String {
    let place = getenv("BATON_SERVER").map { String(cString: $0) } ?? ""
    return place.isEmpty ? "127.0.0.1:22866" : place
  }

  /// Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`. Throws `notAPlace` for anything else.
  init(reading place: String) throws(BatonError) {
    guard let endpoint = Endpoint(place) else { throw .notAPlace(place) }
    self = endpoint
  }

  /// Whether nobody else can read what goes there: it stays on this machine.
  var isPrivate: Bool {
    guard case .tcp(let host, _) = self else { return true }
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
