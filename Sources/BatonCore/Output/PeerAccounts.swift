/// What all connections of one identity have together; without identities and of `anonymous`, what all connections of
/// one address have (contract, sections 10 and 11). Its messages count until they end, also those of connections that
/// have gone.
struct PeerAccount: ~Copyable {
  /// Whose it is: `nobody` if the server asks nobody; and the address, if that counts.
  struct Owner: Hashable {
    var identity = Slot<Identity>.nobody
    var address: UInt64 = 0
  }

  let owner: Owner
  var identity: Slot<Identity> { owner.identity }
  /// The connections that have it.
  fileprivate(set) var holders = 0
  /// Those of them that have not ended.
  var connections = 0
  /// Those of them that are requests of HTTP.
  var requests = 0
  var openMessages = 0
  /// The bytes of these messages, and of those of them whose connections have gone.
  var openBytes = 0
  var leftBytes = 0
  /// What is unsent to its connections.
  var unsent = UnsentCount()
  /// Whether it is one of many of the anonymous.
  var isAnonymous = false
  var links = 0
  var patterns = 0
  /// Connections that are not read from because it has its messages. The first one has waited longest.
  var waiting = Queue<Ref<Connection>>()
  /// Those that wait with their first message because of what connections that have gone left under way.
  var newcomers = Queue<Ref<Connection>>()
  /// Whether it is listed as one that has room for those that wait.
  var isRoomy = false

  fileprivate init(_ owner: Owner) { self.owner = owner }

  /// Whether a connection has it, or a message that one of them sent is under way.
  var isUsed: Bool { holders > 0 || openMessages > 0 }
}

/// All accounts, and how they are found. It knows no connection.
struct PeerAccounts: ~Copyable {
  private var table = Table<PeerAccount>()
  /// Looked into only.
  private var byOwner: [PeerAccount.Owner: Slot<PeerAccount>] = [:]

  subscript(account: Slot<PeerAccount>) -> PeerAccount {
    @inline(__always)
    _read { yield table[account] }
    @inline(__always)
    _modify { yield &table[account] }
  }

  var count: Int { table.count }

  func isTaken(_ account: Slot<PeerAccount>) -> Bool { table.isTaken(account) }

  /// How many connections of an owner have not ended.
  func connections(of owner: PeerAccount.Owner) -> Int { byOwner[owner].map { table[$0].connections } ?? 0 }

  /// The account for one more connection of its owner, and whether it is a new one.
  mutating func hold(_ owner: PeerAccount.Owner) -> (account: Slot<PeerAccount>, isNew: Bool) {
    let found = byOwner[owner]
    let account = found ?? table.insert(PeerAccount(owner))
    if found == nil { byOwner[owner] = account }
    table[account].holders += 1
    table[account].connections += 1
    return (account, found == nil)
  }

  /// A connection has the account no more.
  mutating func release(_ account: Slot<PeerAccount>) { table[account].holders -= 1 }

  /// Forgets an account that is not used any more.
  mutating func remove(_ account: Slot<PeerAccount>) {
    byOwner[table[account].owner] = nil
    table.remove(account)
  }
}
