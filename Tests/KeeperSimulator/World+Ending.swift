import BatonKeeper

/// The end of a life, in order, and the end of a world.
extension World {
  mutating func drain() throws(Broken) {
    keeper.drain()
    isDraining = true
    guard luck.chance(50) else { return }
    try turn()
    try cutOff()
  }

  /// The deadline of draining: tries that are open have no end. The disk may be slow.
  private mutating func cutOff() throws(Broken) {
    for id in open {
      log("try of \(id.count) is cut off")
      judge.known[id]?.isOpen = false
      if plants(.cutOffCounts) {
        keeper.tryEnded(id, TryEnd(.timeout, result: [9]))
      } else {
        keeper.cutOff(id)
      }
    }
    open = []
    try turn()
    try commitSome()
  }

  /// Nothing fails any more: all that was accepted must end, and everybody must hear of it.
  mutating func end() throws(Broken) {
    isEnding = true
    if isDraining || luck.chance(30) { try crash() }
    declare()
    for ticket in ordinaryOpen.keys.sorted() { keeper.ordinaryEnded(ticket) }
    ordinaryOpen = [:]
    for (chain, key) in Self.chains.flatMap({ chain in Self.keys.map { (chain, $0) } }) {
      if routers[chain + key] != nil { endOfRouter(chain, key, 1) }
    }
    for _ in 0..<4000 {
      try turn()
      try commitAll()
      try answerLoads()
      try turn()
      while !open.isEmpty { try endTry() }
      pass(500)
      if disk.rows.values.allSatisfy(\.isDead), given.isEmpty, keeper.isQuiet, keeper.counts().waiting == 0 { break }
    }
    if given.isEmpty, keeper.isQuiet { try checkSizes() }
    try turn()
    for row in disk.rows.values where !row.isDead {
      throw Broken(promise: "what was accepted ends", detail: "\(row.message.row) waits")
    }
    for (id, one) in judge.known where one.isAccepted && !one.isOver {
      throw Broken(promise: "what was accepted ends", detail: "\(id.count) has gone")
    }
    for ticket in judge.waiting {
      let id = judge.accepted[ticket] ?? judge.idOfTicket[ticket]
      throw Broken(promise: "everybody hears of the end", detail: "ticket \(ticket) of \(id?.count ?? 0)")
    }
    try judge.checkNotKept(disk)
  }

  /// What is counted is what is on disk, if nothing is on its way but what makes it so many bytes less.
  func checkSizes(forgotten: Int = 0) throws(Broken) {
    let figures = keeper.figures(of: nil)
    try judge.check(
      figures.bytes == disk.byteCount - forgotten, "bytes are counted", "\(figures.bytes), \(disk.byteCount) on disk")
    try judge.check(
      figures.remembered == disk.remembered, "names are counted", "\(figures.remembered), \(disk.remembered) on disk")
  }
}
