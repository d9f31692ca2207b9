/// Lines that many connections get, events: each is written once, in here, and outboxes take stretches of these blocks
/// instead of copies.
///
/// A block stays as long as an outbox holds a stretch of it. None does for long: what a peer's kernel does not take at
/// once is copied (`Outbox.consume`), so that one slow peer cannot keep what all others have read.
struct SharedLines: ~Copyable {
  /// One line: where it stands.
  struct Line {
    let block: SharedBlock
    let start: Int
    let end: Int

    var bytes: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: block.memory + start, count: end - start)
    }
  }

  private var block: SharedBlock?
  private var filled = 0

  deinit { block?.letGo() }

  /// Memory for a line of at most `bytes` bytes.
  mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer {
    if let block {
      // What nobody holds any more is written over: it is still in the processor's cache.
      if block.isHeldOnce { filled = SharedBlock.header }
      if block.capacity - filled >= bytes { return block.memory + filled }
      block.letGo()
    }
    let new = SharedBlock(room: bytes)
    block = new
    filled = SharedBlock.header
    return new.memory + filled
  }

  /// Ends the line that `reserve` began.
  mutating func commit(upTo end: UnsafeMutableRawPointer) -> Line {
    guard let block else { preconditionFailure("no line was begun") }
    let line = Line(block: block, start: filled, end: end - block.memory)
    precondition(line.end >= filled && line.end <= block.capacity, "a line outgrew its reservation")
    filled = line.end
    return line
  }

  /// Keeps no memory for a line that was longer than most, once it is queued.
  mutating func endLine() {
    guard let block, block.capacity > SharedBlock.usual else { return }
    block.letGo()
    self.block = nil
  }
}

/// Memory with several holders; it goes with the last. It begins with their number and its size.
struct SharedBlock {
  let memory: UnsafeMutableRawPointer
  /// Bytes at the beginning that are no line's.
  static let header = 16

  /// Bytes of a block: what one turn brings, so that each subscriber gets it in one piece.
  static let usual = 128 << 10

  /// A block with one holder and room for `bytes` bytes of lines.
  fileprivate init(room bytes: Int) {
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
