/// What waits to be written to one connection: bytes in blocks that stay where they are until the kernel has them.
///
/// Lines are built straight in here (`reserve`, then `commit`); a line may run on from one block into the next, since
/// what is kept is a stream of bytes. Lines that others get, too, need not be copied as long as nothing else waits
/// (`append`). An outbox without unsent bytes owns no memory.
struct Outbox: ~Copyable {
  private struct Block {
    var base: UnsafeMutableRawPointer
    var start: Int
    /// Where the block's bytes end; of the last block, `cursor` says it.
    var end: Int
    /// The bytes that it has room for; 0 where the memory is shared.
    var capacity: Int

    var isShared: Bool { capacity == 0 }
  }

  /// Those that are shared come first.
  private var blocks: [Block] = []
  private var first = 0
  /// Where the last block's bytes end, and how much room is behind them; -1 where there is no block that is the outbox's
  /// own. Adding a line looks at nothing else.
  private var cursor: UnsafeMutableRawPointer?
  private var room = -1
  /// Bytes that wait to be written.
  private(set) var count = 0

  deinit {
    for block in blocks[first...] {
      if block.isShared { SharedBlock(memory: block.base).letGo() } else { block.base.deallocate() }
    }
  }

  /// Memory for `bytes` more bytes in one piece. It becomes part of the stream as far as `commit` says.
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

  /// Notes in the last block how far it is filled.
  private mutating func sealLast() {
    if let cursor { blocks[blocks.count - 1].end = cursor - blocks[blocks.count - 1].base }
  }

  /// Ends what `reserve` began: everything up to `end` belongs to the stream. Returns how many bytes that is more.
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

  /// Whether `append` may be called: nothing waits that is not shared.
  @inline(__always)
  var takesSharedLines: Bool { room < 0 }

  /// Takes a line without copying it.
  @inline(__always)
  mutating func append(_ line: SharedLines.Line) {
    assert(takesSharedLines)
    count += line.bytes.count
    if let cursor, UnsafeRawPointer(cursor) == line.bytes.baseAddress {
      self.cursor = cursor + line.bytes.count
    } else {
      beginStretch(line)
    }
  }

  @inline(never)
  private mutating func beginStretch(_ line: SharedLines.Line) {
    sealLast()
    line.block.hold()
    blocks.append(Block(base: line.block.memory, start: line.start, end: line.end, capacity: 0))
    cursor = line.block.memory + line.end
  }

  /// Fills `buffers` with the first unsent bytes and returns how many places it used.
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

  /// Forgets the first `bytes` bytes, which the kernel has. Where it does not have all, what is left of shared lines is
  /// copied, and no address holds any more that `unsent` gave for them.
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

  /// Takes shared lines over into blocks of its own, before those that are so already.
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

  /// Forgets all there is, which is one block: what nearly every write takes.
  private mutating func consumeOnly(into pool: inout BlockPool) {
    release(blocks[0], to: &pool)
    blocks.removeLast()
    count = 0
    cursor = nil
    room = -1
  }

  /// Forgets everything.
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

/// Blocks of outboxes that are used again, so that steady traffic allocates none.
///
/// With mixed peers: 13,503 instead of 13,988 instructions a request, and 1.9 instead of 4.7 allocations
/// (`Benchmarks/compare --instructions`).
struct BlockPool: ~Copyable {
  /// One block: 32 lines of 512 bytes, or what one write of a busy loop turn takes.
  static let blockBytes = 16 << 10
  /// Blocks kept for later at most: 4 MiB.
  private static let most = 256
  private var free: [UnsafeMutableRawPointer] = []

  deinit {
    for block in free { block.deallocate() }
  }

  mutating func take() -> UnsafeMutableRawPointer {
    free.popLast() ?? .allocate(byteCount: BlockPool.blockBytes, alignment: 16)
  }

  mutating func give(_ block: UnsafeMutableRawPointer) {
    if free.count < BlockPool.most { free.append(block) } else { block.deallocate() }
  }
}
