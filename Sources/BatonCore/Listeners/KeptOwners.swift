/// An identity whose events are kept.
struct KeptOwner: ~Copyable {
  let name: String
  /// Its events, the oldest first, and what they take.
  var first = Slot<KeptEvent>.nobody
  var last = Slot<KeptEvent>.nobody
  var bytes = 0
}

/// Whose events are kept, by name: an identity that comes back has its events still. It knows no events.
struct KeptOwners: ~Copyable {
  private var table = Table<KeptOwner>()
  /// Looked into only.
  private var byName: [String: Slot<KeptOwner>] = [:]

  var count: Int { table.count }

  subscript(owner: Slot<KeptOwner>) -> KeptOwner {
    _read { yield table[owner] }
    _modify { yield &table[owner] }
  }

  func find(_ name: String) -> Slot<KeptOwner>? { byName[name] }

  mutating func insert(_ name: String) -> Slot<KeptOwner> {
    let owner = table.insert(KeptOwner(name: name))
    byName[name] = owner
    return owner
  }

  mutating func remove(_ owner: Slot<KeptOwner>) {
    byName[table[owner].name] = nil
    table.remove(owner)
  }
}

/// The shares of identities in what is kept (contract, section 10, `share_of_free`).
extension KeptEvents {
  /// Makes room for an event of an identity that has its share: the oldest event goes of the topic in which its oldest one
  /// is, a few times. So what is dropped is the oldest of its topic, as always. Returns false if that was not enough.
  mutating func makeRoom(for more: Int, by name: String, mostBytes: Int, shareOfFree: Int) -> Bool {
    for _ in 0..<KeptEvents.dropsAtOnce {
      let owner = owners.find(name)
      let own = owner.map { owners[$0].bytes } ?? 0
      if own + more <= max(0, mostBytes - bytes - more + 1) &* shareOfFree { return true }
      guard let owner else { return false }
      dropOldest(of: events[owners[owner].first].topic)
    }
    return false
  }

  /// An event counts for this identity: it is the latest one.
  mutating func own(_ event: Slot<KeptEvent>, by name: String) {
    let owner = owners.find(name) ?? owners.insert(name)
    let last = owners[owner].last
    events[event].owner = owner
    events[event].previousOwned = last
    if last == .nobody { owners[owner].first = event } else { events[last].nextOwned = event }
    owners[owner].last = event
    owners[owner].bytes += events[event].bytes
  }

  /// An event goes.
  mutating func disown(_ event: Slot<KeptEvent>) {
    let owner = events[event].owner
    let (previous, next) = (events[event].previousOwned, events[event].nextOwned)
    if previous == .nobody { owners[owner].first = next } else { events[previous].nextOwned = next }
    if next == .nobody { owners[owner].last = previous } else { events[next].previousOwned = previous }
    owners[owner].bytes -= events[event].bytes
    if owners[owner].first == .nobody { owners.remove(owner) }
  }

  /// For whose share an event counts; empty for nobody's.
  func ownerName(of event: Slot<KeptEvent>) -> String {
    let owner = events[event].owner
    return owner == .nobody ? "" : owners[owner].name
  }
}
