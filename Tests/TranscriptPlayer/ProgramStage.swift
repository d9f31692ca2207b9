import Foundation

/// The real program over TCP: one server for one transcript, one socket for each peer.
///
/// A connection of its own serves as sounding line: two pings there, one after the other, and all that was sent
/// before them has been read, carried out and written.
package final class ProgramStage: Stage {
  /// How long a line may be waited for: a machine under load must not fail a test.
  private static let patienceMilliseconds = 20_000

  private let server: ServerProcess
  private var peers: [String: SocketPeer] = [:]
  private var sounding: SocketPeer?
  private var soundings = 0

  /// Starts the program under these settings, with these places guarded.
  package init(program: String, settings: [Transcript.Setting], guards: [String] = []) throws {
    // The sounding line is a connection too, and must not take a peer's place.
    let limit = settings.first { $0.name == "max_connections" }
    let passed = settings.map { "\($0.name)=\($0.name == "max_connections" ? $0.value + 1 : $0.value)" }
    server = try ServerProcess(program: program, settings: passed, options: guards.flatMap { ["--guard", $0] })
    if limit != nil { try sound() }
  }

  deinit {
    for peer in peers.values { peer.socket.close() }
    sounding?.socket.close()
    server.kill()
  }

  /// What the program wrote to its log so far.
  package var log: String { server.log }

  package var clockRuns: Bool { true }

  package func connect(_ peer: String) throws {
    peers[peer] = SocketPeer(socket: try Socket(port: server.port))
  }

  package func send(_ bytes: [UInt8], from peer: String) throws {
    try named(peer).send(bytes, within: Self.patienceMilliseconds)
  }

  package func halfClose(_ peer: String) throws { try named(peer).socket.halfClose() }

  package func close(_ peer: String) throws { try leave(peer, resetting: false) }

  package func reset(_ peer: String) throws { try leave(peer, resetting: true) }

  package func setReading(_ reading: Bool, of peer: String) throws { try named(peer).reads = reading }

  package func receive(_ peer: String) throws -> Received {
    try named(peer).receive(within: Self.patienceMilliseconds)
  }

  package func received(_ peer: String) throws -> Received { try named(peer).receive(within: 0) }

  package func settle() throws {
    if server.isRunning { try sound() }
    for peer in peers.values { peer.readAll() }
  }

  package func advance(milliseconds: Int) throws {}

  package func isGone(_ peer: String) throws -> Bool {
    try named(peer).breaks(within: Self.patienceMilliseconds)
  }

  package func drain() throws {
    // A server that is going takes no new connections, so the sounding line must be out before.
    try sound()
    server.terminate()
  }

  package func hasEnded() throws -> Bool {
    guard let status = server.exitStatus(within: Self.patienceMilliseconds) else { return false }
    guard status == 0 else { throw StageError("the server ended with status \(status)") }
    return true
  }

  private func named(_ peer: String) throws -> SocketPeer {
    guard let found = peers[peer] else { throw StageError("there is no peer \(peer)") }
    return found
  }

  private func leave(_ peer: String, resetting: Bool) throws {
    try named(peer).socket.close(resetting: resetting)
    peers[peer] = nil
  }

  private func sound() throws {
    let line = try sounding ?? SocketPeer(socket: Socket(port: server.port))
    sounding = line
    for _ in 0..<2 {
      soundings += 1
      try line.send(Array("{\"op\":\"ping\",\"id\":\(soundings)}\n".utf8), within: Self.patienceMilliseconds)
      let pong = Received.line(Array("{\"op\":\"pong\",\"id\":\(soundings)}".utf8))
      var got = line.receive(within: Self.patienceMilliseconds)
      while case .line(let bytes) = got, bytes.starts(with: #"{"op":"draining""#.utf8) {
        got = line.receive(within: Self.patienceMilliseconds)
      }
      // A server that is going closes this connection too; then all has had its effect.
      if case .end = got { return }
      guard got == pong else { throw StageError("a ping got \(got.told)\n\(log)") }
    }
  }
}

/// A socket and what has been read from it.
private final class SocketPeer {
  let socket: Socket
  var reads = true
  private var incoming: [UInt8] = []
  private var hasEnded = false

  init(socket: Socket) {
    self.socket = socket
  }

  /// Sends everything, reading meanwhile: a server that cannot write to a peer stops reading from it.
  func send(_ bytes: [UInt8], within milliseconds: Int) throws {
    var rest = bytes[...]
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while !rest.isEmpty {
      guard ContinuousClock.now < end else { throw StageError("the server does not read") }
      let ready = socket.wait(reading: reads && !hasEnded, writing: true, milliseconds: 100)
      if ready.readable { readAll() }
      if ready.writable {
        // A server that has closed takes nothing any more; what the peer then gets is what the transcript tells.
        guard let count = socket.write(rest) else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  func receive(within milliseconds: Int) -> Received {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while true {
      if let line = nextLine() { return .line(line) }
      if hasEnded { return .end(unfinished: incoming) }
      let left = (end - ContinuousClock.now) / .milliseconds(1)
      guard reads, left > 0, socket.wait(reading: true, writing: false, milliseconds: Int(left) + 1).readable else {
        return .nothing
      }
      readAll()
    }
  }

  /// Reads what has come, and waits for nothing.
  func readAll() {
    while reads, !hasEnded, let bytes = socket.read() {
      incoming += bytes
      hasEnded = bytes.isEmpty
    }
  }

  /// True once writing fails, as it does when the other side is closed altogether.
  func breaks(within milliseconds: Int) -> Bool {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < end {
      guard socket.write([0x0A]) != nil else { return true }
      _ = socket.wait(reading: false, writing: false, milliseconds: 10)
      readAll()
    }
    return false
  }

  private func nextLine() -> [UInt8]? {
    guard let end = incoming.firstIndex(of: 0x0A) else { return nil }
    defer { incoming.removeFirst(end + 1) }
    return Array(incoming[..<end])
  }
}
