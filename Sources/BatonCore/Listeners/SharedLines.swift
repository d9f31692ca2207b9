/// Lines that many connections get: events. Each is written once, in a block here. Outboxes refer to parts of these
/// blocks and do not copy them. This type knows no outboxes: a block counts its holders.
///
/// A block stays while an outbox refers to a part of it. Of a block of many lines no outbox does so for long: if a peer's
/// kernel does not take the bytes at once, they are copied (`Outbox.consume`). So one slow peer cannot keep the bytes that
/// all others have read. A long line has a block for itself, which slow peers keep.
struct SharedLines: ~Copyable {
  /// The block of lines that are not long.
  private var block: SharedBlock?
  private var filled = 0
  /// The block of the long line that is written now.
  private var lone: SharedBlock?

  deinit {
    block?.letGo()
    lone?.letGo()
  }

  /// Memory for a line of at most `bytes` bytes.
  mutating func reserve(_ bytes: Int) -> UnsafeMutableRawPointer {
    if bytes >= SharedBlock.long {
      let new = SharedBlock(room: bytes)
      lone = new
      return new.memory + SharedBlock.header
    }
    if let block {
      // If no outbox refers to the block, it is filled again from its start: that memory is still in the processor's
      // cache.
      if block.isHeldOnce { filled = SharedBlock.header }
      if block.capacity - filled >= bytes { return block.memory + filled }
      block.letGo()
    }
    let new = SharedBlock(room: SharedBlock.usual - SharedBlock.header)
    block = new
    filled = SharedBlock.header
    return new.memory + filled
  }

  /// Ends the line that `reserve` began.
  mutating func commit(upTo end: UnsafeMutableRawPointer) -> SharedLine {
    if let lone { return SharedLine(block: lone, start: SharedBlock.header, end: lone.offset(of: end)) }
    guard let block else { preconditionFailure("no line was begun") }
    let line = SharedLine(block: block, start: filled, end: block.offset(of: end))
    filled = line.end
    return line
  }

  /// Ends the use of a line, once it is queued.
  mutating func endLine() {
    guard let lone else { return }
    lone.letGo()
    self.lone = nil
  }
}
