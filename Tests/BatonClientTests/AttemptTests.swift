import ProgramKit
import Testing
import UV

@testable import BatonClient

#if canImport(Darwin)
  import Darwin
  private let stream = SOCK_STREAM
#else
  import Glibc
  private let stream = Int32(SOCK_STREAM.rawValue)
#endif

/// Names of several addresses, some of which say nothing or refuse.
@Suite struct AttemptTests {
  /// A port of this machine. The kernel takes connections for it.
  private final class Port {
    let number: UInt16
    private var sockets: [Int32]
    private var name = sockaddr_in()

    init() {
      let socket = socket(AF_INET, stream, 0)
      sockets = [socket]
      name.sin_family = sa_family_t(AF_INET)
      name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutablePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = (bind(socket, $0, length), listen(socket, 0), getsockname(socket, $0, &length))
        }
      }
      number = UInt16(bigEndian: name.sin_port)
    }

    deinit { for socket in sockets { close(socket) } }

    /// It swallows what is sent to it from now on: nobody takes the connections, and no more of them wait.
    func filled() -> Port {
      for _ in 0..<4 {
        let filler = socket(AF_INET, stream, 0)
        sockets.append(filler)
        _ = fcntl(filler, F_SETFL, O_NONBLOCK)
        withUnsafePointer(to: name) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = connect(filler, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
      }
      return self
    }

    /// Nobody listens any more.
    func closed() -> Port {
      for socket in sockets { close(socket) }
      sockets = []
      return self
    }
  }

  /// The port that an attempt at these has reached.
  private func reached(_ ports: [Port]) throws -> UInt16? {
    let loop = try Loop()
    var told: Result<UInt16?, UVError>?
    var attempt: Attempt?
    defer { extendLifetime(attempt) }
    let addresses = try ports.map { try Address(numericHost: "127.0.0.1", port: $0.number) }
    attempt = try Attempt(to: addresses, on: loop) { result in
      #expect(told == nil)
      told = result.map { stream in
        defer { stream.close() }
        return stream.peerAddress?.port
      }
    }
    // Nothing of the attempt is left when this returns.
    loop.run()
    extendLifetime(ports)
    return try #require(told).get()
  }

  @Test func theNextAddressIsTriedWhileTheFirstSaysNothing() throws {
    let last = Port()
    #expect(try reached([Port().filled(), Port().filled(), last]) == last.number)
  }

  @Test func theNextAddressIsTriedWhenTheFirstRefuses() throws {
    let last = Port()
    #expect(try reached([Port().closed(), Port().closed(), last, Port().filled()]) == last.number)
    #expect(throws: UVError.self) { try reached([Port().closed(), Port().closed()]) }
  }

  @Test func oneTimeHoldsForAllAddressesTogether() throws {
    let loop = try Loop()
    let ports = [Port().filled(), Port().filled()]
    let addresses = try ports.map { try Address(numericHost: "127.0.0.1", port: $0.number) }
    let attempt = try Attempt(to: addresses, on: loop) { _ in Issue.record("nobody has answered") }
    let end = try Timer(on: loop) { attempt.close() }
    end.set(microseconds: MonotonicClock.microseconds + 600_000)
    loop.run()
    end.close()
    loop.run()
    extendLifetime(ports)
  }

  /// A server of a list whose machine swallows what is sent there is passed over.
  @Test func aServerThatSaysNothingIsPassedOver() async throws {
    let silent = Port().filled()
    let server = try FakeServer()
    var backoff = Backoff()
    backoff.chance = { _ in 0 }
    let baton = Baton(at: "127.0.0.1:\(silent.number),\(server.place)").backoff(backoff).attempt(.seconds(2))
    async let connecting = baton.connect()
    let peer = await server.accept()
    _ = await peer.line()
    peer.say(#"{"op":"welcome","id":1}"#)
    await (try connecting).close()
    extendLifetime(silent)
  }

  @Test func aNameIsLookedUpWhileTheLoopGoesOn() throws {
    let loop = try Loop()
    let port = Port()
    var reached: UInt16?
    let attempt = try Attempt(to: .tcp(host: "localhost", port: port.number), on: loop) { result in
      if case .success(let stream) = result {
        reached = stream.peerAddress?.port
        stream.close()
      }
    }
    #expect(reached == nil)
    loop.run()
    #expect(reached == port.number)
    extendLifetime(attempt)
    let lost = try Attempt(to: .tcp(host: "no-such-host.invalid", port: 1), on: loop) { result in
      if case .success = result { Issue.record("there is no such host") }
      reached = nil
    }
    loop.run()
    #expect(reached == nil)
    extendLifetime(lost)
  }
}
