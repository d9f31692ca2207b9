// Output: the bytes to each connection, the limits on its messages, and whether the server reads from it. It owns
// connections, with their outboxes, accounts, pauses and clocks.

/// The bytes that wait to be written to one connection. They are in blocks that stay at their addresses until the
/// kernel has the bytes.
///
/// Lines are built directly in here (`reserve`, then `commit`). A line may begin in one block and end in the next,
/// because an outbox is a stream of bytes. Lines that other connections get, too, need not be copied as long as nothing
/// else waits (`append`). They are copied later if the peer's kernel does not take them, so that only `mostShared` bytes
/// and a stretch may wait in this way. An outbox without unsent bytes owns no memory.
struct Outbox: ~Copyable {
  /// With more unsent bytes than this, no further stretch of shared lines is begun: 256 KiB. So one call of `consume`
  /// copies at most this and two blocks of shared lines.
  static let mostShared = 256 << 10

  /// A stretch of unsent bytes in one piece of memory, from offset `start` to offset `end`.
  private struct Block {
    var base: UnsafeMutableRawPointer
    var start: Int
    /// The end of the block's bytes. For the last block, `cursor` is the end.
    var end: Int
    /// The number of bytes that the block has room for; 0 if its memory is shared.
    var capacity: Int

    var isShared: Bool { capacity == 0 }
  }

  /// The unsent blocks, from index `first` on. Shared blocks come before the outbox's own blocks.
  private var blocks: [Block] = []
  private var first = 0
  /// The end of the bytes in the last block, and the room after it. `room` is -1 if the outbox has no block of its own
  /// and takes shared lines. To add a line needs only these two.
  private var cursor: UnsafeMutableRawPointer?
  private var room = -1
  /// The number of bytes that wait to be written.
  private(set) var count = 0

  deinit {
    for block in blocks[first...] {
      if block.isShared { SharedBlock(memory: block.base).letGo() } else { block.base.deallocate() }
    }
  }

  /// Memory for `bytes` more bytes in one piece. `commit` makes the bytes a part of the stream.
  @inline(__always)
  mutating func reserve(_ bytes: Int, from pool: inout BlockPool) -> UnsafeMutableRawPointer {
    if let cursor, room >= bytes { return cursor }
    return begin(bytes, from: &pool)
  }

  @inline(never)
  private mutating func begin(_ bytes: Int, from pool: inout BlockPool) -> UnsafeMutableRawPointer {
    sealLast()
    let capacity = max(bytes, BlockPool.blockBytes)
    let base =
      capacity == BlockPool.blockBytes
      ? pool.take() : UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    blocks.append(Block(base: base, start: 0, end: 0, capacity: capacity))
    cursor = base
    room = capacity
    return base
  }

  /// Writes the end of the last block's bytes into the block.
  private mutating func sealLast() {
    if let cursor { blocks[blocks.count - 1].end = cursor - blocks[blocks.count - 1].base }
  }

  /// Ends what `reserve` began: all bytes up to `end` belong to the stream. Returns the number of bytes added.
  @discardableResult
  @inline(__always)
  mutating func commit(upTo end: UnsafeMutableRawPointer) -> Int {
    let bytes = cursor.map { end - $0 } ?? -1
    precondition(bytes >= 0 && bytes <= room, "a line outgrew its reservation")
    cursor = end
    room -= bytes
    count += bytes
    return bytes
  }

  /// Whether `append` may be called: only shared blocks wait, and not too many bytes, or nothing.
  @inline(__always)
  var takesSharedLines: Bool { room < 0 }

  /// Adds a shared line without a copy.
  @inline(__always)
  mutating func append(_ line: SharedLine) {
    assert(takesSharedLines)
    count += line.bytes.count
    if let cursor, UnsafeRawPointer(cursor) == line.bytes.baseAddress {
      self.cursor = cursor + line.bytes.count
    } else {
      beginStretch(line)
    }
  }

  @inline(never)
  private mutating func beginStretch(_ line: SharedLine) {
    sealLast()
    line.block.hold()
    blocks.append(Block(base: line.block.memory, start: line.start, end: line.end, capacity: 0))
    cursor = line.block.memory + line.end
    // The next line is copied into a block of the outbox's own.
    if count > Outbox.mostShared { room = 0 }
  }

  /// Fills `buffers` with the first unsent bytes, and returns the number of buffers used.
  func unsent(into buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) -> Int {
    var used = 0
    var at = first
    while used < buffers.count, at < blocks.count {
      let block = blocks[at]
      var end = block.end
      if at == blocks.count - 1, let cursor { end = cursor - block.base }
      if end > block.start {
        buffers[used] = UnsafeRawBufferPointer(start: block.base + block.start, count: end - block.start)
        used += 1
      }
      at += 1
    }
    return used
  }

  /// Removes the first `bytes` bytes, because the kernel has them. If the kernel has not taken all bytes, the rest of
  /// the shared lines is copied. Addresses in shared lines that `unsent` gave are not valid after that.
  mutating func consume(_ bytes: Int, into pool: inout BlockPool) {
    precondition(bytes <= count, "more was written than was unsent")
    if bytes == count, blocks.count == 1 { return consumeOnly(into: &pool) }
    sealLast()
    count -= bytes
    var left = bytes
    while first < blocks.count {
      let there = blocks[first].end - blocks[first].start
      if left < there {
        blocks[first].start += left
        break
      }
      left -= there
      release(blocks[first], to: &pool)
      first += 1
    }
    if first == blocks.count {
      blocks.removeAll(keepingCapacity: blocks.capacity <= 4)
      first = 0
      cursor = nil
      room = -1
    } else if first > 64, first * 2 > blocks.count {
      blocks.removeFirst(first)
      first = 0
    }
    if first < blocks.count, blocks[first].isShared { copyShared(from: &pool) }
  }

  /// Copies shared lines into blocks of the outbox's own, before the blocks that it owns already.
  private mutating func copyShared(from pool: inout BlockPool) {
    var copies = Outbox()
    var own: [Block] = []
    for block in blocks[first...] {
      if block.isShared {
        let count = block.end - block.start
        let memory = copies.reserve(count, from: &pool)
        memory.copyMemory(from: block.base + block.start, byteCount: count)
        copies.commit(upTo: memory + count)
        release(block, to: &pool)
      } else {
        own.append(block)
      }
    }
    copies.sealLast()
    blocks = copies.blocks + own
    first = 0
    copies.blocks = []
    guard own.isEmpty else { return }
    (cursor, room) = (copies.cursor, copies.room)
  }

  /// Removes all bytes of an outbox that has one block. Nearly every write does this.
  private mutating func consumeOnly(into pool: inout BlockPool) {
    release(blocks[0], to: &pool)
    blocks.removeLast()
    count = 0
    cursor = nil
    room = -1
  }

  /// Removes all bytes.
  mutating func clear(into pool: inout BlockPool) { consume(count, into: &pool) }

  private func release(_ block: Block, to pool: inout BlockPool) {
    if block.isShared {
      SharedBlock(memory: block.base).letGo()
    } else if block.capacity == BlockPool.blockBytes {
      pool.give(block.base)
    } else {
      block.base.deallocate()
    }
  }
}
