/// What all connections of one identity have together; without identities and of `anonymous`, what all connections of
/// one address have (contract, sections 10 and 11). Its messages count until they end, also those of connections that
/// have gone.
struct PeerAccount: ~Copyable {
  /// Whose it is: `nobody` if the server asks nobody; and the address, if that counts.
  struct Owner: Equatable {
    var identity = Slot<Identity>.nobody
    var address: UInt64 = 0

    /// In place of an address: all stored messages of peers without an identity.
    static let stored = UInt64.max

    fileprivate func hash(seed: UInt64) -> UInt32 {
      withUnsafeBytes(of: address) { $0.hash(seed: seed, beside: identity.index) }
    }
  }

  let owner: Owner
  var identity: Slot<Identity> { owner.identity }
  /// The connections that have it, and the tries of stored messages.
  fileprivate(set) var holders = 0
  /// Those of them that have not ended.
  var connections = 0
  /// Those of them that are requests of HTTP.
  var requests = 0
  var openMessages = 0
  /// The bytes of these messages, and of those of them whose connections have gone.
  var openBytes = 0
  var leftBytes = 0
  /// What the record has to write of its messages.
  var recordBytes = 0
  /// What is unsent to its connections.
  var unsent = UnsentCount()
  /// Whether it is one of many of the anonymous.
  var isAnonymous = false
  /// The links and mounts of its connections, what stays of those that have gone, and the patterns of all of that and of
  /// subscriptions.
  var links = 0
  var patterns = 0
  /// Those of them that no connection has: places without a handler, mounts whose makers have gone, and links to which
  /// only messages under way still come.
  var left = Holding()
  /// Those of them that stay when their connections go, or may stay: what is left, mounts, and links that `isLasting`.
  var lasting = Holding()
  /// The places without a handler among what is left.
  var emptyPlaces = 0
  /// The copies for shadows and the lapsed offers that its handlers hold. They are among its open messages and bytes.
  var heldOffers = 0
  /// The entries of tables that name it as the one who pays, and outlive their connections.
  fileprivate(set) var entries = 0
  /// Connections that are not read from because it has its messages. The first one has waited longest.
  var waiting = Queue<Ref<Connection>>()
  /// How far it is ahead of what it may send in a second.
  var rate = SendingRate()
  /// Whether it stays until that is paid: a timer is set.
  var isOwing = false
  /// Whether it is listed as one that has room for those that wait.
  var isRoomy = false

  fileprivate init(_ owner: Owner) { self.owner = owner }

  /// Whether a connection has it, a message that one of them sent is under way, something stays for which it pays, or it
  /// owes for messages.
  var isUsed: Bool { holders > 0 || openMessages > 0 || entries > 0 || isOwing }

  /// Links, and what their patterns count.
  struct Holding: Equatable {
    var links = 0
    var patterns = 0

    mutating func add(_ links: Int, _ patterns: Int) {
      self.links += links
      self.patterns += patterns
    }
  }
}

/// All accounts, and how they are found. It knows no connection.
struct PeerAccounts: ~Copyable {
  private let seed: UInt64
  private var table = Table<PeerAccount>()
  private var owners = ByteIndex<PeerAccount>()

  init(seed: UInt64) { self.seed = seed }

  subscript(account: Slot<PeerAccount>) -> PeerAccount {
    @inline(__always)
    _read { yield table[account] }
    @inline(__always)
    _modify { yield &table[account] }
  }

  var count: Int { table.count }
  var slots: Slots<PeerAccount> { table.slots }

  func isTaken(_ account: Slot<PeerAccount>) -> Bool { table.isTaken(account) }
  func ref(_ account: Slot<PeerAccount>) -> Ref<PeerAccount> { table.ref(account) }
  func contains(_ account: Ref<PeerAccount>) -> Bool { table.contains(account) }

  private func find(_ owner: PeerAccount.Owner) -> Slot<PeerAccount>? {
    owners.find(owner.hash(seed: seed)) { table[$0].owner == owner }
  }

  /// How many connections of an owner have not ended.
  func connections(of owner: PeerAccount.Owner) -> Int { find(owner).map { table[$0].connections } ?? 0 }

  /// The account for one more connection of its owner, and whether it is a new one.
  mutating func hold(_ owner: PeerAccount.Owner) -> (account: Slot<PeerAccount>, isNew: Bool) {
    let found = find(owner)
    let account = found ?? table.insert(PeerAccount(owner))
    if found == nil { owners.insert(owner.hash(seed: seed), account) }
    table[account].holders += 1
    table[account].connections += 1
    return (account, found == nil)
  }

  /// The account for a try of a stored message, and whether it is a new one.
  mutating func holdForTry(_ owner: PeerAccount.Owner) -> (account: Slot<PeerAccount>, isNew: Bool) {
    let (account, isNew) = hold(owner)
    table[account].connections -= 1
    return (account, isNew)
  }

  /// A connection or a try has the account no more.
  mutating func release(_ account: Slot<PeerAccount>) { table[account].holders -= 1 }

  /// An entry of a table outlives its connection, and the account pays for it.
  mutating func beginEntry(of account: Slot<PeerAccount>) { table[account].entries += 1 }

  /// The entry is not there any more, or somebody else pays for it.
  mutating func endEntry(of account: Slot<PeerAccount>) { table[account].entries -= 1 }

  /// Forgets an account that is not used any more.
  mutating func remove(_ account: Slot<PeerAccount>) {
    owners.remove(table[account].owner.hash(seed: seed), account)
    table.remove(account)
  }
}
