/// Counts the walks in a chain by the version at which they entered it. It knows versions only, no walks. The oldest
/// version tells which ended links the chain still needs. Links are not copied for this: each has the versions of its
/// insert and its end.
///
/// It never holds more than twice as many versions as there are walks, and some more: when more than half of them have
/// no walks, all of these are dropped. That costs each of them two steps.
struct VersionCounts {
  private typealias Count = (version: Int, walks: Int)
  /// The version at which walks enter now.
  private var newest: Count = (-1, 0)
  /// The versions before it, the oldest first. The first one has walks.
  private var older: [Count] = []
  /// The index in `older` of the first version that is not dropped.
  private var first = 0
  /// The number of versions from `first` on that have no walks.
  private var empty = 0
  /// As many versions without walks are always allowed.
  private static let few = 32
  /// The number of all walks in the chain.
  private(set) var count = 0

  /// The version at which the oldest walk entered; nil without walks.
  var oldest: Int? {
    if first < older.count { return older[first].version }
    return newest.walks > 0 ? newest.version : nil
  }

  /// Counts a walk that enters. Versions never go back.
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

  /// Counts a walk more at a version at which another one entered that is still there.
  mutating func enterAgain(version: Int) {
    count += 1
    if version == newest.version { newest.walks += 1 } else { older[index(of: version)].walks += 1 }
  }

  /// Counts a walk that leaves and that entered at `version`. Returns true if it was the last walk of the oldest
  /// version.
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
    guard older[index].walks == 0 else { return false }
    empty += 1
    if index == first {
      forgetFirst()
      return true
    }
    if empty > VersionCounts.few, empty * 2 > older.count - first { forgetEmpty() }
    return false
  }

  /// Drops versions from the front on, up to the first that has walks.
  private mutating func forgetFirst() {
    while first < older.count, older[first].walks == 0 {
      first += 1
      empty -= 1
    }
    if first == older.count || (first > 2 * VersionCounts.few && first * 2 >= older.count) {
      older = Array(older[first...])
      first = 0
    }
  }

  /// Drops all versions without walks.
  private mutating func forgetEmpty() {
    older = older[first...].filter { $0.walks > 0 }
    first = 0
    empty = 0
  }

  /// The number of versions that are held, for tests.
  var versions: Int { older.count + 1 }

  private func index(of version: Int) -> Int {
    var (low, high) = (first, older.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if older[middle].version < version { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
