import FuzzKit
import Testing

@testable import BatonCore

/// Elements that wait in a row.
@Suite struct QueueTests {
  @Test func theFirstInIsTheFirstOut() {
    var queue = Queue<Int>()
    let nothing = (queue.first, queue.popFirst(), queue.isEmpty)
    for number in 0..<1000 { queue.append(number) }
    let (first, count) = (queue.first, queue.count)
    var out: [Int] = []
    while let number = queue.popFirst() { out.append(number) }
    let isEmpty = queue.isEmpty
    #expect(nothing.0 == nil && nothing.1 == nil && nothing.2)
    #expect(first == 0 && count == 1000 && out == Array(0..<1000) && isEmpty)
  }

  /// Its length goes up and down, over the borders of pieces, and it is emptied at every position of a piece.
  @Test(arguments: [UInt64(1), 2, 3])
  func keepsWhatAnArrayKeeps(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = Queue<UInt64>()
    var model: [UInt64] = []
    var (high, steps) = (0, 0)
    while steps < 20_000 {
      steps += 1
      if steps % 500 == 0 { high = Int.random(in: 0..<4, using: &generator) * 100 }
      if model.count < high || Bool.random(using: &generator) {
        let value = generator.next()
        queue.append(value)
        model.append(value)
      } else {
        let (expected, value) = (model.isEmpty ? nil : model.removeFirst(), queue.popFirst())
        #expect(value == expected)
      }
      let (first, count) = (queue.first, queue.count)
      #expect(first == model.first && count == model.count, "step \(steps)")
    }
  }

  /// Queues end with elements in one piece, in several, and in none.
  @Test func endsWithWhateverIsInIt() {
    for count in [0, 1, 64, 65, 200] {
      for gone in [0, 1, 64, 100, 200] where gone <= count {
        var queue = Queue<Ref<Int>>()
        for _ in 0..<count { queue.append(.none) }
        for _ in 0..<gone { _ = queue.popFirst() }
        let left = queue.count
        #expect(left == count - gone)
      }
    }
  }
}
