/// Lines that many connections get, events: each is written once, in here, and outboxes take stretches of these blocks
/// instead of copies.
///
/// A block stays as long as an outbox holds a stretch of it. None does for long: what a peer's kernel does not take at
/// once is copied (`Outbox.consume`), so that one slow peer cannot keep what all others have read.
struct SharedLines: ~Copyable {
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
  mutating func commit(upTo end: UnsafeMutableRawPointer) -> SharedLine {
    guard let block else { preconditionFailure("no line was begun") }
    let line = SharedLine(block: block, start: filled, end: end - block.memory)
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
