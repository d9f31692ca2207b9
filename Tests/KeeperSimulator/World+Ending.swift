/// The end of a world: nothing fails any more, and all that was accepted must end.
extension World {
  func end() {
    begin()
    isEnding = true
    isDiskBroken = false
    if let record = driver.record { (record.holds, record.failure) = (false, nil) }
    if isCluster { endMishaps() }
    let isFresh = judge.drainedAt != nil || luck.chance(30)
    if isFresh { crash() }
    reload(.calm)
    rest()
    comeBack()
    // The places are served one after the other. What the first one woke is tried again a second later at the earliest.
    for _ in 0..<4 where !isOver { goOn(500) }
    if isFresh { checkWoken() }
    for _ in 0..<400 where !isOver { goOn(500) }
    for _ in 0..<40 where !isOver { goOn(700_000) }
    checkOver()
  }

  /// Breakers close, and handlers go. Offers that nobody answers end.
  private func rest() {
    for peer in peers.indices where peers[peer].kind == .handler { close(peer) }
    for _ in 0..<4 { goOn(2000) }
  }

  private func comeBack() {
    begin()
    write()
    let peer = open(.handler)
    for place in [("a", "g"), ("a", "w"), ("a", "h"), ("b", "h"), ("c", "h")] {
      serve(Place(chain: place.0, name: place.1), peer)
    }
    answerAll()
  }

  /// What waits for places is tried when they are served, and not at its next time.
  private func checkWoken() {
    write()
    guard !judge.hasBreakers else { return }
    for name in judge.alive.sorted() {
      guard let one = judge.messages[name], one.sent.key == nil, let row = store.rows[one.row] else { continue }
      judge.check(!row.message.state.isStalled, "what waits for a place is tried when it is served", name)
    }
  }

  private func goOn(_ milliseconds: Int) {
    begin()
    pass(milliseconds)
    write()
    if judge.broken == nil { answerAll() }
  }

  /// All is on disk, and all offers have an answer.
  private func answerAll() {
    while judge.broken == nil {
      write()
      guard let peer = peers.firstIndex(where: { $0.isOpen && !$0.offers.isEmpty }) else { return }
      let offer = peers[peer].offers[0]
      answer(offer, offer.place.name == "h" ? "handled" : "continue", peer)
    }
  }

  private func write() {
    if isCluster { return writeAll() }
    repeat { commit(store.heldCount) } while store.heldCount > 0
  }

  private var isOver: Bool {
    judge.broken != nil
      || judge.alive.isEmpty && !isWriting && judge.requests.allSatisfy { $0.isOver || $0.isExcused }
  }

  private func checkOver() {
    for name in judge.alive.sorted() { judge.check(false, "what was accepted ends", "\(name) waits") }
    for id in judge.requests.indices where !judge.requests[id].isOver && !judge.requests[id].isExcused {
      judge.check(false, "everybody hears of the end", "request \(id) of \(judge.requests[id].peer)")
    }
    for row in store.rows.values where !row.isDead {
      judge.check(false, "what was accepted ends", "row \(row.message.row) is left")
    }
    for peer in peers.indices { close(peer) }
    settle()
    write()
    let left = driver.census.filter { ["walks", "tickets", "tries", "copies"].contains($0.key) }
    judge.check(left.isEmpty, "nothing is left behind", "\(left.sorted { $0.key < $1.key })")
    if isCluster { checkFiles() }
  }
}
