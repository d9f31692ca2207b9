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
}
