import BatonCore
import Foundation
import ProgramKit
import Testing

@testable import BatonServer

/// The limits on what all peers take together follow from the memory that there is (Docs/settings.md, "How much memory
/// the limits allow").
@Suite struct MemoryRoomTests {
  /// What all total limits stand for together.
  private func sum(_ settings: Settings) -> Int {
    Settings.totals.reduce(0) { $0 + settings[keyPath: $1.path] * $1.bytesEach }
  }

  private func lowered(_ room: MemoryRoom, _ settings: Settings = Settings(), except given: Set<String> = [])
    -> Settings
  {
    var settings = settings
    room.lower(&settings, except: given)
    return settings
  }

  @Test func whereThereIsEnoughNothingChanges() {
    let settings = Settings()
    let enough = 2 * sum(settings)
    for room in [MemoryRoom(), MemoryRoom(controlGroup: enough), MemoryRoom(addressSpace: enough, machine: 1 << 50)] {
      let lowered = lowered(room)
      for total in Settings.totals { #expect(lowered[keyPath: total.path] == settings[keyPath: total.path]) }
      #expect(lowered.process.limitsLoweredBy == nil)
    }
  }

  @Test(arguments: [
    (MemoryRoom(controlGroup: 600 << 20, addressSpace: 700 << 20, machine: 1 << 40), ShortMemory.cgroup),
    (MemoryRoom(controlGroup: 700 << 20, addressSpace: 600 << 20), .addressSpace),
    (MemoryRoom(addressSpace: 700 << 20, machine: 600 << 20), .memory),
  ])
  func halfOfTheSmallestIsShared(room: MemoryRoom, short: ShortMemory) {
    let (settings, lowered) = (Settings(), lowered(room))
    #expect(lowered.process.limitsLoweredBy == short)
    let half = 300 << 20
    #expect(sum(lowered) <= half && sum(lowered) > half - 10_000)
    let part = Double(half) / Double(sum(settings))
    for total in Settings.totals {
      let wanted = Double(settings[keyPath: total.path]) * part
      #expect(abs(Double(lowered[keyPath: total.path]) - wanted) < 1, "\(total.name)")
    }
  }

  @Test func whatTheOperatorHasChosenStays() {
    let room = MemoryRoom(addressSpace: 600 << 20)
    var chosen = Settings()
    chosen.maxTotalBytes = 5 << 30
    let lowered = lowered(room, chosen, except: ["max_total_bytes", "max_line"])
    #expect(lowered.maxTotalBytes == 5 << 30)
    // The others share the half.
    #expect(sum(lowered) - 5 << 30 <= 300 << 20)
    #expect(lowered.maxTotalUnsentBytes > 100 << 20)
    #expect(lowered.process.limitsLoweredBy == .addressSpace)
    let all = Set(Settings.totals.map(\.name))
    #expect(self.lowered(room, except: all).process.limitsLoweredBy == nil)
  }

  @Test func somethingIsAlwaysAllowed() {
    let (settings, lowered) = (Settings(), lowered(MemoryRoom(addressSpace: 0)))
    for total in Settings.totals {
      #expect(lowered[keyPath: total.path] == settings[keyPath: total.path] / 1024, "\(total.name)")
    }
  }

  /// Every name is a setting, with the same property.
  @Test func totalsAreSettings() {
    for total in Settings.totals {
      #expect(Settings.table.first { $0.name == total.name }?.path == total.path, "\(total.name)")
    }
  }

  // MARK: Control groups

  @Test(arguments: [
    // Version 2: of the group and the groups around it the one that leaves least.
    (
      "0::/a/b\n",
      [
        "/sys/fs/cgroup/a/b": ("memory.max", "max\n", "memory.current", "5\n", ""),
        "/sys/fs/cgroup/a": ("memory.max", "9000\n", "memory.current", "5000\n", "anon 1\ninactive_file 1000\n"),
      ], 5000
    ),
    // In a container the path that the kernel tells may not be there.
    (
      "0::/docker/1\n", ["/sys/fs/cgroup": ("memory.max", "9000", "memory.current", "10000", "")], 0
    ),
    // Version 1.
    (
      "5:cpu,memory:/x\n0::/\n",
      [
        "/sys/fs/cgroup/memory/x": (
          "memory.limit_in_bytes", "7000\n", "memory.usage_in_bytes", "3000\n", "total_inactive_file 500\n"
        )
      ], 4500
    ),
    (
      "5:memory:/\n",
      [
        "/sys/fs/cgroup/memory": (
          "memory.limit_in_bytes", "9223372036854771712\n", "memory.usage_in_bytes", "3000\n", ""
        )
      ], nil
    ),
    ("", [:], nil),
  ])
  func whatAControlGroupLeaves(
    groups: String, files: [String: (String, String, String, String, String)], left: Int?
  ) throws {
    let root = freshPath()
    defer { try? FileManager.default.removeItem(atPath: root) }
    func write(_ text: String, to name: String, in directory: String) throws {
      try FileManager.default.createDirectory(atPath: root + directory, withIntermediateDirectories: true)
      try text.write(toFile: root + directory + "/" + name, atomically: false, encoding: .utf8)
    }
    try write(groups, to: "cgroup", in: "/proc/self")
    for (directory, file) in files {
      try write(file.1, to: file.0, in: directory)
      try write(file.3, to: file.2, in: directory)
      if !file.4.isEmpty { try write(file.4, to: "memory.stat", in: directory) }
    }
    #expect(ControlGroup(root: root).memoryLeft == left)
  }
}
