/// The last messages that did not end well, that links failed, or with whose outcome a shadow disagreed, by kind (contract,
/// section 8, `Walks`). It knows bytes and times, no walks and no chains.
///
/// Messages of one kind, chain, link and cause are a group. If there are too many of a kind, the largest group loses one:
/// so one failing link does not push out what others have to tell.
struct FailedWalks: ~Copyable {
  /// What is kept apart: many messages of one kind do not wash away those of another.
  enum Kind: Int, CaseIterable {
    case failed, timeout, rejected, unhandled, cancelled
    /// Links failed them on their way, and others were asked.
    case unhandledWithFailures, handledWithFailures, publishedWithFailures
    /// A shadow's verdict was not what became of them.
    case disagreed

    /// Nil if such messages are not kept. `hasFailures`: the result lists failures.
    init?(_ status: Outcome.Status, hasFailures: Bool) {
      switch status {
      case .failed: self = .failed
      case .timeout: self = .timeout
      case .rejected: self = .rejected
      case .cancelled: self = .cancelled
      case .unhandled: self = hasFailures ? .unhandledWithFailures : .unhandled
      case .handled where hasFailures: self = .handledWithFailures
      case .published where hasFailures: self = .publishedWithFailures
      case .handled, .published: return nil
      }
    }

    /// Whether links failed such messages on their way: then the first of these tells whose they are.
    var isPassedBy: Bool {
      self == .unhandledWithFailures || self == .handledWithFailures || self == .publishedWithFailures
    }

    /// The status of such messages; nil if they have any.
    var status: Outcome.Status? {
      switch self {
      case .disagreed: nil
      case .failed: .failed
      case .timeout: .timeout
      case .rejected: .rejected
      case .cancelled: .cancelled
      case .unhandled, .unhandledWithFailures: .unhandled
      case .handledWithFailures: .handled
      case .publishedWithFailures: .published
      }
    }

    /// Whether messages of this kind may be asked for: what shadows say is asked for alone. `status`: only such messages.
    func isAsked(status: Outcome.Status?, disagreed: Bool) -> Bool {
      guard disagreed == (self == .disagreed) else { return false }
      return status == nil || self.status == nil || self.status == status
    }
  }

  /// What messages of one group have in common, beside their kind.
  struct Likeness {
    var chain: UnsafeRawBufferPointer
    /// The name of the link that ended it, or that failed it first; empty if none did.
    var link: UnsafeRawBufferPointer
    /// A number for each cause; 0 for none.
    var cause: UInt8 = 0
  }

  /// One message, after its end.
  final class Entry {
    let number: Int
    let kind: Kind
    let status: Outcome.Status
    let chain: OwnedBytes
    let link: OwnedBytes
    let cause: UInt8
    /// The name of the handler that its result tells; empty if there is none.
    let by: OwnedBytes
    let topic: OwnedBytes
    /// The key as a JSON string; empty if there is none.
    let key: OwnedBytes
    /// The members of its line, without `ago_ms` and `at`.
    let text: OwnedBytes
    /// The bytes of `text` that tell nothing of links; nil if it tells only of links of its own chain.
    let publicCount: Int?
    let ended: Instant
    /// What the wall clock said then, in microseconds since 1970; nil if nobody knows.
    let wall: Int64?
    /// The number of its end: later ends have higher numbers.
    fileprivate(set) var order = 0
    fileprivate var group = Slot<Group>.nobody
    fileprivate var node = Slot<OrderNode>.nobody
    /// The next one of its group that is a first one, or that is none, as this one.
    fileprivate var next = Slot<Entry>.nobody

    init(
      number: Int, kind: Kind, status: Outcome.Status, like: Likeness, by: UnsafeRawBufferPointer,
      topic: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer,
      publicCount: Int? = nil, at now: Instant, wall: Int64?
    ) {
      self.publicCount = publicCount
      self.number = number
      (self.kind, self.status) = (kind, status)
      chain = OwnedBytes(copying: like.chain)
      link = OwnedBytes(copying: like.link)
      cause = like.cause
      self.by = OwnedBytes(copying: by)
      self.topic = OwnedBytes(copying: topic)
      self.key = OwnedBytes(copying: key)
      self.text = OwnedBytes(copying: text)
      (ended, self.wall) = (now, wall)
    }

    /// What it counts: its bytes, and about what its objects, its places and its group take beside them.
    var bytes: Int { text.count + chain.count + link.count + by.count + topic.count + key.count + 512 }
  }

