/// Copies for shadows and lapsed offers count as open messages of their handlers (contract, section 10, "Held offers").
extension Model {
  /// How many of them somebody has, or all. An answered copy counts until the outcome of its message is known.
  func heldOffers(of owner: String? = nil) -> Int {
    guard keeps(.heldOffersCount) else { return 0 }
    let rows = peers.indices.lazy.filter { owner == nil || self.payer(of: $0) == owner }.map { connection in
      self.peers[connection].row.count { $0.state != .open }
    }
    let opinions = walks.lazy.flatMap(\.opinions).filter { owner == nil || $0.payer == owner }
    return rows.reduce(0, +) + opinions.count
  }

  /// Whether the handler may hold one more of them.
  func mayHoldOffer(_ connection: Int) -> Bool {
    guard keeps(.heldOffersAreLimited) else { return true }
    guard identityHasRoom(connection) else { return false }
    // One message of its identity has room beside all of them.
    if let most = limit("max_open_messages", of: connection), heldOffers(of: payer(of: connection)) + 1 >= most {
      return false
    }
    guard settings.maxTotalBytes < 1 << 20 else { return true }
    let free = settings.maxTotalBytes - openBytes()
    guard free >= Settings.heldBytes else { return false }
    let own = heldOffers(of: payer(of: connection)) * Settings.heldBytes
    return own == 0 || own < share(ofFree: free)
  }

  /// One of them is gone: its owner may have room.
  mutating func noteHeldOfferGone(_ connection: Int) { noteRoom(of: owner(of: connection)) }

  /// An offer has lapsed: it is kept for a late answer if there is room.
  mutating func keepLapsed(_ id: Int, of connection: Int) {
    guard let index = peers[connection].row.firstIndex(where: { $0.id == id }) else { return }
    if peers[connection].row[index].isAnsweredInVain, keeps(.vainAnswersCount) {
      peers[connection].row.remove(at: index)
      return noteHeldOfferGone(connection)
    }
    // It does not count itself.
    let offer = peers[connection].row.remove(at: index)
    guard mayHoldOffer(connection) else {
      seen.insert(.letGo)
      peers[connection].hasLetGo = true
      return
    }
    peers[connection].row.insert(offer, at: index)
  }
}
