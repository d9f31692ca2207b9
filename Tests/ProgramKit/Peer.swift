import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A peer of the real program, over a real socket.
package final class Peer {
  private let source: LineSource

  /// Connects to a place as start-up prints it: `tcp 127.0.0.1:PORT` or `unix PATH`.
  package init(_ place: String) throws {
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

  /// A peer over a connection that stands.
  package init(descriptor: Int32) { source = LineSource(descriptor) }

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
  package func say(_ line: String) { say(unended: line + "\n") }

  /// Says the beginning of a line.
  package func say(unended text: String) { _ = text.withCString { send(source.descriptor, $0, strlen($0), noSignal) } }

  /// Ends the connection, both ways.
  package func end() { shutdown(source.descriptor, Int32(SHUT_RDWR)) }

  /// Shuts down the writing side.
  package func halfClose() { shutdown(source.descriptor, Int32(SHUT_WR)) }

  /// When this peer is given up, the connection is reset. A Unix socket knows only the end, or that bytes are lost.
  package func resetsAtTheEnd() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(source.descriptor, SOL_SOCKET, Int32(SO_LINGER), &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// The next line from the server, or nil at the end.
  package func line() -> String? { source.line() }

  /// The next line from the server, or nil at the end, or where one of the others' connections ends first.
  package func line(orEndOf others: [Peer]) -> String? {
    source.waitForSomething(orEndOf: others.map(\.source)) ? line() : nil
  }

  /// True once the server has ended the connection and all its lines are read.
  package var hasEnded: Bool { source.hasEnded }

  /// The lines that have come already.
  package func linesAtHand() -> [String] { source.linesAtHand() }

  /// Waits until one of them has got something; false if none has for too long.
  package static func wait(for peers: [Peer]) -> Bool { LineSource.wait(for: peers.map(\.source)) }

  /// Says a line and returns the next one from the server.
  package func ask(_ line: String) -> String? {
    say(line)
    return self.line()
  }
}

#if canImport(Darwin)
  let noSignal: Int32 = 0
#else
  let noSignal = Int32(MSG_NOSIGNAL)
#endif
