// Tables: memory and time. This room knows nothing of Baton. It has tables of elements in slots, bytes with one owner,
// an index of bytes, queues, and timers. It calls no other room. `Due` is the only type of a higher room here: the
// timer wheel stores it and hands it out.

internal import CScan

/// A table of elements in slots. Free slots are used again. A `Ref` names an element by its slot and the slot's
/// generation.
///
/// Every object of the router lives in such a table, so that no reference dangles and a look-up is an access to an
/// array. The order of slots is the order of iteration. It is always the same for the same calls.
///
/// Elements live in pieces of 64 slots, and a directory has the address of each slot. **An element's address does not
/// change while the element lives.** Others still keep slots and refs, and no addresses. A piece without elements is
/// given back, except for a few. No insert and no remove costs more than a bounded number of steps, however large the
/// table is: the directory grows and shrinks by `DirectoryMove.step` entries with each piece.
///
/// Invariants: elements come into the piece `open` only. The pieces in the list `waiting` have free slots; all others but
/// `open` are full. `emptyPieces` counts the empty ones in the list. The same calls give the same slots.
struct Table<Element: ~Copyable>: ~Copyable {
  /// The address of each slot of the table. The slots of a piece that was given back have the address of its stub.
  private var directory: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// The number of slots that the directory has room for.
  private var capacity = 0
  /// The number of slots, taken and free. It is at most 63 more than were ever taken at once, because free slots are
  /// used first. It shrinks when the last pieces are given back.
  private(set) var extent: UInt32 = 0
  /// The piece whose slots are handed out. At first it is `noPiece`, which has none.
  private var open: UnsafeMutablePointer<Piece>
  private let noPiece: UnsafeMutablePointer<Piece>
  /// The first in the list of other pieces that have memory and free slots.
  private var waiting: UnsafeMutablePointer<Piece>?
  /// The first in the list of pieces that were given back.
  private var vacant: UnsafeMutablePointer<Piece>?
  /// The number of empty pieces that are kept, beside `open`.
  private var emptyPieces = 0
  /// The highest generation in a piece that was given back. Pieces that get memory begin with it: so a ref never names
  /// the next element in its slot, although the generations went back with the piece.
  private var usedGeneration: UInt32 = 0
  /// The number of elements now.
  private(set) var count = 0
  /// The larger or smaller directory that replaces the present one when it has all entries; nil at most times.
  private var move: DirectoryMove?

  init() {
    directory = .allocate(capacity: 0)
    noPiece = .allocate(capacity: 1)
    noPiece.initialize(to: Piece(first: 0, isVacant: true))
    noPiece.pointee.free = 0
    open = noPiece
  }

  deinit {
    for number in 0..<Int(extent) / Piece.slots {
      let first = number * Piece.slots
      let piece = Table.piece(at: directory[first])
      if !piece.pointee.isVacant {
        for slot in 0..<Piece.slots where Table.generation(directory[first + slot]).pointee & 1 == 1 {
          directory[first + slot].assumingMemoryBound(to: Element.self).deinitialize(count: 1)
        }
      }
      UnsafeMutableRawPointer(piece).deallocate()
    }
    directory.deallocate()
    noPiece.deallocate()
    if let move { move.directory.deallocate() }
  }

  /// The element in a taken slot.
  subscript(slot: Slot<Element>) -> Element {
    @inline(__always) unsafeAddress {
      assert(isTaken(slot))
      return UnsafePointer(place(of: slot).assumingMemoryBound(to: Element.self))
    }
    @inline(__always) unsafeMutableAddress {
      assert(isTaken(slot))
      return place(of: slot).assumingMemoryBound(to: Element.self)
    }
  }

  /// The address of the element in a taken slot. It is the same as long as the slot is taken, so that the compiler loads
  /// it once for several accesses (see `cscan_entry`). Whether the slot is taken must not be asked in this way.
  ///
  /// Chain of three: 6,309 instead of 6,480 instructions a message (`Benchmarks/compare --instructions`).
  @inline(__always)
  private func place(of slot: Slot<Element>) -> UnsafeMutableRawPointer { cscan_entry(directory, slot.index) }

