/// What comes, the earliest first; of two at one time the one that was added first.
package struct StepQueue<Step> {
  private var heap: [(at: Int64, number: UInt64, step: Step)] = []
  private var added: UInt64 = 0

  package init() {}

  package mutating func add(_ step: Step, at time: Int64) {
    added += 1
    heap.append((time, added, step))
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// When the next one comes; nil: there is none.
  package var nextTime: Int64? { heap.first?.at }

  package mutating func next() -> (Int64, Step)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return (first.at, first.step) }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) { least = child }
      if least == parent { break }
      heap.swapAt(parent, least)
      parent = least
    }
    return (first.at, first.step)
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (heap[one].at, heap[one].number) < (heap[other].at, heap[other].number)
  }
}
