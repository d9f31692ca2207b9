import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A place at which the test itself is the server: it accepts connections one by one and sends what it wants.
package final class FakeServer: Sendable {
  private let listener: Int32
  package let place: String

  package init() throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #endif
    listener = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, pointer, &size) == 0
      }
    }
    guard result else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    place = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
  }

  deinit { close(listener) }

  /// Waits for the next connection.
  package func take() -> Peer {
    #if canImport(Darwin)
      Peer(descriptor: Darwin.accept(listener, nil, nil))
    #else
      Peer(descriptor: Glibc.accept(listener, nil, nil))
    #endif
  }
}
