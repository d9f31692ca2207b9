/// The place of an element in the `Table` of its type. A walk's slot does not pass for a link's; at run time it is a
/// number.
struct Slot<Element: ~Copyable>: Hashable {
  let index: UInt32

  @inline(__always)
  init(_ index: UInt32) { self.index = index }

  /// The slot of no element, in every table.
  static var nobody: Slot { Slot(.max) }
}

/// Names one element of a `Table`: its slot and the generation of that slot. A name outlives its element and never meets
/// another one.
struct Ref<Element: ~Copyable>: Hashable {
  var slot: Slot<Element>
  var generation: UInt32

  /// The name of nothing.
  static var none: Ref { Ref(slot: .nobody, generation: 0) }
}

/// The slots of a table that were ever taken, in order.
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
