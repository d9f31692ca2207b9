import Foundation
package import TLS

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A peer of the real program, over a real socket. It blocks until the line that it wants comes, or until it has waited
/// too long.
///
/// All tests use it. Only the fuzzer's random peers are different (`LineStream`): one thread has dozens of them, which
/// all speak at the same time, so none of them may block it.
package final class Peer {
  private let source: LineSource
  /// Whether it reads what comes while it waits for room to write. A server that cannot write to a peer stops reading
  /// from it.
  package var reads = true
  /// True once the server takes nothing any more.
  package private(set) var isBroken = false

  /// Connects to a place as start-up prints it: `tcp 127.0.0.1:PORT` or `unix PATH`. `room` is how many bytes the
  /// kernel keeps for it, if that matters.
  package init(_ place: String, room: Int32? = nil) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #endif
    let isUnix = place.hasPrefix("unix ")
    source = LineSource(socket(isUnix ? AF_UNIX : AF_INET, kind, 0))
    if var room {
      setsockopt(source.descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }
    let result =
      isUnix
      ? connected(to: Peer.address(ofPath: place.dropFirst("unix ".count)))
      : connected(to: Peer.address(ofPort: place.split(separator: ":").last ?? ""))
    if result != 0 { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    var on: Int32 = 1
    if !isUnix {
      setsockopt(source.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// The same over TLS, at a place `tls 127.0.0.1:PORT`.
  package convenience init(_ place: String, over context: TLSContext) throws {
    let plain = try Peer(place)
    let server = fcntl(plain.source.descriptor, F_DUPFD_CLOEXEC, 0)
    do {
      self.init(descriptor: try Tunnel.open(over: server, context))
    } catch {
      close(server)
      throw error
    }
  }

  /// A peer over a connection that is open.
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

  // MARK: Speaking

  /// Sends a line.
  package func say(_ line: String) { say(unended: line + "\n") }

  /// Sends the beginning of a line.
  package func say(unended text: String) { say(bytes: Array(text.utf8)) }

  /// Sends bytes as they are. Returns false if the server does not take them for too long. A server that is gone takes
  /// nothing; the peer notices that when it reads.
  @discardableResult package func say(bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty, !isBroken {
      let count = rest.withUnsafeBytes {
        send(source.descriptor, $0.baseAddress, $0.count, noSignal | Int32(MSG_DONTWAIT.value))
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        guard source.waitToWrite(reading: reads) else { return false }
      } else if errno != EINTR {
        isBroken = true
      }
    }
    return true
  }

  /// Ends the connection, both ways.
  package func end() { shutdown(source.descriptor, Int32(SHUT_RDWR)) }

  /// Shuts down the writing side.
  package func halfClose() { shutdown(source.descriptor, Int32(SHUT_WR)) }

  /// Ends its side, and waits until the server's system knows that. On a busy machine, the end of one connection may be
  /// overtaken by what another one says later.
  package func endsFirst() {
    halfClose()
    #if os(Linux)
      // The first byte of TCP_INFO is the state; 4 is FIN-WAIT-1: the end is on its way.
      var information = [UInt8](repeating: 0, count: 8)
      for _ in 0..<1_000_000 {
        var size = socklen_t(information.count)
        getsockopt(source.descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &size)
        guard information[0] == 4 else { return }
        sched_yield()
      }
    #endif
  }

  /// When this peer is released, the connection is reset. A Unix socket has no reset: it knows only the end, or that
  /// bytes are lost.
  package func resetsAtTheEnd() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(source.descriptor, SOL_SOCKET, Int32(SO_LINGER), &linger, socklen_t(MemoryLayout<linger>.size))
  }

  // MARK: Hearing

  /// The next line from the server, or nil at the end.
  package func line() -> String? { source.line() }

  /// The next line from the server; nil at the end, or if one of the others' connections ends first.
  package func line(orEndOf others: [Peer]) -> String? {
    source.waitForSomething(orEndOf: others.map(\.source)) ? line() : nil
  }

  /// The same as `line()`, byte for byte.
  package func lineOfBytes() -> [UInt8]? { source.lineOfBytes() }

  /// True once the server has ended the connection and all its lines are read.
  package var hasEnded: Bool { source.hasEnded }

  /// What was read after the last line.
  package var unfinished: [UInt8] { source.unfinished }

  /// The lines that have already come.
  package func linesAtHand() -> [String] { source.linesAtHand() }

  /// Reads what has come, for `takeLine`.
  package func readWhatIsThere() { source.readWhatIsThere() }

  /// The next of the lines that were already read.
  package func takeLine() -> [UInt8]? { source.takeLine() }

  /// Waits until one of them has received something; false if nothing comes for too long.
  package static func wait(for peers: [Peer]) -> Bool { LineSource.wait(for: peers.map(\.source)) }

  /// Sends a line and returns the next one from the server.
  package func ask(_ line: String) -> String? {
    say(line)
    return self.line()
  }

  /// Whether the connection has ended, found out by a ping. Everything else that the server has sent is dropped.
  package func isLost() -> Bool {
    say(#"{"op":"ping","id":"alive"}"#)
    while let line = line() { if line == #"{"op":"pong","id":"alive"}"# { return false } }
    return hasEnded
  }

  /// Sends until the server takes nothing any more; false if the server takes bytes for too long.
  package func breaks() -> Bool {
    let end = ContinuousClock.now + .milliseconds(Int(Program.patience))
    while !isBroken, ContinuousClock.now < end {
      say(bytes: [0x0A])
      source.waitForABreak(within: 10)
      if reads { readWhatIsThere() }
    }
    return isBroken
  }
}

#if canImport(Darwin)
  let noSignal: Int32 = 0
#else
  let noSignal = Int32(MSG_NOSIGNAL.value)
#endif

/// The systems declare their flags as numbers or as cases.
extension BinaryInteger {
  fileprivate var value: Int { Int(self) }
}
extension RawRepresentable where RawValue: BinaryInteger {
  fileprivate var value: Int { Int(rawValue) }
}
