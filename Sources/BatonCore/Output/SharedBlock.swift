/// Memory that several holders share. The last holder frees it. It begins with the number of holders and its size.
struct SharedBlock {
  let memory: UnsafeMutableRawPointer
  /// The bytes at the beginning that are not part of a line.
  static let header = 16

  /// The usual bytes of a block: enough for the events of one turn of the loop, so that each subscriber gets them in
  /// one piece.
  static let usual = 128 << 10

  /// A line of so many bytes has a block for itself.
  static let long = 32 << 10

  /// A block with one holder and room for `bytes` bytes of lines.
  init(room bytes: Int) {
    let capacity = SharedBlock.header + bytes
    memory = .allocate(byteCount: capacity, alignment: 16)
    holders.pointee = 1
    memory.storeBytes(of: capacity, toByteOffset: 8, as: Int.self)
  }

  /// The block that begins at `memory`.
  init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var holders: UnsafeMutablePointer<Int> { memory.assumingMemoryBound(to: Int.self) }

  /// The size of the block in bytes, with its header.
  var capacity: Int { memory.load(fromByteOffset: 8, as: Int.self) }
  var isHeldOnce: Bool { holders.pointee == 1 }

  /// How far the end of a line is from the beginning.
  func offset(of end: UnsafeMutableRawPointer) -> Int {
    precondition(end >= memory + SharedBlock.header && end - memory <= capacity, "a line outgrew its reservation")
    return end - memory
  }

  /// Adds a holder.
  func hold() { holders.pointee += 1 }

  /// Removes a holder. The last one frees the memory.
  func letGo() {
    holders.pointee -= 1
    if holders.pointee == 0 { memory.deallocate() }
  }
}

/// A line in a shared block. `start` and `end` are offsets in the block.
struct SharedLine {
  let block: SharedBlock
  let start: Int
  let end: Int

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: block.memory + start, count: end - start)
  }

  /// Whether it has its block for itself, and takes most of it.
  var isLong: Bool { end - start >= SharedBlock.long / 2 && 2 * (end - start) >= block.capacity }
}
