/// Counts the walks in a chain by the version at which they entered it, so that the chain knows how far back one of
/// them still looks. Nothing is copied for them: links carry the versions of their birth and their end.
struct VersionCounts {
  private typealias Count = (version: Int, walks: Int)
  /// The version that walks enter at now.
  private var newest: Count = (-1, 0)
  /// Those before it, the oldest first; those without walks are dropped once they are the first.
  private var older: [Count] = []
  /// Where the older ones begin that are not dropped.
  private var first = 0
  /// All walks in the chain.
  private(set) var count = 0

  /// The version that the oldest walk entered at; nil without walks.
  var oldest: Int? {
    if first < older.count { return older[first].version }
    return newest.walks > 0 ? newest.version : nil
  }

  /// Counts a walk in. Versions never go back.
  @inline(__always)
  mutating func enter(version: Int) {
    count += 1
    if version == newest.version { newest.walks += 1 } else { enterNewer(version) }
  }

  @inline(never)
  private mutating func enterNewer(_ version: Int) {
    if newest.walks > 0 { older.append(newest) }
    newest = (version, 1)
  }

  /// Counts a walk out that entered at `version`. True when it was the last of the oldest ones.
  @inline(__always)
  mutating func leave(version: Int) -> Bool {
    count -= 1
    guard version == newest.version else { return leaveOlder(version) }
    newest.walks -= 1
    return newest.walks == 0 && first == older.count
  }

  @inline(never)
  private mutating func leaveOlder(_ version: Int) -> Bool {
    let index = index(of: version)
    older[index].walks -= 1
    guard index == first, older[index].walks == 0 else { return false }
    while first < older.count, older[first].walks == 0 { first += 1 }
    if first == older.count || (first > 64 && first * 2 >= older.count) {
      older.removeFirst(first)
      first = 0
    }
    return true
  }

  private func index(of version: Int) -> Int {
    var (low, high) = (first, older.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if older[middle].version < version { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
