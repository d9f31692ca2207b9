import BatonCore
import DoorKit
import WorldKit

/// One connection: what it is there for, and what it has to answer.
struct Peer {
  enum Kind { case sender, handler, prober, listener, reader }

  struct Offer {
    var id: Int
    var walk: Int
    var stored: String?
    var mark: Int
    var place: Place
    var isShadow: Bool

    init(_ line: SaidLine) {
      (id, walk) = (line.number("id") ?? 0, line.number("walk") ?? 0)
      (stored, mark, isShadow) = (line.text("stored"), line.mark ?? 0, line.isTrue("shadow"))
      place = Place(chain: line.text("chain") ?? "", name: line.text("handler") ?? "")
    }
  }

  let kind: Kind
  let connection: Int
  let identity: String
  var isOpen = true
  var isHalfClosed = false
  var offers: [Offer] = []
  var places: Set<Place> = []
  var cutter = LineCutter()
  var probed = 0
}

extension World {
  func open(_ kind: Peer.Kind) -> Int {
    let identity = !hasIdentities ? "" : kind == .sender ? luck.pick(["ann", "bob"]) : "ops"
    peers.append(Peer(kind: kind, connection: driver.open(), identity: identity))
    if hasIdentities { say(#"{"op":"hello","token":"\#(TestToken.text(of: identity))"}"#, peers.count - 1) }
    return peers.count - 1
  }

  func say(_ line: String, _ peer: Int) {
    log("\(peer) → \(line)")
    driver.receive(Array((line + "\n").utf8), from: peers[peer].connection)
    if driver.settles { collect() }
  }

  func close(_ peer: Int) {
    guard peers[peer].isOpen else { return }
    log("\(peer) closes")
    peers[peer].isOpen = false
    forget(peer)
    driver.close(peers[peer].connection)
    if driver.settles { collect() }
  }

  private func forget(_ peer: Int) {
    for place in peers[peer].places { judge.leaves(peer, place) }
    judge.gone(peer)
    (peers[peer].offers, peers[peer].places) = ([], [])
  }

  /// Reads all that the server has said.
  func collect() {
    while let connection = driver.nextChanged() {
      let peer = connection + firstPeer
      guard !driver.isClosed(connection) else { continue }
      for line in peers[peer].cutter.take(driver.takeAll(of: connection)) {
        for (line, peer) in told(SaidLine(line), to: peer) { hear(line, peer) }
      }
      if driver.wish(of: connection).ending != .open { close(peer) }
    }
  }

  func hear(_ line: SaidLine, _ peer: Int) {
    log("\(peer) ← \(line.spelled)")
    judge.check(!line.op.isEmpty, "lines are JSON", line.spelled)
    if peers[peer].kind == .prober {
      peers[peer].probed = line.number("walk") ?? peers[peer].probed
      return
    }
    if peers[peer].kind == .reader { return judge.hearsStays(line) }
    let place = Place(chain: line.text("chain") ?? "", name: line.text("handler") ?? "")
    switch line.text("op") {
    case "offer":
      judge.offers(line, peer: peer) { mark in
        peers.contains { $0.offers.contains { $0.mark == mark && $0.stored == nil && !$0.isShadow } }
      }
      peers[peer].offers.append(Peer.Offer(line))
    case "lapsed":
      for offer in peers[peer].offers where offer.id == line.number("id") {
        judge.lets(offer.walk, offer.stored, past: offer.place)
      }
      peers[peer].offers.removeAll { $0.id == line.number("id") }
    case "event":
      judge.announced(SaidLine(line.raw("payload") ?? []).text("stored") ?? "")
    case "removed":
      judge.leaves(peer, place)
      peers[peer].places.remove(place)
    default:
      judge.hears(line, peer: peer)
      guard line.text("op") == "ok", let id = line.number("id"), let place = judge.place(of: id) else { return }
      if judge.requests[id].kind == .insert {
        peers[peer].places.insert(place)
      } else {
        peers[peer].places.remove(place)
      }
    }
  }

  /// A verdict on the offer. Whoever does not end the message lets it go on.
  func answer(_ offer: Peer.Offer, _ verdict: String, _ peer: Int) {
    let isLong = answerBytes > 0 && luck.chance(50)
    let text = isLong ? "\"\(offer.mark) \(String(repeating: "x", count: answerBytes))\"" : String(offer.mark)
    let payload = verdict == "handled" ? #","payload":\#(text)"# : ""
    peers[peer].offers.removeAll { $0.id == offer.id }
    if !offer.isShadow, verdict == "continue" || verdict == "failed" {
      judge.lets(offer.walk, offer.stored, past: offer.place)
    }
    say(#"{"op":"\#(verdict)","id":\#(offer.id)\#(payload)}"#, peer)
  }
}

extension SaidLine {
  /// The message that its payload stands for: a number, or the first word of a text.
  var mark: Int? { number("payload") ?? text("payload").flatMap { Int($0.prefix { $0 != " " }) } }
}
