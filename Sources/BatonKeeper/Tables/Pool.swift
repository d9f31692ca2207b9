/// A place in a pool of such elements. It does not pass for a place in a pool of others.
struct Place<Element>: BitwiseCopyable, Hashable {
  let index: UInt32

  init(_ index: UInt32) { self.index = index }

  /// No place.
  static var none: Place { Place(.max) }
}

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
  private(set) var end: UInt32 = 0
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
  mutating func add(_ element: consuming Element) -> Place<Element> {
    count += 1
    if let index = free.pop() {
      self[Place(index)] = element
      return Place(index)
    }
    let place = Place<Element>(end)
    end += 1
    if Int(place.index) >> Self.chunkShift == chunks.count { chunks.append(.allocate(capacity: 1 << Self.chunkShift)) }
    address(of: place).initialize(to: element)
    return place
  }

  /// Gives the place back, and the element. `blank` takes its place in memory, so that nothing of the element stays.
  @discardableResult
  mutating func remove(_ place: Place<Element>, blank: Element) -> Element {
    var element = blank
    swap(&element, &self[place])
    free.push(place.index)
    count -= 1
    return element
  }

  subscript(place: Place<Element>) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(address(of: place)) }
    @inline(__always) unsafeMutableAddress { address(of: place) }
  }

  @inline(__always)
  private func address(of place: Place<Element>) -> UnsafeMutablePointer<Element> {
    precondition(place.index < end, "nothing is in this place")
    return chunks[Int(place.index) >> Self.chunkShift] + Int(place.index) & ((1 << Self.chunkShift) - 1)
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
