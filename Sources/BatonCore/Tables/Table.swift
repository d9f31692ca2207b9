// Tables: memory and time. This room knows nothing of Baton. It has tables of elements in slots, bytes with one owner,
// an index of bytes, and timers. It calls no other room. `Due` is the only type of a higher room here: the timer wheel
// stores it and hands it out.

/// A table of elements in slots. Free slots are used again. A `Ref` names an element by its slot and the slot's
/// generation.
///
/// Every object of the router lives in such a table, so that no reference dangles and a look-up is an access to an
/// array. The order of slots is the order of iteration. It is always the same for the same calls. Elements may move
/// when the table grows, so that others may keep slots and refs, but no addresses.
struct Table<Element: ~Copyable>: ~Copyable {
  private var elements: UnsafeMutablePointer<Element>
  /// One generation for each slot: odd while the slot is taken, even while it is free.
  private var generations: UnsafeMutablePointer<UInt32>
  /// The number of the free slot that is used next, or `max`. Each free slot holds the number of the next free slot in
  /// its own memory.
  private var firstFree = UInt32.max
  private var capacity = 0
  /// The number of slots that have ever been taken. They are the first slots of the table.
  private(set) var extent: UInt32 = 0
  /// The number of elements now.
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

  /// The element in a taken slot.
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

  /// Every slot that has ever been taken. `isTaken` says which of them are taken now.
  var slots: Slots<Element> { Slots(upTo: extent) }

  /// Whether an element is in the slot.
  func isTaken(_ slot: Slot<Element>) -> Bool { slot.index < extent && generations[Int(slot.index)] & 1 == 1 }

  /// Whether the element that `ref` names is still there.
  @inline(__always)
  func contains(_ ref: Ref<Element>) -> Bool {
    ref.slot.index < extent && generations[Int(ref.slot.index)] == ref.generation
  }

  /// The ref of the element in a taken slot.
  @inline(__always)
  func ref(_ slot: Slot<Element>) -> Ref<Element> {
    Ref(slot: slot, generation: generations[Int(slot.index)])
  }

  /// Puts an element into a free slot and returns the slot.
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

  /// Ends the element in a taken slot. Traps if the slot is free.
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
