/// Mounts must not lead from a chain back to itself, and not too many of them may follow each other (contract, section 5,
/// `mount_cycle`, `max_mount_depth`).
extension Router {
  /// Refuses a mount that would make a circle of chains, and names the chains in it. Returns how many mounts would follow
  /// each other, the new one included.
  mutating func refuseCircle(
    _ outer: borrowing OwnedBytes, _ inner: borrowing OwnedBytes, for connection: Slot<Connection>
  ) throws(Fault) -> Int {
    if outer.bytes.equals(inner.bytes) { throw circleFault([outer.string, outer.string]) }
    let (above, below) = (findChain(outer.bytes), findChain(inner.bytes))
    var looked = 0
    var depth = 1
    if let below {
      depth += try mountsInLine(from: below, isDown: true, seeking: above, for: connection, looked: &looked)
    }
    if let above {
      depth += try mountsInLine(from: above, isDown: false, seeking: nil, for: connection, looked: &looked)
    }
    return depth
  }

  /// The most mounts that follow each other from a chain on, down to the chains that it mounts, or up to those that
  /// mount it. Throws if `goal` is among them: that would be a circle. Each chain is visited once, so the work is the
  /// number of mounts that are looked at, and that is limited.
  private mutating func mountsInLine(
    from start: Slot<Chain>, isDown: Bool, seeking goal: Slot<Chain>?, for connection: Slot<Connection>,
    looked: inout Int
  ) throws(Fault) -> Int {
    mountSearches += 1
    chains[start].search = (mountSearches, 0)
    var path = [(chain: start, next: 0)]
    while let (chain, next) = path.last {
      guard next < (isDown ? chains[chain].mounts.count : chains[chain].mountedAt.count) else {
        path.removeLast()
        if let before = path.last?.chain { extendReach(of: before, by: chain) }
        continue
      }
      path[path.count - 1].next += 1
      looked += 1
      spent &+= Cost.look
      if looked > settings.maxMountSearch { throw searchTooLong(looked) }
      let link = isDown ? chains[chain].mounts[next] : chains[chain].mountedAt[next]
      let other = isDown ? links[link].mounted : links[link].chain
      if other == goal {
        let between = path.dropFirst().map { maySee($0.chain, connection) ? chains[$0.chain].name.string : "…" }
        let (outer, inner) = (chains[other].name.string, chains[start].name.string)
        throw circleFault([outer, inner] + between + [outer])
      }
      if chains[other].search.number == mountSearches {
        extendReach(of: chain, by: other)
      } else {
        chains[other].search = (mountSearches, 0)
        path.append((other, 0))
      }
    }
    return chains[start].search.reach
  }

  /// A mount leads from one chain to another, from which on the search is done.
  private mutating func extendReach(of chain: Slot<Chain>, by other: Slot<Chain>) {
    chains[chain].search.reach = max(chains[chain].search.reach, chains[other].search.reach + 1)
  }

  private mutating func circleFault(_ names: [String]) -> Fault {
    Fault(
      .mountCycle,
      "the mount would make a circle: \(names.joined(separator: " → ")); a chain cannot lead back to itself")
  }

  private mutating func searchTooLong(_ looked: Int) -> Fault {
    Fault(
      .limitReached,
      "the mount of the chain \"\(request.text(.on).string)\" in \"\(request.chainName().string)\" would need a look "
        + "at \(looked) mounts or more, and \(settings.maxMountSearch) are allowed (max_mount_search); unmount some")
  }
}
