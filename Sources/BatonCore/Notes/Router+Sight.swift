/// Whether a peer may see a chain: the right `see` (contract, section 11).
extension Router {
  /// Whether the peer may see the links of a chain.
  @inline(__always)
  mutating func maySee(_ chain: Slot<Chain>, _ connection: Slot<Connection>) -> Bool {
    let identity = connections[connection].identity
    return identity == .nobody || looksUpSight(of: chains[chain].name.bytes, identity)
  }

  /// The same, for a chain by its name.
  mutating func maySee(chainNamed name: UnsafeRawBufferPointer, _ connection: Slot<Connection>) -> Bool {
    let identity = connections[connection].identity
    return identity == .nobody || looksUpSight(of: name, identity)
  }

  mutating func maySee(chainNamed name: String, as identity: Slot<Identity>) -> Bool {
    guard identity != .nobody else { return true }
    let bytes = OwnedBytes(name)
    defer { extendLifetime(bytes) }
    return looksUpSight(of: bytes.bytes, identity)
  }

  /// Whether the peer may see every chain, and the server.
  mutating func seesEverything(_ connection: Slot<Connection>) -> Bool {
    let identity = connections[connection].identity
    return identity == .nobody || identities[identity].mayEverything
  }

  /// Whether one right lets the peer see every chain.
  mutating func seesAllChains(_ connection: Slot<Connection>) -> Bool {
    seesAllChains(as: connections[connection].identity)
  }

  mutating func seesAllChains(as identity: Slot<Identity>) -> Bool {
    identity == .nobody || identities[identity].seesAllChains
  }

  /// Whether the peer may see the server.
  mutating func seesServer(_ connection: Slot<Connection>) -> Bool {
    let identity = connections[connection].identity
    return identity == .nobody || identities[identity].allowsServer(.see)
  }

  private mutating func looksUpSight(of name: UnsafeRawBufferPointer, _ identity: Slot<Identity>) -> Bool {
    spent &+= Cost.look
    return identities[identity].allows(.see, chain: name)
  }
}
