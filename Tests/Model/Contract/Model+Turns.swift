/// The turns in which what waits at a link is offered (contract, section 5, "Turns").
///
/// `Link.queue` has all that waits there: what is repeated first, then the rest in the order in which it came.
/// `Link.turns` has the same without what is repeated.
extension Model {
  /// What of one identity, or of one address, waits at a link.
  struct Turn {
    let owner: String
    var rows: [Row]
    var walks: [Int] { rows.flatMap(\.walks) }
  }

  /// What one connection has waiting; without a sender, what connections left that have gone.
  struct Row {
    var sender: Int?
    var walks: [Int]
  }

  /// The walk begins to wait at the link, as the last one of its sender.
  mutating func lineUp(_ walk: Int, at link: Int) {
    guard keeps(.queueKeepsOrder) else { return links[link].queue.insert(walk, at: 0) }
    links[link].queue.append(walk)
    let (owner, sender) = (walks[walk].owner, presentSender(of: walk))
    guard let turn = links[link].turns.firstIndex(where: { $0.owner == owner }) else {
      return links[link].turns.append(Turn(owner: owner, rows: [Row(sender: sender, walks: [walk])]))
    }
    seen.insert(.waitedBehindOwn)
    if let row = links[link].turns[turn].rows.firstIndex(where: { $0.sender == sender }) {
      links[link].turns[turn].rows[row].walks.append(walk)
    } else {
      links[link].turns[turn].rows.append(Row(sender: sender, walks: [walk]))
    }
  }

  /// The walk that is offered next. What is repeated comes before all turns.
  func nextInTurn(at link: Int) -> Int? {
    guard let first = links[link].queue.first else { return nil }
    if walks[first].stand?.wasRepeated == true || !keeps(.identitiesTakeTurns) { return first }
    return links[link].turns.first?.rows.first?.walks.first ?? first
  }

  /// The walk gets its offer: its row comes last in its turn now, and its turn last at the link.
  mutating func takeTurn(_ walk: Int, at link: Int) {
    defer { leaveQueue(walk, at: link) }
    guard var turn = links[link].turns.first, turn.rows.first?.walks.first == walk else { return }
    if links[link].turns.count > 1 { seen.insert(.tookTurns) }
    if turn.rows.count > 1 { seen.insert(.connectionsTookTurns) }
    if keeps(.connectionsTakeTurns) { turn.rows.append(turn.rows.removeFirst()) }
    links[link].turns.removeFirst()
    links[link].turns.append(turn)
  }

  mutating func leaveQueue(_ walk: Int, at link: Int) {
    links[link].queue.removeAll { $0 == walk }
    for turn in links[link].turns.indices {
      for row in links[link].turns[turn].rows.indices {
        links[link].turns[turn].rows[row].walks.removeAll { $0 == walk }
      }
      links[link].turns[turn].rows.removeAll { $0.walks.isEmpty }
    }
    links[link].turns.removeAll { $0.rows.isEmpty }
  }

  /// The connection has gone: what it left is one with what others of its identity left that have gone.
  mutating func leaveTurns(_ connection: Int) {
    guard keeps(.leftIsOneRow) else { return }
    for link in links.indices {
      for turn in links[link].turns.indices {
        let rows = links[link].turns[turn].rows
        guard let own = rows.firstIndex(where: { $0.sender == connection }) else { continue }
        guard keeps(.leftKeepsItsTurn) else {
          links[link].turns[turn].rows.remove(at: own)
          continue
        }
        if let left = rows.firstIndex(where: { $0.sender == nil }) {
          seen.insert(.leftWithOthers)
          links[link].turns[turn].rows[left].walks += rows[own].walks
          links[link].turns[turn].rows.remove(at: own)
        } else {
          links[link].turns[turn].rows[own].sender = nil
        }
      }
    }
  }

  /// An identity is named no more. One that has the same name later is another. Returns what it is called from now on.
  mutating func forgetOwner(_ owner: String) -> String {
    let before = "\(owner) before \(version) at \(now)"
    for walk in walks.indices where walks[walk].owner == owner { walks[walk].owner = before }
    for link in links.indices where links[link].payer == owner { links[link].payer = before }
    for walk in walks.indices {
      for index in walks[walk].opinions.indices where walks[walk].opinions[index].payer == owner {
        walks[walk].opinions[index].payer = before
      }
    }
    for link in links.indices {
      for turn in links[link].turns.indices where links[link].turns[turn].owner == owner {
        links[link].turns[turn] = Turn(owner: before, rows: links[link].turns[turn].rows)
      }
    }
    return before
  }

  private func presentSender(of walk: Int) -> Int? {
    let sender = walks[walk].sender
    return peers[sender].phase == .open ? sender : nil
  }

  // MARK: Room

  /// Whether a link's queue has no room for a message of that weight and owner: it is full, or the owner has its share of
  /// it, or the sender what its owner may still have.
  func isFull(_ link: Int, for weight: Int, of owner: String?, by sender: Int?) -> Bool {
    if links[link].queue.count >= settings.maxQueueMessages { return true }
    let anonymous = owner?.hasPrefix("\(Entry.anonymous) ") == true ? anonymousWaiting(at: link) : []
    if !isWithinShare(anonymous.count, 0, free: settings.maxQueueMessages - links[link].queue.count) { return true }
    let turn = links[link].turns.first { $0.owner == owner }
    let own = turn?.walks ?? []
    let part = sender == nil ? [] : turn?.rows.first { $0.sender == sender }?.walks ?? []
    if !isWithinShare(own.count, part.count, free: settings.maxQueueMessages - links[link].queue.count) { return true }
    guard settings.maxQueueBytes < 1 << 20, keeps(.queueBytesAreLimited) else { return false }
    let weigh = { (walks: [Int]) in walks.reduce(0) { $0 + self.walks[$1].weight } }
    let all = weigh(links[link].queue)
    if all + weight > settings.maxQueueBytes { return true }
    if !isWithinShare(weigh(anonymous), 0, free: settings.maxQueueBytes - all) { return true }
    return !isWithinShare(weigh(own), weigh(part), free: settings.maxQueueBytes - all)
  }

  /// What all who are anonymous have waiting at a link, from whatever address.
  private func anonymousWaiting(at link: Int) -> [Int] {
    links[link].turns.filter { $0.owner.hasPrefix("\(Entry.anonymous) ") }.flatMap(\.walks)
  }

  func isFull(_ link: Int, for walk: Int) -> Bool {
    isFull(link, for: walks[walk].weight, of: walks[walk].owner, by: presentSender(of: walk))
  }

  private func isWithinShare(_ own: Int, _ part: Int, free: Int) -> Bool {
    guard keeps(.queueIsShared) else { return true }
    return own == 0 || own < share(ofFree: free) && (part == 0 || part < share(ofFree: free) - own)
  }
}
