/// A reply that waits for the disk. It counts as an open message of its connection.
struct HeldReply: ~Copyable {
  let connection: Ref<Connection>
  /// What its identity or address has together; `nobody` if it has none.
  var account = Slot<PeerAccount>.nobody
  /// The line, with its LF.
  let line: OwnedBytes
  /// The `id` of the request; empty if it has none.
  let id: OwnedBytes
  fileprivate var next = Slot<HeldReply>.nobody

  init(_ connection: Ref<Connection>, line: consuming OwnedBytes, id: consuming OwnedBytes) {
    self.connection = connection
    self.line = line
    self.id = id
  }

  /// What it takes of `max_open_bytes` and `max_total_bytes`.
  var bytes: Int { line.count + id.count + 384 }
}

/// Replies in a row, the oldest first.
struct HeldReplyList: BitwiseCopyable {
  fileprivate(set) var first = Slot<HeldReply>.nobody
  fileprivate var last = Slot<HeldReply>.nobody

  var isEmpty: Bool { first == .nobody }
}

/// The replies that wait for the disk. It knows no connection and no change.
struct HeldReplies: ~Copyable {
  private var table = Table<HeldReply>()

  var count: Int { table.count }

  subscript(reply: Slot<HeldReply>) -> HeldReply {
    _read { yield table[reply] }
    _modify { yield &table[reply] }
  }

  mutating func insert(_ reply: consuming HeldReply) -> Slot<HeldReply> { table.insert(reply) }

  mutating func append(_ reply: Slot<HeldReply>, to list: inout HeldReplyList) {
    if list.isEmpty { list.first = reply } else { table[list.last].next = reply }
    list.last = reply
  }

  /// Takes the first reply out of a list; it stays here until `remove`.
  mutating func popFirst(of list: inout HeldReplyList) -> Slot<HeldReply>? {
    guard !list.isEmpty else { return nil }
    let reply = list.first
    list.first = table[reply].next
    return reply
  }

  mutating func remove(_ reply: Slot<HeldReply>) { table.remove(reply) }
}
