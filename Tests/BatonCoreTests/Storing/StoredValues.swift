@testable import BatonCore

/// What was done to values, and what must be there after a crash.
struct StoredValues {
  private struct Change {
    var number: Int
    var isRemoval: Bool
  }

  /// The changes of each topic since the last that is known to have been on disk; that one is the first.
  private var changes: [String: [Change]] = [:]
  /// The number of the latest change of all.
  private(set) var latest = 0

  /// A topic is changed now. Returns the number of the change, which is the value.
  mutating func begin(_ topic: String, isRemoval: Bool) -> Int {
    latest += 1
    changes[topic, default: [Change(number: 0, isRemoval: true)]].append(
      Change(number: latest, isRemoval: isRemoval))
    return latest
  }

  /// The sender of a change was told that it is on disk.
  mutating func confirm(_ number: Int, onDisk disk: DiskImage) throws {
    for (topic, all) in changes {
      guard let place = all.firstIndex(where: { $0.number == number }) else { continue }
      changes[topic] = Array(all[place...])
      let value = disk.values[Array(topic.utf8)].map { String(decoding: $0.publication.payload, as: UTF8.self) }
      guard StoredValues.place(of: value.flatMap { Int($0) }, in: all[place...]) != nil else {
        throw StoredViolation(what: "ok for \(number) of \(topic), and on disk is \(value ?? "nothing")")
      }
      return
    }
  }

  /// After a start, these values are there.
  mutating func check(after values: [(topic: String, number: Int)], goingOnFrom latest: Int) throws {
    self.latest = latest
    if values.map(\.number) != values.map(\.number).sorted() {
      throw StoredViolation(what: "values in another order: \(values)")
    }
    for (topic, all) in changes {
      let value = values.first { $0.topic == topic }?.number
      guard let place = StoredValues.place(of: value, in: all[...]) else {
        throw StoredViolation(what: "\(topic) is \(value.map(String.init) ?? "nothing") after a start: \(all)")
      }
      changes[topic] = [all[place]]
    }
    for (topic, _) in values where changes[topic] == nil { throw StoredViolation(what: "\(topic) was never set") }
  }

  private static func place(of value: Int?, in changes: ArraySlice<Change>) -> Int? {
    changes.firstIndex { value == nil ? $0.isRemoval : $0.number == value && !$0.isRemoval }
  }
}
