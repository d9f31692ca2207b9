import Dispatch
import Foundation
import ProgramKit

extension FakeServer {
  /// The next connection.
  func accept() async -> Connection { await waiting { Connection(peer: self.take()) } }

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

/// Waits on a thread of its own: the few threads that tasks share must stay free for the client.
private func waiting<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: body()) }
  }
}
