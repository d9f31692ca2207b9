internal import BatonCore

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Shows the lines of a connection on standard error, if `BATON_DEBUG=1` asks for it.
enum Debug {
  /// Whether it is asked for.
  static let isOn = getenv("BATON_DEBUG").map { String(cString: $0) } == "1"

  /// So many bytes of a line are shown.
  private static let most = 200

  /// Shows a line, after a mark for its way. A token is never told.
  static func show(_ way: String, _ line: some Collection<UInt8>) {
    var text = seenJSON(line.prefix(4096))
    if text.hasSuffix(" ") { text.removeLast() }
    if text.hasPrefix("{\"op\":\"hello\"") {
      text.replace(/"token":"([^"\\]|\\.)*/, with: "\"token\":\"…")
    }
    let rest = line.count > most ? "… (\(line.count) bytes)" : ""
    writeToStandardError("baton \(way) \(shortened(text, to: most))\(rest)")
  }
}
