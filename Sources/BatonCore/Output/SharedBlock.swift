/// Memory with several holders; it goes with the last. It begins with their number and its size.
struct SharedBlock {
  let memory: UnsafeMutableRawPointer
  /// Bytes at the beginning that are no line's.
  static let header = 16

  /// Bytes of a block: what one turn brings, so that each subscriber gets it in one piece.
  static let usual = 128 << 10

  /// A block with one holder and room for `bytes` bytes of lines.
  init(room bytes: Int) {
    let capacity = max(SharedBlock.header + bytes, SharedBlock.usual)
    memory = .allocate(byteCount: capacity, alignment: 16)
    holders.pointee = 1
    memory.storeBytes(of: capacity, toByteOffset: 8, as: Int.self)
  }

  /// The block whose memory this is.
  init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var holders: UnsafeMutablePointer<Int> { memory.assumingMemoryBound(to: Int.self) }

  var capacity: Int { memory.load(fromByteOffset: 8, as: Int.self) }
  var isHeldOnce: Bool { holders.pointee == 1 }

  /// One holder more.
  func hold() { holders.pointee += 1 }

  /// One holder less.
  func letGo() {
    holders.pointee -= 1
    if holders.pointee == 0 { memory.deallocate() }
  }
}

/// A line that stands in a shared block.
struct SharedLine {
  let block: SharedBlock
  let start: Int
  let end: Int

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: block.memory + start, count: end - start)
  }
}
