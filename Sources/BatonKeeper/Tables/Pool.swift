/// Elements in places that have numbers. It grows by a chunk, so that no call copies what is there already; a place that
/// was given back is the next one to be taken.
///
/// Its memory has one owner, and an element's address does not change. In arrays, each change of an element would first look
/// whether somebody else has them, too.
struct Pool<Element>: ~Copyable {
  /// Elements of a chunk; a power of two.
  private static var chunkShift: Int { 9 }
  private var chunks: ContiguousArray<UnsafeMutablePointer<Element>> = []
  private var free: Stack = Stack()
  /// Places below this one have an element, also those that were given back.
  private var end: UInt32 = 0
  /// How many places are taken.
  private(set) var count = 0

  init() {}

  deinit {
    for (number, chunk) in chunks.enumerated() {
      chunk.deinitialize(count: min(1 << Self.chunkShift, Int(end) - number << Self.chunkShift))
      chunk.deallocate()
    }
  }

  /// Puts the element into a free place.
  mutating func add(_ element: consuming Element) -> UInt32 {
    count += 1
    if let place = free.pop() {
      self[place] = element
      return place
    }
    let place = end
    end += 1
    if Int(place) >> Self.chunkShift == chunks.count { chunks.append(.allocate(capacity: 1 << Self.chunkShift)) }
    address(of: place).initialize(to: element)
    return place
  }

  /// Gives the place back, and the element. `blank` takes its place in memory, so that nothing of the element stays.
  @discardableResult
  mutating func remove(_ place: UInt32, blank: Element) -> Element {
    var element = blank
    swap(&element, &self[place])
    free.push(place)
    count -= 1
    return element
  }

  subscript(place: UInt32) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: place)) }
    @inline(__always) unsafeMutableAddress { address(of: place) }
  }

  @inline(__always)
  private func address(of place: UInt32) -> UnsafeMutablePointer<Element> {
    precondition(place < end, "nothing is in this place")
    return chunks[Int(place) >> Self.chunkShift] + Int(place) & ((1 << Self.chunkShift) - 1)
  }
}

/// Numbers of free places, in chunks.
private struct Stack {
  private static let chunkCount = 1024
  private var full: ContiguousArray<ContiguousArray<UInt32>> = []
  private var top: ContiguousArray<UInt32> = []

  mutating func push(_ number: UInt32) {
    if top.count == Self.chunkCount {
      full.append(top)
      top = []
    }
    top.append(number)
  }

  mutating func pop() -> UInt32? {
    if let number = top.popLast() { return number }
    guard let last = full.popLast() else { return nil }
    top = last
    return top.popLast()
  }
}
