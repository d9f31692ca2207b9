import BatonLasting
import BatonLog
import WorldKit

/// The server that led before goes on beside the one that leads.
extension World {
  func endOld() {
    guard let old = cluster.old else { return }
    cluster.old = nil
    restart(old.node)
  }

  /// It goes on, as long as it does not look at its clock and its log does not say that it is over.
  func oldStep() {
    guard let old = cluster.old else { return }
    if luck.chance(6) { return endOld() }
    old.driver.advance(to: max(old.driver.now, driver.now)) {}
    let peer = old.peers.any(using: &luck)
    if let peer, luck.chance(50) {
      switch peers[peer].kind {
      case .sender: sendToOld(old, peer)
      case .handler:
        guard let offer = peers[peer].offers.popLast() else { break }
        let verdict = luck.pick(["continue", "handled", "reject", "failed"])
        tellOld(old, #"{"op":"\#(verdict)","id":\#(offer.id)}"#, peer)
      case .prober, .listener, .reader: break
      }
    }
    old.driver.wake()
    hearOld()
  }

  private func sendToOld(_ old: OldServer, _ peer: Int) {
    let (mark, id) = (newMark(), judge.nextID)
    if luck.chance(30) {
      return tellOld(old, #"{"op":"broadcast","topic":"k.0","payload":\#(mark),"reply":false}"#, peer)
    }
    judge.says(Judge.Request(kind: .durable, peer: peer, mark: mark, isOver: true))
    let chain = file.chains.any(using: &luck)?.chain ?? "a"
    tellOld(
      old, #"{"op":"send","id":\#(id),"chain":"\#(chain)","topic":"t.x","payload":\#(mark),"durable":true}"#, peer)
  }

  private func tellOld(_ old: OldServer, _ line: String, _ peer: Int) {
    log("\(peer) → old \(line)")
    old.driver.receive(Array((line + "\n").utf8), from: peers[peer].connection)
  }

  /// Reads all that it has said.
  func hearOld() {
    guard let old = cluster.old else { return }
    old.driver.wake()
    while let connection = old.driver.nextChanged() {
      let peer = connection + old.firstPeer
      guard !old.driver.isClosed(connection) else { continue }
      for bytes in peers[peer].cutter.take(old.driver.takeAll(of: connection)) {
        let line = SaidLine(bytes)
        log("\(peer) ← old \(line.spelled)")
        judge.hearsOld(line)
        if line.text("op") == "offer" { peers[peer].offers.append(Peer.Offer(line)) }
      }
      guard old.driver.wish(of: connection).ending != .open else { continue }
      old.driver.close(connection)
      cluster.old?.peers.removeAll { $0 == peer }
    }
  }
}