  /// All slots. `isTaken` says which of them are taken now.
  var slots: Slots<Element> { Slots(upTo: extent) }

  /// Whether an element is in the slot.
  func isTaken(_ slot: Slot<Element>) -> Bool {
    slot.index < extent && Table.generation(directory[Int(slot.index)]).pointee & 1 == 1
  }

  /// Whether the element that `ref` names is still there.
  @inline(__always)
  func contains(_ ref: Ref<Element>) -> Bool {
    ref.slot.index < extent && Table.generation(directory[Int(ref.slot.index)]).pointee == ref.generation
  }

  /// The ref of the element in a taken slot.
  @inline(__always)
  func ref(_ slot: Slot<Element>) -> Ref<Element> {
    Ref(slot: slot, generation: Table.generation(directory[Int(slot.index)]).pointee)
  }

  /// Puts an element into a free slot and returns the slot.
  @inline(__always)
  mutating func insert(_ element: consuming Element) -> Slot<Element> {
    if open.pointee.free == 0 { openNext() }
    let free = open.pointee.free
    open.pointee.free = free & (free &- 1)
    let index = open.pointee.first &+ UInt32(truncatingIfNeeded: free.trailingZeroBitCount)
    count &+= 1
    let place = directory[Int(index)]
    Table.generation(place).pointee &+= 1
    place.assumingMemoryBound(to: Element.self).initialize(to: element)
    return Slot(index)
  }

  /// Ends the element in a taken slot. Traps if the slot is free.
  @inline(__always)
  mutating func remove(_ slot: Slot<Element>) {
    precondition(isTaken(slot))
    let place = directory[Int(slot.index)]
    let piece = Table.piece(at: directory[Int(slot.index & ~Piece.mask)])
    place.assumingMemoryBound(to: Element.self).deinitialize(count: 1)
    Table.generation(place).pointee &+= 1
    count &-= 1
    let before = piece.pointee.free
    let after = before | 1 << UInt64(slot.index & Piece.mask)
    piece.pointee.free = after
    // In a short table the open piece just stays when it gets empty: so one message after the other costs nothing here.
    if before == 0 || after == Piece.allFree && (piece != open || extent > Table.short) {
      noteFree(piece, wasFull: before == 0)
    }
  }

  // MARK: Places

  /// The bytes of one slot: the generation, and behind it the element. The directory has the element's address.
  private static var alignment: Int { max(8, MemoryLayout<Element>.alignment) }
  private static var stride: Int { (MemoryLayout<Element>.size + 8 + alignment - 1) / alignment * alignment }
  /// The bytes from the start of a piece to its first element. The last eight are the generation of the first slot.
  private static var headBytes: Int { (MemoryLayout<Piece>.size + 8 + alignment - 1) / alignment * alignment }

