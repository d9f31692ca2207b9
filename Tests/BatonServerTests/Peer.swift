import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A peer of the real program, over a real socket.
final class Peer {
  private let source: LineSource

  /// Connects to a place as start-up prints it: `tcp 127.0.0.1:PORT` or `unix PATH`.
  init(_ place: String) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #endif
    let isUnix = place.hasPrefix("unix ")
    source = LineSource(socket(isUnix ? AF_UNIX : AF_INET, kind, 0))
    let result =
      isUnix
      ? connected(to: Peer.address(ofPath: place.dropFirst("unix ".count)))
      : connected(to: Peer.address(ofPort: place.split(separator: ":").last ?? ""))
    if result != 0 { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  private func connected<Address>(to address: Address) -> Int32 {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(source.descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  private static func address(ofPort port: Substring) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = (UInt16(port) ?? 0).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return address
  }

  private static func address(ofPath path: Substring) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return address
  }

  /// Says a line.
  func say(_ line: String) { say(unended: line + "\n") }

  /// Says the beginning of a line.
  func say(unended text: String) { _ = text.withCString { send(source.descriptor, $0, strlen($0), noSignal) } }

  /// The next line from the server, or nil at the end.
  func line() -> String? { source.line() }

  /// The lines that have come already.
  func linesAtHand() -> [String] { source.linesAtHand() }

  /// Waits until one of them has got something; false if none has for too long.
  static func wait(for peers: [Peer]) -> Bool { LineSource.wait(for: peers.map(\.source)) }

  /// Says a line and returns the next one from the server.
  func ask(_ line: String) -> String? {
    say(line)
    return self.line()
  }
}

#if canImport(Darwin)
  private let noSignal: Int32 = 0
#else
  private let noSignal = Int32(MSG_NOSIGNAL)
#endif
