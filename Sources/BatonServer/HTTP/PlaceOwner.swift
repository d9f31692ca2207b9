/// Who has places of HTTP: an identity, or an address of those of which none is known. They count together first.
final class PlaceOwner {
  /// Its sockets.
  fileprivate(set) var count = 0
  fileprivate let owner: Owner?
  /// Of an address: all addresses.
  private let together: PlaceOwner?

  fileprivate init(_ owner: Owner?, of together: PlaceOwner? = nil) { (self.owner, self.together) = (owner, together) }

  /// Sockets of whoever it counts with.
  var countTogether: Int { (together ?? self).count }

  fileprivate func add(_ more: Int) {
    count += more
    together?.count += more
  }
}

/// All who have places. To find one is not cheap: it is done when a socket comes, and when another identity asks on it.
struct PlaceOwners {
  private var owners: [Owner: PlaceOwner] = [:]
  private let addresses = PlaceOwner(nil)

  /// Counts a socket.
  mutating func count(_ owner: Owner) -> PlaceOwner {
    let found = owners[owner] ?? PlaceOwner(owner, of: owner.isAddress ? addresses : nil)
    if found.count == 0 { owners[owner] = found }
    found.add(1)
    return found
  }

  /// Counts it no more.
  mutating func forget(_ owner: PlaceOwner) {
    owner.add(-1)
    if owner.count == 0, let key = owner.owner { owners[key] = nil }
  }
}
