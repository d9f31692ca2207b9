/// Counts the walks in a chain by the version at which they entered it, so that the chain knows how far back one of
/// them still looks. A snapshot costs nothing more: links carry the versions of their birth and their end.
struct Snapshots {
  private var versions: [(version: Int, walks: Int)] = []
  /// How many were dropped at the front: walks name a snapshot by its number since the start.
  private var dropped = 0
  private var head = 0
  private(set) var walks = 0

  /// The version that the oldest walk entered at; nil without walks.
  var oldest: Int? { walks == 0 ? nil : versions[head].version }

  /// Counts a walk in, and returns the snapshot's number.
  mutating func enter(version: Int) -> Int {
    if walks == 0 {
      if versions.last?.version == version {
        // Those before are left over; the oldest is the one that begins to count again.
        head = versions.count - 1
      } else {
        dropped += versions.count
        versions.removeAll(keepingCapacity: true)
        head = 0
      }
    }
    walks += 1
    if versions.last?.version != version { versions.append((version, 0)) }
    versions[versions.count - 1].walks += 1
    return dropped + versions.count - 1
  }

  /// Counts a walk out. True when the oldest version has changed.
  mutating func leave(_ snapshot: Int) -> Bool {
    walks -= 1
    versions[snapshot - dropped].walks -= 1
    guard snapshot - dropped == head, versions[head].walks == 0 else { return false }
    if walks == 0 { return true }
    while versions[head].walks == 0 { head += 1 }
    if head > 32, head * 2 > versions.count {
      versions.removeFirst(head)
      dropped += head
      head = 0
    }
    return true
  }
}
