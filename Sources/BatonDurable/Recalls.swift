internal import BatonCore
internal import BatonKeeper
internal import BatonLasting

/// Results that senders ask for again, and that the store looks up: connections take turns, so many bytes are read at once,
/// and none for a peer that has not read what it was told before.
struct Recalls {
  struct Wanted {
    var ticket: UInt64
    var id: StoredID
    var once: Digest
    var bytes: Int
  }

  /// What one connection waits for, in order.
  private struct Peer {
    var wanted: [Wanted] = []
    /// How many of them the store has been asked for.
    var asked = 0
    /// Bytes that the store reads for it.
    var bytes = 0
    var isInTurns = false
  }

  /// Bytes that the store reads at once, and one result of any size.
  private static let mostBytes = 1 << 20
  private static let mostSteps = 128

  private var peers: [UInt64: Peer] = [:]
  private var turns: [UInt64] = []
  private var firstTurn = 0
  private var asked: [UInt64: (connection: UInt64, wanted: Wanted)] = [:]
  private var askedBytes = 0

  /// Whether something can be done now.
  var areDue: Bool { firstTurn < turns.count && askedBytes < Self.mostBytes }

  /// Whether nobody waits for one.
  var isEmpty: Bool { peers.isEmpty }

  mutating func want(_ wanted: Wanted, for connection: UInt64) {
    peers[connection, default: Peer()].wanted.append(wanted)
    canHear(connection)
  }

  /// The connection may have room again, or has gone.
  mutating func canHear(_ connection: UInt64) {
    guard let peer = peers[connection], !peer.isInTurns, peer.asked < peer.wanted.count else { return }
    peers[connection]?.isInTurns = true
    turns.append(connection)
  }

  /// The store has answered. Nil if it was not asked for this.
  mutating func answered(_ ticket: UInt64) -> Wanted? {
    guard let (connection, wanted) = asked.removeValue(forKey: ticket) else { return nil }
    askedBytes -= wanted.bytes
    peers[connection]?.bytes -= wanted.bytes
    canHear(connection)
    forgetIfDone(connection)
    return wanted
  }

  /// Gives out what is to be looked up now, in bounded steps. `hearing` tells of a connection to which so many bytes are on
  /// their way.
  mutating func next(
    _ hearing: (_ connection: UInt64, _ bytes: Int) -> PeerHearing, ask: (Wanted) -> Void, drop: (Wanted) -> Void
  ) {
    for _ in 0..<Self.mostSteps {
      guard areDue else { break }
      let connection = turns[firstTurn]
      firstTurn += 1
      guard var peer = peers.removeValue(forKey: connection) else { continue }
      peer.isInTurns = false
      let hearing = hearing(connection, peer.bytes)
      if hearing != .busy {
        let wanted = peer.wanted[peer.asked]
        peer.asked += 1
        if hearing == .ready {
          peer.bytes += wanted.bytes
          askedBytes += wanted.bytes
          asked[wanted.ticket] = (connection, wanted)
          ask(wanted)
        } else {
          drop(wanted)
        }
        if peer.asked >= 256 || peer.asked == peer.wanted.count {
          peer.wanted.removeFirst(peer.asked)
          peer.asked = 0
        }
        if !peer.wanted.isEmpty {
          peer.isInTurns = true
          turns.append(connection)
        }
      }
      peers[connection] = peer
      forgetIfDone(connection)
    }
    guard firstTurn == turns.count || firstTurn >= 256 else { return }
    turns.removeFirst(firstTurn)
    firstTurn = 0
  }

  private mutating func forgetIfDone(_ connection: UInt64) {
    guard let peer = peers[connection], peer.wanted.isEmpty, peer.bytes == 0 else { return }
    peers[connection] = nil
  }
}
