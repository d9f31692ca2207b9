import BatonCore

/// The core in a simulated network, with a clock that stands until it is moved: the second implementation of sockets.
///
/// `grain` is how many bytes the network carries at once, in either direction. With `creep` the clock goes on by so
/// many microseconds whenever a peer sends, as clocks do: times then have fractions of a millisecond.
package final class CoreStage: Stage {
  private var router: Router
  private var now = Instant(microseconds: 1_000_000)
  private let grain: Int
  private let creep: Int64
  private var peers: [String: SimulatedPeer] = [:]
  private var names: [ConnectionID: String] = [:]

  /// One end of a simulated connection.
  private struct SimulatedPeer {
    let id: ConnectionID
    /// Sent by the peer; the server has read `delivered` of it.
    var outgoing: [UInt8] = []
    var delivered = 0
    /// Written by the server; the player has been told `told` of it.
    var incoming: [UInt8] = []
    var told = 0
    var reads = true
    /// The peer has shut down its writing side; the server is told once it has read everything before.
    var hasEnded = false
    var isEndTold = false
    /// The peer has closed its socket: the first byte written to it breaks the connection.
    var hasLeft = false
    /// The server has shut down its writing side.
    var serverEnded = false
    /// The connection is no more.
    var isGone = false
  }

  /// A server without peers under these settings, with these places guarded.
  package init(
    settings: [Transcript.Setting], guards: [String] = [], grain: Int, creep: Int64 = 0
  ) throws {
    var named = Settings()
    for setting in settings {
      do throws(SettingError) {
        try named.set(setting.name, to: setting.value)
      } catch {
        throw StageError(error.description)
      }
    }
    for place in guards {
      do throws(GuardedPlaceError) {
        named.guardedPlaces.append(try GuardedPlace(place))
      } catch {
        throw StageError(error.description)
      }
    }
    router = Router(settings: named, at: now)
    self.grain = grain
    self.creep = creep
  }

  package var clockRuns: Bool { creep > 0 }

  package func connect(_ peer: String) throws {
    let id = router.opened(at: now)
    peers[peer] = SimulatedPeer(id: id)
    names[id] = peer
    run()
  }

  package func send(_ bytes: [UInt8], from peer: String) throws {
    if peers[peer]?.hasEnded ?? true { throw StageError("\(peer) has ended its writing side") }
    peers[peer]?.outgoing += bytes
    now.microseconds += creep
    run()
  }

  package func halfClose(_ peer: String) throws {
    peers[peer]?.hasEnded = true
    run()
  }

  package func close(_ peer: String) throws {
    peers[peer]?.hasEnded = true
    peers[peer]?.hasLeft = true
    run()
  }

  package func reset(_ peer: String) throws {
    gone(peer)
    run()
  }

  package func setReading(_ reading: Bool, of peer: String) throws {
    peers[peer]?.reads = reading
    if let id = peers[peer]?.id { serve(id) }
    run()
  }

  package func receive(_ peer: String) throws -> Received {
    var got = try received(peer)
    try wait {
      if got == .nothing { got = try received(peer) }
      return got != .nothing
    }
    return got
  }

  package func received(_ peer: String) throws -> Received {
    guard var state = peers[peer] else { throw StageError("there is no peer \(peer)") }
    guard state.reads else { return .nothing }
    let rest = state.incoming[state.told...]
    if let end = rest.firstIndex(of: 0x0A) {
      state.told = end + 1
      peers[peer] = state
      return .line(Array(rest[..<end]))
    }
    return state.serverEnded || state.isGone ? .end(unfinished: Array(rest)) : .nothing
  }

  package func settle() throws {}

  package func advance(milliseconds: Int) throws {
    let target = now.advanced(milliseconds: milliseconds)
    var wakes = 0
    while let due = router.wakeAt, due <= target {
      now = max(now, due)
      router.wake(at: now)
      run()
      wakes += 1
      if wakes > 100_000 { throw StageError("the core asks to be woken for ever") }
    }
    now = target
  }

  /// A clock that creeps is waited for a little: timers go by whole milliseconds, and each may be one late.
  private func wait(until isDone: () throws -> Bool) throws {
    for _ in 0..<10 where try clockRuns && !isDone() { try advance(milliseconds: 1) }
  }

  package func isGone(_ peer: String) throws -> Bool {
    try wait { peers[peer]?.isGone ?? true }
    return peers[peer]?.isGone ?? true
  }

  package func drain() throws {
    router.drain(at: now)
    run()
  }

  package func hasEnded() throws -> Bool { router.isDrained && peers.values.allSatisfy(\.isGone) }

  /// Carries bytes both ways, and wakes the core where that is due at once, until nothing moves.
  private func run() {
    var moved = true
    while moved {
      moved = false
      while let id = router.nextChanged() {
        serve(id)
        moved = true
      }
      for peer in peers.keys.sorted() where deliver(peer) { moved = true }
      if let due = router.wakeAt, due <= now {
        router.wake(at: now)
        moved = true
      }
    }
  }

  /// Carries one piece from the peer to the server; false where there is none to carry.
  private func deliver(_ peer: String) -> Bool {
    guard let state = peers[peer], !state.isGone, router.wish(for: state.id).reading else { return false }
    if state.delivered < state.outgoing.count {
      let piece = state.outgoing[state.delivered...].prefix(size(of: state.outgoing.count))
      peers[peer]?.delivered = piece.endIndex
      piece.withUnsafeBytes { router.received($0, from: state.id, at: now) }
      return true
    }
    guard state.hasEnded, !state.isEndTold else { return false }
    peers[peer]?.isEndTold = true
    router.ended(state.id, at: now)
    return true
  }

  /// Does for one connection what the core wishes.
  private func serve(_ id: ConnectionID) {
    guard let peer = names[id], let state = peers[peer], !state.isGone else { return }
    let wasTaken = take(from: id, to: peer)
    let wish = router.wish(for: id)
    let isWritten = router.unsentCount(of: id) == 0
    switch wish.ending {
    case .open: break
    case .shutDown: if isWritten { peers[peer]?.serverEnded = true }
    case .closeWhenWritten: if isWritten { gone(peer) }
    case .close: gone(peer)
    }
    if state.hasLeft && wasTaken { gone(peer) }
  }

  /// How many of so many bytes go at once. Long texts go in larger pieces, or a test would take minutes.
  private func size(of count: Int) -> Int { max(grain, count / 1024) }

  /// Carries what is unsent to the peer, if it reads. False where there was nothing to carry.
  private func take(from id: ConnectionID, to peer: String) -> Bool {
    guard peers[peer]?.reads ?? false, router.unsentCount(of: id) > 0 else { return false }
    let size = size(of: router.unsentCount(of: id))
    withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 8) { buffers in
      buffers.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0))
      while router.unsentCount(of: id) > 0 {
        let used = router.unsent(of: id, into: buffers)
        var left = size
        for buffer in buffers[..<used] {
          peers[peer]?.incoming += buffer.prefix(left)
          left -= min(left, buffer.count)
        }
        router.wrote(size - left, to: id, at: now)
      }
    }
    return true
  }

  private func gone(_ peer: String) {
    guard let state = peers[peer], !state.isGone else { return }
    peers[peer]?.isGone = true
    names[state.id] = nil
    router.closed(state.id, at: now)
  }
}
