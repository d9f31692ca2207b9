/// The first ones, in their order, of all elements that were offered: at most `most` of them. An offer costs a few steps,
/// also with the largest number.
struct FirstOnes<Element: Comparable> {
  private let most: Int
  /// A heap: the last one in the order is at the front, because it has to go first.
  private var heap: [Element] = []

  init(most: Int) { self.most = most }

  /// The elements in their order.
  var sorted: [Element] { heap.sorted() }

  /// Keeps the element if it is one of the first.
  mutating func offer(_ element: Element) {
    if heap.count < most {
      heap.append(element)
      var at = heap.count - 1
      while at > 0, heap[(at - 1) / 2] < heap[at] {
        heap.swapAt(at, (at - 1) / 2)
        at = (at - 1) / 2
      }
    } else if let last = heap.first, element < last {
      heap[0] = element
      sink()
    }
  }

  private mutating func sink() {
    var at = 0
    while true {
      var largest = at
      for child in [2 * at + 1, 2 * at + 2] where child < heap.count && heap[largest] < heap[child] { largest = child }
      if largest == at { return }
      heap.swapAt(at, largest)
      at = largest
    }
  }
}
