import ProgramKit

/// The peers of one act, and what they must receive.
///
/// One call fails in the whole life of the server, and it may end one connection. If a peer receives something that is
/// not due, a connection of its act must have ended.
final class Cast {
  /// Where the server listens.
  let place: String
  /// A name that no other act has, for its chains and topics.
  let name: String
  let household: Household
  /// The folder of the server's files.
  let folder: String
  let program: Program
  private(set) var peers: [Peer] = []
  /// Peers that have sent everything. The server may end their connections once it has sent everything, too.
  private var leaving: [Peer] = []
  /// How many of them ended before they had received everything.
  private var lostLeaving = 0

  init(at place: String, name: String, of world: World) {
    self.place = place
    self.name = name
    (household, folder, program) = (world.household, world.folder, world.program)
  }

  func join() throws -> Peer {
    let peer = place.hasPrefix("tls ") ? try Peer(place, over: household.context) : try Peer(place)
    peers.append(peer)
    return peer
  }

  /// From now on the peer's end is as it should be. The connection ends with the last reference to the peer.
  func leave(_ peer: Peer) { peers.removeAll { $0 === peer } }

  /// Shuts down the peer's writing side. What it is owed must still come.
  func halfClose(_ peer: Peer) {
    peer.halfClose()
    letGo(peer)
  }

  /// From now on the server may end the connection, once it has sent what it owes.
  func letGo(_ peer: Peer) {
    leave(peer)
    leaving.append(peer)
  }

  /// Ends all its connections.
  func disperse() {
    peers = []
    leaving = []
  }

  /// Sends `line`, and receives one that begins with `beginning`.
  func ask(_ peer: Peer, _ line: String, _ beginning: String = #"{"op":"ok""#) throws {
    peer.say(line)
    _ = try hear(peer, beginning)
  }

  /// Receives a line that begins with `beginning` and contains `part`.
  @discardableResult
  func hear(_ peer: Peer, _ beginning: String, _ part: String = "") throws -> String {
    let line = peer.line(orEndOf: peers.filter { $0 !== peer })
    guard let line, line.hasPrefix(beginning), part.isEmpty || line.contains(part) else {
      if line == nil && peer.hasEnded && leaving.contains(where: { $0 === peer }) { lostLeaving += 1 }
      throw Deviation("\(beginning) … \(part) had to come, but not \(line?.prefix(300) ?? "nothing")")
    }
    return line
  }

  /// Receives the end.
  func hearTheEnd(of peer: Peer) throws {
    leave(peer)
    let line = peer.line()
    guard line == nil, peer.hasEnded else {
      throw Deviation("the end had to come, but not \(line?.prefix(300) ?? "nothing")")
    }
  }

  /// How many of its connections have ended although they should not have.
  func losses() -> Int { lostLeaving + peers.count { $0.isLost() } }
}
