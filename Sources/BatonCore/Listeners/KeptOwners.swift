/// An identity whose events are kept; one without a name stands for all who have none.
struct KeptOwner: ~Copyable {
  let name: String
  /// Its events, the oldest first.
  var first = Slot<KeptEvent>.nobody
  var last = Slot<KeptEvent>.nobody
  /// What they take, with the topics that count for it; and the number of the oldest one.
  fileprivate(set) var bytes = 0
  fileprivate var oldest = 0
  fileprivate var node = Slot<OrderNode>.nobody
}

/// For whom events are kept, by name, so that who comes back has its events still; and in the order of what they take. It
/// knows no events. All of them have some.
struct KeptOwners: ~Copyable {
  private var table = Table<KeptOwner>()
  /// Only looked into: nothing goes over it.
  private var byName: [String: Slot<KeptOwner>] = [:]
  /// Who has most is first; of several, the one whose oldest event is older.
  private var order = OrderTree<KeptOwner>()
  private var root = Slot<OrderNode>.nobody

  var count: Int { table.count }

  subscript(owner: Slot<KeptOwner>) -> KeptOwner {
    _read { yield table[owner] }
    _modify { yield &table[owner] }
  }

  /// The owner of that name; nil if it has no events.
  func find(_ name: String) -> Slot<KeptOwner>? { byName[name] }

  /// The owner of that name, who gets an event now.
  mutating func take(_ name: String) -> Slot<KeptOwner> {
    if let owner = byName[name] { return owner }
    let owner = table.insert(KeptOwner(name: name))
    byName[name] = owner
    return owner
  }

  /// The owner whose events take most; nil if there are none.
  var heaviest: Slot<KeptOwner>? {
    let node = order.first(root)
    return node == .nobody ? nil : order.element(node)
  }

  /// What an owner has takes so many bytes more, or fewer.
  mutating func weigh(_ owner: Slot<KeptOwner>, _ more: Int, oldest: Int) {
    if table[owner].node != .nobody { order.remove(table[owner].node, from: &root) }
    table[owner].bytes += more
    table[owner].oldest = oldest
    let (bytes, oldest) = (table[owner].bytes, table[owner].oldest)
    let next = order.firstNode(root) { (table[$0].bytes, oldest) <= (bytes, table[$0].oldest) }
    table[owner].node = order.insert(owner, before: next, into: &root)
  }

  /// An owner has no events any more.
  mutating func remove(_ owner: Slot<KeptOwner>) {
    if table[owner].node != .nobody { order.remove(table[owner].node, from: &root) }
    byName[table[owner].name] = nil
    table.remove(owner)
  }
}
