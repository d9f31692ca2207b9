/// Lines that many connections get: events. Each is written once, in a block here. Outboxes refer to parts of these
/// blocks and do not copy them. This type knows no outboxes: a block counts its holders.
///
/// A block stays while an outbox refers to a part of it. No outbox does so for long: if a peer's kernel does not take
/// the bytes at once, they are copied (`Outbox.consume`). So one slow peer cannot keep the bytes that all others have
/// read.
struct SharedLines: ~Copyable {
  private var block: SharedBlock?
  private var filled = 0

  deinit { block?.letGo() }

  /// Memory for a line of at most `bytes` bytes.
  mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer {
    if let block {
      // If no outbox refers to the block, it is filled again from its start: that memory is still in the processor's
      // cache.
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

  /// Releases the block of a line that was longer than most, once the line is queued.
  mutating func endLine() {
    guard let block, block.capacity > SharedBlock.usual else { return }
    block.letGo()
    self.block = nil
  }
}
