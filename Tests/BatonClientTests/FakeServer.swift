import Dispatch
import Foundation
import ProgramKit

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A place where the test itself is the server: it takes connections one by one and says what it wants.
final class FakeServer: Sendable {
  private let listener: Int32
  let place: String

  init() throws {
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

  /// The next connection.
  func accept() async -> Connection {
    let listener = listener
    return await waiting {
      #if canImport(Darwin)
        Connection(peer: Peer(descriptor: Darwin.accept(listener, nil, nil)))
      #else
        Connection(peer: Peer(descriptor: Glibc.accept(listener, nil, nil)))
      #endif
    }
  }

  /// A client's connection. `@unchecked` because one test uses it, one call after the other.
  final class Connection: @unchecked Sendable {
    private let peer: Peer
    init(peer: Peer) { self.peer = peer }

    func say(_ line: String) { peer.say(line) }
    func end() { peer.end() }
    /// The next line from the client; nil at the end.
    func line() async -> String? { await waiting { self.peer.line() } }
  }
}

/// Waits on a thread of its own: the few that tasks share must stay free for the client.
private func waiting<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: body()) }
  }
}
