/// First in, first out, on one array. Taken elements stay at the front until they are the larger part of it.
struct Queue<Element> {
  private var storage: [Element] = []
  private var head = 0

  var count: Int { storage.count - head }
  var isEmpty: Bool { head == storage.count }
  var first: Element? { isEmpty ? nil : storage[head] }

  /// The elements that wait, oldest first.
  var waiting: ArraySlice<Element> { storage[head...] }

  mutating func append(_ element: Element) { storage.append(element) }

  mutating func append(contentsOf elements: some Sequence<Element>) { storage.append(contentsOf: elements) }

  /// Takes the first `count` elements off.
  mutating func drop(_ count: Int) {
    precondition(count <= self.count)
    head += count
    if head == storage.count {
      storage.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64, head > storage.count / 2 {
      storage.removeSubrange(..<head)
      head = 0
    }
  }

  mutating func popFirst() -> Element? {
    guard let element = first else { return nil }
    drop(1)
    return element
  }

  mutating func removeAll() {
    storage.removeAll(keepingCapacity: true)
    head = 0
  }
}
