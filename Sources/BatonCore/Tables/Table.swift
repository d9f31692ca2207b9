// Tables: memory and time, and nothing of Baton. Elements in slots, bytes with one owner, what is found by bytes, what
// is due. It calls nobody.

/// Elements in slots that are used again, named by slot and generation.
///
/// Every object of the router lives in one of these: nothing dangles, a look-up is an array access, and iterating goes
/// in the order of slots, which the same calls always give the same. Elements may move when the table grows, so that
/// only slots and refs are kept, never addresses.
struct Table<Element: ~Copyable>: ~Copyable {
  private var elements: UnsafeMutablePointer<Element>
  /// Per place: an odd generation while it is taken, an even one while it is free.
  private var generations: UnsafeMutablePointer<UInt32>
  /// The free place to be used next; each free place holds the one behind it in its own memory.
  private var firstFree = UInt32.max
  private var capacity = 0
  /// Places that have ever been taken; those behind have never been.
  private(set) var extent: UInt32 = 0
  /// Elements now.
  private(set) var count = 0

  init() {
    precondition(MemoryLayout<Element>.size >= 4, "a free place holds the number of the next")
    elements = .allocate(capacity: 0)
    generations = .allocate(capacity: 0)
  }

  deinit {
    for index in 0..<Int(extent) where generations[index] & 1 == 1 {
      (elements + index).deinitialize(count: 1)
    }
    elements.deallocate()
    generations.deallocate()
  }

  /// The element at a taken place.
  subscript(slot: Slot<Element>) -> Element {
    @inline(__always) unsafeAddress {
      assert(isTaken(slot))
      return UnsafePointer(elements + Int(slot.index))
    }
    @inline(__always) unsafeMutableAddress {
      assert(isTaken(slot))
      return elements + Int(slot.index)
    }
  }

  /// Every slot that was ever taken; `isTaken` tells which of them are now.
  var slots: Slots<Element> { Slots(upTo: extent) }

  func isTaken(_ slot: Slot<Element>) -> Bool { slot.index < extent && generations[Int(slot.index)] & 1 == 1 }

  /// Whether the element so named is still there.
  @inline(__always)
  func contains(_ ref: Ref<Element>) -> Bool {
    ref.slot.index < extent && generations[Int(ref.slot.index)] == ref.generation
  }

  /// The name of the element at a taken place.
  @inline(__always)
  func ref(_ slot: Slot<Element>) -> Ref<Element> {
    Ref(slot: slot, generation: generations[Int(slot.index)])
  }

  /// Puts an element into a free place and returns the place.
  @inline(__always)
  mutating func insert(_ element: consuming Element) -> Slot<Element> {
    count += 1
    if firstFree != .max {
      let index = firstFree
      firstFree = memory(of: index).load(as: UInt32.self)
      generations[Int(index)] &+= 1
      (elements + Int(index)).initialize(to: element)
      return Slot(index)
    }
    if Int(extent) == capacity { grow() }
    let index = extent
    extent += 1
    generations[Int(index)] = 1
    (elements + Int(index)).initialize(to: element)
    return Slot(index)
  }

  /// Ends the element at a taken place.
  @inline(__always)
  mutating func remove(_ slot: Slot<Element>) {
    precondition(isTaken(slot))
    let index = slot.index
    (elements + Int(index)).deinitialize(count: 1)
    generations[Int(index)] &+= 1
    memory(of: index).storeBytes(of: firstFree, as: UInt32.self)
    firstFree = index
    count -= 1
  }

  @inline(__always)
  private func memory(of index: UInt32) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(elements + Int(index)) }

  @inline(never)
  private mutating func grow() {
    let enlarged = max(4, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: enlarged)
    larger.moveInitialize(from: elements, count: capacity)
    elements.deallocate()
    elements = larger
    let more = UnsafeMutablePointer<UInt32>.allocate(capacity: enlarged)
    more.moveInitialize(from: generations, count: capacity)
    generations.deallocate()
    generations = more
    capacity = enlarged
  }
}