  /// Entries in a row, the oldest first.
  struct Row {
    var first = Slot<Entry>.nobody
    var last = Slot<Entry>.nobody
    var count = 0
  }

  /// Messages of one kind, chain, link and cause. Its name is that of an entry, so it has one at least. It is not private:
  /// the compiler cannot build that file by file where a struct that is not copied holds a table of it.
  struct Group: ~Copyable {
    let hash: UInt32
    /// The first one of each ten minutes, and the others.
    var firsts = Row()
    var others = Row()
    /// When the last of the first ones ended.
    var begun: Instant
    var node = Slot<OrderNode>.nobody

    var count: Int { firsts.count + others.count }
    /// One of its entries.
    var sample: Slot<Entry> { firsts.count > 0 ? firsts.first : others.first }

    init(hash: UInt32, begun: Instant) { (self.hash, self.begun) = (hash, begun) }
  }

  /// The entries of one kind: in the order of their ends, and their groups, the largest first.
  private struct List {
    var entries = Slot<OrderNode>.nobody
    var groups = Slot<OrderNode>.nobody
    var count = 0
    var bytes = 0
    var forgotten = 0
  }

  /// Milliseconds in which a group has one first entry.
  private static let span = 600_000

  private let seed: UInt64
  private var table = Table<Entry>()
  private var groups = Table<Group>()
  private var names = ByteIndex<Group>()
  private var order = OrderTree<Entry>()
  private var sizes = OrderTree<Group>()
  /// A list for each kind, in their order.
  private var lists = Kind.allCases.map { _ in List() }
  private var bytes = 0
  private var latest = 0

  init(seed: UInt64) { self.seed = seed }

  /// The number of entries, and of groups.
  var count: Int { table.count }
  var groupCount: Int { groups.count }

  /// Whether there is more than `most` of one kind, or more than `mostBytes` in all.
  func exceeds(most: Int, mostBytes: Int) -> Bool { bytes > mostBytes || lists.contains { $0.count > most } }

  /// Forgets one of a kind with more than `most`; or else of the kind that takes most, if all take more than `mostBytes`.
  /// Returns false if there is no such entry.
  mutating func forgetOne(most: Int, mostBytes: Int) -> Bool {
    guard let list = lists.indices.first(where: { lists[$0].count > most }) else {
      return forgetWorst(above: mostBytes)
    }
    forgetOne(of: list)
    return true
  }

  /// Forgets one of the kind that takes most, if all take more than `mostBytes`. Returns whether they do.
  private mutating func forgetWorst(above mostBytes: Int) -> Bool {
    guard bytes > mostBytes, let worst = lists.indices.max(by: { lists[$0].bytes < lists[$1].bytes }) else {
      return false
    }
    forgetOne(of: worst)
    return true
  }

  /// Keeps an entry. Forgets one of its kind if there are more than `most`, and some of the kind that takes most while all
  /// take more than `mostBytes`: at most `atOnce`. Returns how many it has forgotten.
  mutating func add(_ entry: Entry, most: Int, mostBytes: Int, atOnce: Int) -> Int {
    let list = entry.kind.rawValue
    latest += 1
    entry.order = latest
    let slot = table.insert(entry)
    entry.node = order.insert(slot, before: .nobody, into: &lists[list].entries)
    join(slot)
    lists[list].count += 1
    lists[list].bytes += entry.bytes
    bytes += entry.bytes
    var forgotten = 0
    if lists[list].count > most {
      forgetOne(of: list)
      forgotten += 1
    }
    while forgotten < atOnce, forgetWorst(above: mostBytes) { forgotten += 1 }
    return forgotten
  }

  // MARK: Groups

  /// An entry comes into its group.
  private mutating func join(_ slot: Slot<Entry>) {
    let entry = table[slot]
    let hash = hash(of: entry)
    var isFirst = true
    if let group = names.find(hash, where: { isLike(entry, table[groups[$0].sample]) }) {
      entry.group = group
      isFirst = entry.ended.milliseconds(since: groups[group].begun) >= FailedWalks.span
    } else {
      entry.group = groups.insert(Group(hash: hash, begun: entry.ended))
      names.insert(hash, entry.group)
    }
    let last = isFirst ? groups[entry.group].firsts.last : groups[entry.group].others.last
    if last != .nobody { table[last].next = slot }
    if isFirst {
      groups[entry.group].begun = entry.ended
      FailedWalks.append(slot, to: &groups[entry.group].firsts)
    } else {
      FailedWalks.append(slot, to: &groups[entry.group].others)
    }
    rank(entry.group, in: entry.kind.rawValue)
  }

