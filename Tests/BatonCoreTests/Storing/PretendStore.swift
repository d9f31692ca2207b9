import BatonLasting

@testable import BatonCore

/// A fault between the router and a pretend store, or in what a start makes of it. Each must be found.
enum StorePlant: String, CaseIterable {
  /// A copy that was restored passes for the store that was written last.
  case epochKept
  /// The mark changes at each start, and not with each reserve: a copy of the same life passes.
  case markOnlyAtStart
  /// After an unclean stop numbers go on behind the last event on disk.
  case seqTwice
  /// The store does not note what is reserved.
  case reserveLost
  /// A listener is not told of a hole.
  case holeUntold
  /// An event comes once more.
  case eventTwice
  /// The store answers before it has written.
  case okEarly
  /// A commit that has failed passes for one that has not.
  case failureHidden
  /// Events that were dropped stay on disk.
  case dropLost
  /// Values that were taken away stay on disk.
  case removalLost
  /// The first value of a topic stays on disk.
  case oldValueWins
  /// Values come back in another order.
  case orderLost
  /// What a failed commit had is not written again.
  case failedForgotten
}

/// A pretend disk: what is on it, and nothing that waits.
struct DiskImage {
  struct Value {
    var publication: Publication
    var change: UInt64
  }

  var values: [[UInt8]: Value] = [:]
  var events: [UInt64: Publication] = [:]
  /// The last number that may have been used.
  var top: UInt64 = 0
  var epoch = ""
  /// What is beside the file, too, if this is the file that was written last.
  var mark = 0

  mutating func apply(_ change: PublicationChange, _ plant: StorePlant?) {
    switch change {
    case .setValue(let publication, let change):
      if plant == .oldValueWins, values[publication.topic] != nil { return }
      values[publication.topic] = Value(
        publication: publication, change: plant == .orderLost ? change ^ 0xFFFF : change)
    case .removeValue(let topic): if plant != .removalLost { values[topic] = nil }
    case .addEvent(let publication): events[publication.seq] = publication
    case .removeEvents(let numbers):
      if plant == .dropLost { return }
      for seq in numbers { events[seq] = nil }
    case .reserve(let seq): if plant != .reserveLost { top = seq }
    case .end(let seq): top = seq
    }
  }
}

/// The store of a world: a disk, what it was given and has not written, and copies that an operator made.
struct PretendStore {
  var disk = DiskImage()
  /// The mark beside the file.
  var markBeside = 0
  var pending: [PublicationChange] = []
  var plant: StorePlant?
  private var marks = 0

  /// A start: says under which epoch the numbers go on.
  mutating func open() {
    pending = []
    if disk.mark != markBeside && plant != .epochKept || disk.epoch.isEmpty { disk.epoch = "e\(marks)" }
    renewMark()
  }

  private mutating func renewMark() {
    marks += 1
    (disk.mark, markBeside) = (marks, marks)
  }

  /// Writes the oldest so many changes that wait.
  mutating func commit(_ count: Int) {
    for change in pending.prefix(count) {
      disk.apply(change, plant)
      if case .reserve = change, plant != .markOnlyAtStart { renewMark() }
    }
    pending.removeFirst(min(count, pending.count))
  }

  /// Gives the oldest so many changes up.
  mutating func fail(_ count: Int) { pending.removeFirst(min(count, pending.count)) }
}
