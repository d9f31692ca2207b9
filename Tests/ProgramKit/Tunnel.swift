import Foundation
package import TLS

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lets a peer that speaks plain lines speak with a server over TLS: a thread of its own encrypts and decrypts between
/// them. It ends when either side has ended.
package final class Tunnel {
  private let plain: Int32
  private let server: Int32
  private let session: TLSSession
  /// Plain bytes that came before the handshake was done wait in their socket.
  private var hasPlainEnded = false
  private var hasFailed = false
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  /// The peer's end of a tunnel to a TCP connection, which the tunnel owns from now on.
  package static func open(over server: Int32, _ context: TLSContext) throws -> Int32 {
    let pair = try PrivateStream()
    let tunnel = Tunnel(pair.theirs, server, try TLSSession(context, host: "localhost"))
    // It goes to that thread alone.
    nonisolated(unsafe) let once = tunnel
    Thread.detachNewThread { once.run() }
    return pair.ours
  }

  private init(_ plain: Int32, _ server: Int32, _ session: TLSSession) {
    self.plain = plain
    self.server = server
    self.session = session
  }

  deinit {
    close(plain)
    close(server)
    memory.deallocate()
  }

  private func run() {
    shakeHands()
    while !hasFailed {
      var wanted = [
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        pollfd(fd: hasPlainEnded ? -1 : plain, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&wanted, 2, -1) >= 0 || errno == EINTR else { return }
      if wanted[1].revents != 0 { encrypt() }
      if wanted[0].revents != 0, feed() { decrypt() }
    }
  }

  private func shakeHands() {
    while !hasFailed {
      let progress = session.shakeHands()
      flush()
      switch progress {
      case .done: return decrypt()
      case .waits: _ = feed()
      case .failed: hasFailed = true
      }
    }
  }

  /// Reads ciphertext; false at its end.
  private func feed() -> Bool {
    let count = recv(server, memory.baseAddress, memory.count, 0)
    guard count > 0 else {
      hasFailed = true
      return false
    }
    session.feed(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    return true
  }

  private func decrypt() {
    while !hasFailed {
      switch session.read(into: memory) {
      case .bytes(let count): send(UnsafeRawBufferPointer(rebasing: memory[..<count]), to: plain)
      case .nothing: return flush()
      case .end, .failed: hasFailed = true
      }
    }
  }

  private func encrypt() {
    let count = recv(plain, memory.baseAddress, TLSSession.recordSize, 0)
    if count > 0 {
      let bytes = UnsafeRawBufferPointer(rebasing: memory[..<count])
      if (try? session.write(bytes)) != count { hasFailed = true }
      return flush()
    }
    hasPlainEnded = true
    session.endWriting()
    flush()
    shutdown(server, Int32(SHUT_WR))
  }

  private func flush() { session.takeOutgoing().withUnsafeBytes { send($0, to: server) } }

  private func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = systemSend(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      guard count > 0 else {
        hasFailed = true
        return
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// The system's own `send`, which the method of that name hides.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  send(socket, bytes.baseAddress, bytes.count, noSignal)
}
