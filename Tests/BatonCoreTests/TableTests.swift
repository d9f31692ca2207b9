import FuzzKit
import Testing

@testable import BatonCore

/// Elements in places that are used again.
@Suite struct TableTests {
  /// Counts how many of these objects are alive.
  private final class Witness {
    let count: UnsafeMutablePointer<Int>
    init(_ count: UnsafeMutablePointer<Int>) {
      self.count = count
      count.pointee += 1
    }
    deinit { count.pointee -= 1 }
  }

  @Test func anOldNameNeverMeetsANewElement() {
    var table = Table<Int>()
    let first = table.insert(1)
    let old = table.ref(first)
    table.remove(first)
    let second = table.insert(2)
    let new = table.ref(second)
    let (knowsOld, knowsNew, knowsNone) = (table.contains(old), table.contains(new), table.contains(.none))
    #expect(first == second, "the place is used again")
    #expect(old != new && !knowsOld && knowsNew && !knowsNone)
  }

  @Test func elementsEndOnceEach() {
    let alive = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    alive.initialize(to: 0)
    defer { alive.deallocate() }
    do {
      var table = Table<Witness>()
      for _ in 0..<10 { _ = table.insert(Witness(alive)) }
      for index in [Slot<Witness>(3), 9, 0] { table.remove(index) }
      #expect(alive.pointee == 7)
      _ = table.insert(Witness(alive))
      #expect(alive.pointee == 8)
      let count = table.count
      #expect(count == 8)
    }
    #expect(alive.pointee == 0)
  }

  @Test func keepsWhatADictionaryKeeps() {
    var generator = SeededGenerator(seed: 1)
    var table = Table<UInt64>()
    var model: [Slot<UInt64>: UInt64] = [:]
    for step in 0..<5000 {
      if model.isEmpty || UInt64.random(in: 0..<5, using: &generator) < (step < 2500 ? 3 : 2) {
        let value = generator.next()
        model[table.insert(value)] = value
      } else if let index = model.keys.sorted().randomElement(using: &generator) {
        table.remove(index)
        model[index] = nil
      }
    }
    var there: [Slot<UInt64>: UInt64] = [:]
    for index in table.slots where table.isTaken(index) { there[index] = table[index] }
    let count = table.count
    #expect(there == model && count == model.count && model.count > 100)
  }

  private func address(of slot: Slot<UInt64>, in table: inout Table<UInt64>) -> UnsafeMutablePointer<UInt64> {
    withUnsafeMutablePointer(to: &table[slot]) { $0 }
  }

  /// Storms come and go. The elements that stay keep their addresses, and no ref of an old element is valid again.
  @Test(arguments: [UInt64(1), 2, 3])
  func growsAndShrinksUnderElementsThatStay(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = Table<UInt64>()
    var staying: [Slot<UInt64>: UInt64] = [:]
    var addresses: [Slot<UInt64>: UnsafeMutablePointer<UInt64>] = [:]
    var gone: [Ref<UInt64>] = []
    for storm in [300, 20_000, 70, 5000, 40_000, 10] {
      var passing: [Slot<UInt64>] = []
      for number in 0..<storm {
        let value = generator.next()
        let slot = table.insert(value)
        if number % 997 == 0 {
          staying[slot] = value
          addresses[slot] = address(of: slot, in: &table)
        } else {
          passing.append(slot)
        }
      }
      passing.shuffle(using: &generator)
      for slot in passing {
        if slot.index % 31 == 0 { gone.append(table.ref(slot)) }
        table.remove(slot)
      }
      let there = table.slots.filter { table.isTaken($0) }
      let values = there.map { table[$0] }
      #expect(there == staying.keys.sorted() && values == there.map { staying[$0] })
      for slot in there {
        let now = address(of: slot, in: &table)
        #expect(now == addresses[slot])
      }
      let returned = gone.filter { table.contains($0) }
      #expect(returned.isEmpty)
    }
    let count = table.count
    #expect(count == staying.count)
  }

  /// All memory but that of some pieces goes back, and so does the directory. Old refs stay invalid.
  @Test(.enabled(if: Spare.isKept)) func anEmptyTableIsSmall() {
    var table = Table<UInt64>()
    var refs: [Ref<UInt64>] = []
    for round in 0..<4 {
      let slots = (0..<50_000).map { table.insert(UInt64($0)) }
      let (extent, again) = (table.extent, refs.filter { table.contains($0) })
      #expect(extent <= 50_000 + 63 && again.isEmpty, "round \(round)")
      refs += slots.map { table.ref($0) }
      for slot in round == 1 ? slots.reversed() : slots { table.remove(slot) }
      // One call removes a bounded number of pieces.
      for number in 0..<8 { table.remove(table.insert(UInt64(number))) }
      let (left, old) = (table.extent, refs.filter { table.contains($0) })
      #expect(left <= 64 * UInt32(Piece.keptEmpty + 2) && old.isEmpty, "round \(round)")
    }
  }

  /// No insert and no remove moves more than one step of the directory.
  @Test func theDirectoryMovesInSteps() {
    var table = Table<UInt64>()
    var slots: [Slot<UInt64>] = []
    var (before, moves, most) = (table.directoryMove, 0, 0)
    func look() {
      let now = table.directoryMove
      // The last step replaces the directory at once, so that it is not seen here.
      if now.capacity == before.capacity { most = max(most, now.done - before.done) }
      if now.capacity != before.capacity, now.capacity > 0 { moves += 1 }
      before = now
    }
    for number in 0..<100_000 {
      slots.append(table.insert(UInt64(number)))
      look()
    }
    let growing = moves
    while let slot = slots.popLast() {
      table.remove(slot)
      look()
    }
    #expect(growing >= 8 && moves > growing && most == DirectoryMove.step)
  }

  @Test func theSameCallsGiveTheSameSlots() {
    func life() -> [Slot<UInt64>] {
      var generator = SeededGenerator(seed: 9)
      var table = Table<UInt64>()
      var (given, there): ([Slot<UInt64>], [Slot<UInt64>]) = ([], [])
      for step in 0..<20_000 {
        if there.isEmpty || Int.random(in: 0..<10, using: &generator) < (step / 4000 % 2 == 0 ? 7 : 3) {
          given.append(table.insert(1))
          there.append(given[given.count - 1])
        } else {
          table.remove(there.remove(at: Int.random(in: there.indices, using: &generator)))
        }
      }
      return given
    }
    #expect(life() == life())
  }

  /// Elements end once each, also if pieces were given back, and also if the table ends while its directory moves.
  @Test func elementsOfALargeTableEndOnceEach() {
    let alive = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    alive.initialize(to: 0)
    defer { alive.deallocate() }
    for size in [1, 64, 65, 1000, 4096 + 65, 10_000] {
      do {
        var table = Table<Witness>()
        let slots = (0..<size).map { _ in table.insert(Witness(alive)) }
        #expect(alive.pointee == size)
        for slot in slots where slot.index / 64 % 2 == 0 || slot.index % 5 == 0 { table.remove(slot) }
        let count = table.count
        #expect(alive.pointee == count)
      }
      #expect(alive.pointee == 0, "\(size)")
    }
  }
}
