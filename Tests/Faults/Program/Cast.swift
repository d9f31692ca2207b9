import ProgramKit

/// The peers of one act, and what they have to hear.
///
/// One call fails in the whole life of the server, and it may cost one connection its life: whoever hears something
/// else than what is due must be able to point to a connection of its act that has ended.
final class Cast {
  /// Where the server listens.
  let place: String
  /// A name that no other act has, for its chains and topics.
  let name: String
  private(set) var peers: [Peer] = []
  /// Peers that have said all they will: the server may end their connections once it has, too.
  private var leaving: [Peer] = []
  /// Those of them that ended before they had heard all.
  private var lostLeaving = 0

  init(at place: String, name: String) {
    self.place = place
    self.name = name
  }

  func join() throws -> Peer {
    let peer = try Peer(place)
    peers.append(peer)
    return peer
  }

  /// From now on the peer's end is as it should be. The connection ends with the last reference to the peer.
  func leave(_ peer: Peer) { peers.removeAll { $0 === peer } }

  /// Shuts down the peer's writing side. What it is owed has to come all the same.
  func halfClose(_ peer: Peer) {
    peer.halfClose()
    letGo(peer)
  }

  /// From now on the server may end the connection, once it has said what it owes.
  func letGo(_ peer: Peer) {
    leave(peer)
    leaving.append(peer)
  }

  /// Ends all its connections.
  func disperse() {
    peers = []
    leaving = []
  }

  /// Says `line`, and hears one that begins with `beginning`.
  func ask(_ peer: Peer, _ line: String, _ beginning: String = #"{"op":"ok""#) throws {
    peer.say(line)
    _ = try hear(peer, beginning)
  }

  /// Hears a line that begins with `beginning` and contains `part`.
  @discardableResult
  func hear(_ peer: Peer, _ beginning: String, _ part: String = "") throws -> String {
    let line = peer.line(orEndOf: peers.filter { $0 !== peer })
    guard let line, line.hasPrefix(beginning), part.isEmpty || line.contains(part) else {
      if line == nil && peer.hasEnded && leaving.contains(where: { $0 === peer }) { lostLeaving += 1 }
      throw Deviation("\(beginning) … \(part) had to come, but not \(line?.prefix(300) ?? "nothing")")
    }
    return line
  }

  /// Hears the end.
  func hearTheEnd(of peer: Peer) throws {
    leave(peer)
    let line = peer.line()
    guard line == nil, peer.hasEnded else {
      throw Deviation("the end had to come, but not \(line?.prefix(300) ?? "nothing")")
    }
  }

  /// How many of its connections have ended though they should not have.
  func losses() -> Int { lostLeaving + peers.count { $0.isLost() } }
}
