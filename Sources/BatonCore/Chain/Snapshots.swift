/// Counts the walks in a chain by the version at which they entered it, so that the chain knows how far back one of
/// them still looks. A snapshot costs nothing more: links carry the versions of their birth and their end.
struct Snapshots {
  /// By version, the oldest first; those without walks are dropped once they are the most.
  private var versions: [(version: Int, walks: Int)] = []
  private var empty = 0
  private(set) var walks = 0

  /// The version that the oldest walk entered at; nil without walks.
  var oldest: Int? { versions.first { $0.walks > 0 }?.version }

  /// Counts a walk in. Versions never go back.
  mutating func enter(version: Int) {
    walks += 1
    if let last = versions.indices.last, versions[last].version == version {
      if versions[last].walks == 0 { empty -= 1 }
      versions[last].walks += 1
    } else {
      versions.append((version, 1))
    }
  }

  /// Counts a walk out that entered at `version`. True when it was the last of the oldest ones.
  mutating func leave(version: Int) -> Bool {
    walks -= 1
    let index = index(of: version)
    versions[index].walks -= 1
    guard versions[index].walks == 0 else { return false }
    empty += 1
    let wasOldest = walks == 0 || versions[..<index].allSatisfy { $0.walks == 0 }
    // The newest stays: the next walk most likely enters at the same version.
    if versions.count > 1, empty * 2 >= versions.count {
      let newest = versions[versions.count - 1]
      versions.removeAll { $0.walks == 0 }
      if newest.walks == 0 { versions.append(newest) }
      empty = newest.walks == 0 ? 1 : 0
    }
    return wasOldest
  }

  private func index(of version: Int) -> Int {
    var (low, high) = (0, versions.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if versions[middle].version < version { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
