/// Elements in places that have numbers. It grows by a chunk, so that no call copies what is there already; a place that
/// was given back is the next one to be taken.
struct Pool<Element> {
  /// Elements of a chunk; a power of two.
  private static var chunkShift: Int { 9 }
  private var chunks: ContiguousArray<ContiguousArray<Element>> = []
  private var free: Stack = Stack()
  private var end: UInt32 = 0
  /// How many places are taken.
  private(set) var count = 0

  /// Puts the element into a free place.
  mutating func add(_ element: Element) -> UInt32 {
    count += 1
    if let place = free.pop() {
      self[place] = element
      return place
    }
    let place = end
    end += 1
    if Int(place) >> Self.chunkShift == chunks.count {
      var chunk: ContiguousArray<Element> = []
      chunk.reserveCapacity(1 << Self.chunkShift)
      chunks.append(chunk)
    }
    chunks[Int(place) >> Self.chunkShift].append(element)
    return place
  }

  /// Gives the place back. `blank` takes its place in memory, so that nothing of the element stays.
  mutating func remove(_ place: UInt32, blank: Element) {
    self[place] = blank
    free.push(place)
    count -= 1
  }

  subscript(place: UInt32) -> Element {
    get { chunks[Int(place) >> Self.chunkShift][Int(place) & ((1 << Self.chunkShift) - 1)] }
    _modify { yield &chunks[Int(place) >> Self.chunkShift][Int(place) & ((1 << Self.chunkShift) - 1)] }
  }
}

/// Numbers of free places, in chunks.
private struct Stack {
  private static let chunkCount = 1024
  private var chunks: ContiguousArray<ContiguousArray<UInt32>> = []

  mutating func push(_ number: UInt32) {
    if chunks.last.map({ $0.count == Self.chunkCount }) ?? true { chunks.append([]) }
    chunks[chunks.count - 1].append(number)
  }

  mutating func pop() -> UInt32? {
    guard let last = chunks.indices.last else { return nil }
    let number = chunks[last].popLast()
    if chunks[last].isEmpty { chunks.removeLast() }
    return number
  }
}