  private static func append(_ slot: Slot<Entry>, to row: inout Row) {
    if row.count == 0 { row.first = slot }
    row.last = slot
    row.count += 1
  }

  private func hash(of entry: Entry) -> UInt32 {
    let link = entry.link.bytes.hash(seed: seed, beside: UInt32(entry.cause) << 8 | UInt32(entry.kind.rawValue))
    return entry.chain.bytes.hash(seed: seed, beside: link)
  }

  private func isLike(_ entry: Entry, _ other: Entry) -> Bool {
    entry.kind == other.kind && entry.cause == other.cause
      && entry.link.bytes.equals(other.link.bytes) && entry.chain.bytes.equals(other.chain.bytes)
  }

  /// A group has more or fewer entries: among those with as many it is the last one.
  private mutating func rank(_ group: Slot<Group>, in list: Int) {
    if groups[group].node != .nobody { sizes.remove(groups[group].node, from: &lists[list].groups) }
    let count = groups[group].count
    let next = sizes.firstNode(lists[list].groups) { groups[$0].count < count }
    groups[group].node = sizes.insert(group, before: next, into: &lists[list].groups)
  }

  /// Forgets one of the largest group of a kind: its oldest one, without the first ones of each ten minutes as long as they
  /// are fewer than half.
  private mutating func forgetOne(of list: Int) {
    let largest = sizes.first(lists[list].groups)
    guard largest != .nobody else { return }
    let group = sizes.element(largest)
    let takesFirst = groups[group].firsts.count * 2 >= groups[group].count
    let slot = takesFirst ? groups[group].firsts.first : groups[group].others.first
    let entry = table[slot]
    if takesFirst {
      FailedWalks.remove(before: entry.next, from: &groups[group].firsts)
    } else {
      FailedWalks.remove(before: entry.next, from: &groups[group].others)
    }
    lists[list].count -= 1
    lists[list].bytes -= entry.bytes
    lists[list].forgotten += 1
    bytes -= entry.bytes
    order.remove(entry.node, from: &lists[list].entries)
    table.remove(slot)
    if groups[group].count > 0 { return rank(group, in: list) }
    sizes.remove(largest, from: &lists[list].groups)
    names.remove(groups[group].hash, group)
    groups.remove(group)
  }

  private static func remove(before next: Slot<Entry>, from row: inout Row) {
    row.first = next
    row.count -= 1
    if row.count == 0 { row.last = .nobody }
  }

  // MARK: Telling

  /// When the oldest one of a kind ended, and how many were forgotten.
  func reach(of kind: Kind) -> (oldest: Instant?, forgotten: Int) {
    let first = order.first(lists[kind.rawValue].entries)
    return (first == .nobody ? nil : table[order.element(first)].ended, lists[kind.rawValue].forgotten)
  }

  /// Goes over the entries from the latest one before `order` on.
  struct Cursor {
    /// In each list, the next one that comes, or `nobody`.
    fileprivate var next: [Slot<OrderNode>]
  }

  /// A cursor behind the entry of this number; at the latest one if it is nil. `status`: only kinds that may have it.
  /// `disagreed`: only those with which shadows disagreed; without it there are none of them.
  func cursor(behind number: Int?, status: Outcome.Status?, disagreed: Bool) -> Cursor {
    Cursor(
      next: Kind.allCases.map { kind in
        guard kind.isAsked(status: status, disagreed: disagreed) else { return .nobody }
        let root = lists[kind.rawValue].entries
        guard let number else { return order.last(root) }
        let behind = order.firstNode(root) { table[$0].order >= number }
        return behind == .nobody ? order.last(root) : order.previous(behind)
      })
  }

  /// The next entry, an older one each time; nil at the end.
  func next(_ cursor: inout Cursor) -> Entry? {
    var latest: (list: Int, entry: Entry)?
    for (list, node) in cursor.next.enumerated() where node != .nobody {
      let entry = table[order.element(node)]
      if entry.order > latest?.entry.order ?? 0 { latest = (list, entry) }
    }
    if let latest { cursor.next[latest.list] = order.previous(cursor.next[latest.list]) }
    return latest?.entry
  }
}
