/// What Linux says of the control groups of this process, version 1 and version 2.
struct ControlGroup {
  /// The least memory that a group of the process leaves, in bytes; nil if no group limits it.
  var memoryLeft: Int? {
    var least: Int?
    for line in SystemFile.text(root + "/proc/self/cgroup")?.split(separator: "\n") ?? [] {
      // Number, controllers, path. In version 2 there are no controllers.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let kind: Kind
      if parts[1].isEmpty {
        kind = .second
      } else if parts[1].split(separator: ",").contains("memory") {
        kind = .first
      } else {
        continue
      }
      for place in ControlGroup.places(of: parts[2]) {
        if let left = left(in: root + kind.mount + place, kind) { least = min(least ?? left, left) }
      }
    }
    return least
  }

  /// What stands before the paths; tests have a tree of files of their own.
  let root: String

  init(root: String = "") { self.root = root }

  /// The names of the files, of which the versions have different ones.
  private struct Kind {
    let mount, limit, usage, reclaimable: String

    static let first = Kind(
      mount: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes",
      reclaimable: "total_inactive_file")
    static let second = Kind(
      mount: "/sys/fs/cgroup", limit: "memory.max", usage: "memory.current", reclaimable: "inactive_file")
  }

  /// The group and all groups around it, up to the mount. In a container the mount may be the process's own group,
  /// whatever path the kernel tells.
  private static func places(of path: Substring) -> [String] {
    var places = [""]
    for name in path.split(separator: "/") { places.append(places[places.count - 1] + "/" + name) }
    return places
  }

  private func left(in directory: String, _ kind: Kind) -> Int? {
    // The limit is `max` if there is none in version 2, and nearly the largest number in version 1.
    guard let limit = SystemFile.number(directory + "/" + kind.limit), limit < 1 << 60,
      let usage = SystemFile.number(directory + "/" + kind.usage)
    else { return nil }
    return max(limit - max(usage - reclaimable(in: directory, kind), 0), 0)
  }

  /// Pages of files that nobody has read for a while: the kernel drops them when memory is short.
  private func reclaimable(in directory: String, _ kind: Kind) -> Int {
    let lines = SystemFile.text(directory + "/memory.stat")?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix(kind.reclaimable + " ") }
    return line.flatMap { Int($0.dropFirst(kind.reclaimable.count + 1)) } ?? 0
  }
}