  /// The generation of the slot at `place`: odd while the slot is taken, even while it is free, and 0 if it was never
  /// taken or if the piece was given back.
  @inline(__always)
  private static func generation(_ place: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt32> {
    (place - 8).assumingMemoryBound(to: UInt32.self)
  }

  /// The piece whose first slot is at `place`.
  @inline(__always)
  private static func piece(at place: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Piece> {
    (place - headBytes).assumingMemoryBound(to: Piece.self)
  }

  // MARK: Pieces

  /// Opens a piece that has free slots, because `open` has none: one that has memory, or one that was given back, or a
  /// new one.
  @inline(never)
  private mutating func openNext() {
    if let next = waiting {
      Piece.unlink(next, from: &waiting)
      if next.pointee.free == Piece.allFree { emptyPieces -= 1 }
      open = next
      return
    }
    let first: UInt32
    if let stub = vacant {
      first = stub.pointee.first
      Piece.unlink(stub, from: &vacant)
      UnsafeMutableRawPointer(stub).deallocate()
    } else {
      first = extent
      makeRoom()
      extent += UInt32(Piece.slots)
    }
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Table.headBytes + (Piece.slots - 1) * Table.stride + MemoryLayout<Element>.size,
      alignment: Table.alignment)
    open = memory.initializeMemory(as: Piece.self, to: Piece(first: first, isVacant: false))
    for slot in 0..<Piece.slots {
      let place = memory + Table.headBytes + slot * Table.stride
      (place - 8).initializeMemory(as: UInt32.self, to: usedGeneration)
      setPlace(of: Int(first) + slot, place)
    }
    moveEntries()
  }

  /// A slot of the piece has become free: the piece was full, or it is empty now.
  @inline(never)
  private mutating func noteFree(_ piece: UnsafeMutablePointer<Piece>, wasFull: Bool) {
    if wasFull, piece != open { Piece.link(piece, in: &waiting) }
    guard piece.pointee.free == Piece.allFree else { return }
    if emptyPieces < Piece.keptEmpty {
      if piece != open { emptyPieces += 1 }
      return trim()
    }
    // The last piece goes first, so that the table gets shorter.
    if piece != open { emptyPieces += 1 }
    let last = Table.piece(at: directory[Int(extent) - Piece.slots])
    giveBack(!last.pointee.isVacant && last.pointee.free == Piece.allFree ? last : piece)
  }

  /// Gives the memory of an empty piece back. What stays is a stub: a piece without slots.
  private mutating func giveBack(_ piece: UnsafeMutablePointer<Piece>) {
    let first = piece.pointee.first
    for slot in 0..<Piece.slots {
      usedGeneration = max(usedGeneration, Table.generation(directory[Int(first) + slot]).pointee)
    }
    if piece == open {
      open = noPiece
    } else {
      Piece.unlink(piece, from: &waiting)
      emptyPieces -= 1
    }
    UnsafeMutableRawPointer(piece).deallocate()
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Table.headBytes, alignment: Table.alignment)
    let stub = memory.initializeMemory(as: Piece.self, to: Piece(first: first, isVacant: true))
    let place = memory + Table.headBytes
    (place - 8).initializeMemory(as: UInt32.self, to: 0)
    for slot in 0..<Piece.slots { setPlace(of: Int(first) + slot, place) }
    Piece.link(stub, in: &vacant)
    trim()
  }

  /// Removes the stubs at the end of the table. If there are very many, the next call removes the others.
  private mutating func trim() {
    var most = 256
    while extent > 0, most > 0 {
      let last = Table.piece(at: directory[Int(extent) - Piece.slots])
      guard last.pointee.isVacant else { break }
      Piece.unlink(last, from: &vacant)
      UnsafeMutableRawPointer(last).deallocate()
      extent -= UInt32(Piece.slots)
      most -= 1
    }
    if move == nil, capacity > DirectoryMove.least, Int(extent) < capacity / 8 {
      move = DirectoryMove(capacity: capacity / 4)
    }
    moveEntries()
  }

  /// Whether memory is kept that only a larger table needs: stubs or empty pieces at the end, or a large directory.
  var isTooLong: Bool {
    if move != nil || hasEmptyEnd { return true }
    return capacity > DirectoryMove.least && Int(extent) < capacity / 8
  }

  /// Whether the last piece is a stub; or it is empty, and the table has much more room than elements.
  private var hasEmptyEnd: Bool {
    guard extent > 0 else { return false }
    let last = Table.piece(at: directory[Int(extent) - Piece.slots])
    if last.pointee.isVacant { return true }
    return last.pointee.free == Piece.allFree && Int(extent) > Table.longest && Int(extent) / 8 > count
  }

  /// A table with no more slots has nothing to give back beside one piece.
  private static var short: UInt32 { UInt32(truncatingIfNeeded: Piece.slots &* (Piece.keptEmpty &+ 1)) }

  /// A table with so many slots keeps its empty pieces.
  private static var longest: Int { 2 * Piece.slots * Piece.keptEmpty }

  /// Gives a part of that back. The table does so itself as long as elements come and go; the owner calls this when none
  /// do. Returns whether more is left.
  mutating func shrink() -> Bool {
    guard isTooLong else { return false }
    let last = extent == 0 ? noPiece : Table.piece(at: directory[Int(extent) - Piece.slots])
    if hasEmptyEnd, !last.pointee.isVacant { giveBack(last) } else { trim() }
    return isTooLong
  }

