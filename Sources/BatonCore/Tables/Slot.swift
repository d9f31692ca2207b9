/// The number of an element's place in the `Table` of its type. The compiler refuses a walk's slot where a link's slot
/// is needed. At run time a slot is a plain number.
struct Slot<Element: ~Copyable>: Hashable {
  let index: UInt32

  @inline(__always)
  init(_ index: UInt32) { self.index = index }

  /// A value that is the slot of no element in any table.
  static var nobody: Slot { Slot(.max) }
}

/// The name of one element of a `Table`: its slot and the slot's generation. A ref may outlive its element. It never
/// names the next element in the same slot.
struct Ref<Element: ~Copyable>: Hashable {
  var slot: Slot<Element>
  var generation: UInt32

  /// The ref of no element.
  static var none: Ref { Ref(slot: .nobody, generation: 0) }
}

/// The slots of a table, in order. Some of them may be free.
struct Slots<Element: ~Copyable>: Sequence, IteratorProtocol {
  private var upcoming: UInt32 = 0
  private let end: UInt32

  init(upTo end: UInt32) { self.end = end }

  mutating func next() -> Slot<Element>? {
    guard upcoming < end else { return nil }
    defer { upcoming += 1 }
    return Slot(upcoming)
  }
}
