/// What all connections of one identity have together; of `anonymous`, what all connections of one address have
/// (contract, section 11).
struct PeerAccount: ~Copyable {
  let identity: Slot<Identity>
  /// The address, if it is an account of `anonymous`.
  fileprivate let address: UInt64?
  /// The connections that have it.
  fileprivate(set) var holders = 0
  /// Those of them that have not ended.
  var connections = 0
  var openMessages = 0
  /// The bytes of these messages.
  var openBytes = 0
  var links = 0
  var patterns = 0
  /// Connections that are not read from because it has its messages. The first one has waited longest.
  var waiting = Queue<Ref<Connection>>()
  /// Whether it is listed as one that has room for those that wait.
  var isRoomy = false
}

/// All accounts, and how they are found. It knows no connection.
struct PeerAccounts: ~Copyable {
  private var table = Table<PeerAccount>()
  /// Looked into only.
  private var byIdentity: [Slot<Identity>: Slot<PeerAccount>] = [:]
  private var byAddress: [UInt64: Slot<PeerAccount>] = [:]

  subscript(account: Slot<PeerAccount>) -> PeerAccount {
    @inline(__always)
    _read { yield table[account] }
    @inline(__always)
    _modify { yield &table[account] }
  }

  var count: Int { table.count }

  func isTaken(_ account: Slot<PeerAccount>) -> Bool { table.isTaken(account) }

  /// The account of an identity for one more connection. `address` is given for `anonymous`.
  mutating func hold(_ identity: Slot<Identity>, address: UInt64?) -> Slot<PeerAccount> {
    let found = address.map { byAddress[$0] } ?? byIdentity[identity]
    let account = found ?? table.insert(PeerAccount(identity: identity, address: address))
    if let address { byAddress[address] = account } else { byIdentity[identity] = account }
    table[account].holders += 1
    table[account].connections += 1
    return account
  }

  /// A connection has the account no more.
  mutating func release(_ account: Slot<PeerAccount>) {
    table[account].holders -= 1
    guard table[account].holders == 0 else { return }
    if let address = table[account].address {
      byAddress[address] = nil
    } else {
      byIdentity[table[account].identity] = nil
    }
    table.remove(account)
  }
}