  /// The bytes of its pieces, stubs and directories, for tests. It looks at each piece.
  var memory: Int {
    var bytes = (capacity + (move?.capacity ?? 0)) * MemoryLayout<UnsafeMutableRawPointer>.stride
    for number in 0..<Int(extent) / Piece.slots {
      let piece = Table.piece(at: directory[number * Piece.slots])
      bytes += Table.headBytes
      if !piece.pointee.isVacant { bytes += (Piece.slots - 1) * Table.stride + MemoryLayout<Element>.size }
    }
    return bytes
  }

  // MARK: The directory

  private mutating func setPlace(of slot: Int, _ place: UnsafeMutableRawPointer) {
    directory[slot] = place
    if let move, slot < move.done { move.directory[slot] = place }
  }

  /// Makes room in the directory for one more piece. A larger directory is begun when half of the present one is used:
  /// long before the present one is full, the larger one has all entries.
  private mutating func makeRoom() {
    if capacity == 0 {
      directory.deallocate()
      capacity = DirectoryMove.least
      directory = .allocate(capacity: capacity)
    }
    if move == nil, Int(extent) >= capacity / 2 { move = DirectoryMove(capacity: capacity * 2) }
    precondition(Int(extent) + Piece.slots <= capacity, "the directory has not grown in time")
  }

  /// Copies the next entries to the directory that replaces the present one.
  private mutating func moveEntries() {
    guard var move else { return }
    let from = min(move.done, Int(extent))
    let more = min(DirectoryMove.step, Int(extent) - from)
    (move.directory + from).initialize(from: directory + from, count: more)
    move.done = from + more
    self.move = move
    guard move.done == Int(extent) else { return }
    directory.deallocate()
    directory = move.directory
    capacity = move.capacity
    self.move = nil
  }

  /// The number of entries that were copied to the next directory, and that of its slots; zeros if there is none.
  var directoryMove: (done: Int, capacity: Int) { move.map { ($0.done, $0.capacity) } ?? (0, 0) }
}

/// The head of 64 slots of a `Table`. The slots stand behind it.
struct Piece {
  /// The number of slots in a piece: as many as `free` has bits.
  static let slots = Spare.isKept ? 64 : 1
  static let mask = UInt32(slots - 1)
  static let allFree = Spare.isKept ? UInt64.max : 1
  /// The most empty pieces that a table keeps: traffic with 1,024 messages under way neither gives back nor allocates.
  static let keptEmpty = Spare.most(16)

  /// A bit for each slot that is free.
  var free: UInt64
  /// The number of the first slot.
  let first: UInt32
  /// Whether this is a stub, which stands for a piece that was given back.
  let isVacant: Bool
  /// Neighbours in a list of pieces.
  var next: UnsafeMutablePointer<Piece>?
  var previous: UnsafeMutablePointer<Piece>?

  init(first: UInt32, isVacant: Bool) {
    free = Piece.allFree
    self.first = first
    self.isVacant = isVacant
  }

  /// Puts a piece at the front of the list that begins with `head`.
  static func link(_ piece: UnsafeMutablePointer<Piece>, in head: inout UnsafeMutablePointer<Piece>?) {
    piece.pointee.next = head
    head?.pointee.previous = piece
    head = piece
  }

  /// Takes a piece out of the list that begins with `head`.
  static func unlink(_ piece: UnsafeMutablePointer<Piece>, from head: inout UnsafeMutablePointer<Piece>?) {
    let (before, after) = (piece.pointee.previous, piece.pointee.next)
    if let before { before.pointee.next = after } else { head = after }
    after?.pointee.previous = before
    piece.pointee.previous = nil
    piece.pointee.next = nil
  }
}

/// A directory of a `Table` that does not have all entries yet.
struct DirectoryMove {
  /// The entries that are copied with each piece that a table makes or gives back. A table makes a piece for each 64
  /// entries, so that the copy ends long before the table has grown by half.
  static let step = 256
  /// The smallest directory.
  static let least = 256

  let directory: UnsafeMutablePointer<UnsafeMutableRawPointer>
  let capacity: Int
  /// The number of entries that are there.
  var done = 0

  init(capacity: Int) {
    directory = .allocate(capacity: capacity)
    self.capacity = capacity
  }
}
