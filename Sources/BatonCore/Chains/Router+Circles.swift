/// Mounts must not lead from a chain back to itself (contract, section 5, `mount_cycle`).
extension Router {
  /// The chains on a path of mounts from `start` to `goal`; nil if there is no path.
  private mutating func findPath(from start: Slot<Chain>, to goal: Slot<Chain>) -> [Slot<Chain>]? {
    var cameFrom: [Slot<Chain>: Slot<Chain>] = [start: start]
    var front = [start]
    while let chain = front.popLast() {
      if chain == goal {
        var path = [goal]
        while let last = path.last, last != start, let before = cameFrom[last] { path.append(before) }
        return path.reversed()
      }
      for link in chains[chain].mounts where cameFrom[links[link].mounted] == nil {
        cameFrom[links[link].mounted] = chain
        front.append(links[link].mounted)
      }
    }
    return nil
  }

  /// Refuses a mount that would make a circle of chains, and names the chains in it.
  mutating func refuseCircle(_ outer: borrowing OwnedBytes, _ inner: borrowing OwnedBytes) throws(Fault) {
    var path: [String]?
    if outer.bytes.equals(inner.bytes) {
      path = [outer.string]
    } else if let from = findChain(inner.bytes), let to = findChain(outer.bytes) {
      path = findPath(from: from, to: to)?.map { chains[$0].name.string }
    }
    guard let path else { return }
    throw Fault(
      .mountCycle,
      "the mount would make a circle: \(([outer.string] + path).joined(separator: " → ")); "
        + "a chain cannot lead back to itself"
    )
  }
}
