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
}
