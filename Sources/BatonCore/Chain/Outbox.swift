/// What waits to be written to one connection: bytes in blocks that stay where they are until the kernel has them.
///
/// Lines are built straight in here (`reserve`, then `commit`); a line may run on from one block into the next, since
/// what is kept is a stream of bytes. An outbox without unsent bytes owns no memory.
struct Outbox: ~Copyable {
  private struct Block {
    var base: UnsafeMutableRawPointer
    var start: Int
    /// Where the block's bytes end; of the last block, `cursor` says it.
    var end: Int
    var capacity: Int
  }

  private var blocks: [Block] = []
  private var first = 0
  /// Where the next line goes in the last block, and how much room is behind it: appending looks at nothing else.
  private var cursor: UnsafeMutableRawPointer?
  private var room = 0
  /// Bytes that wait to be written.
  private(set) var count = 0

  deinit {
    for block in blocks[first...] { block.base.deallocate() }
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

  /// How far the last block is filled.
  private var filledOfLast: Int {
    guard let cursor, let last = blocks.last else { return 0 }
    return cursor - last.base
  }

  /// Notes in the last block how far it is filled.
  private mutating func sealLast() {
    if let last = blocks.indices.last { blocks[last].end = filledOfLast }
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

  /// Fills `buffers` with the first unsent bytes and returns how many places it used.
  func unsent(into buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) -> Int {
    var used = 0
    var at = first
    while used < buffers.count, at < blocks.count {
      let block = blocks[at]
      let end = at == blocks.count - 1 ? filledOfLast : block.end
      if end > block.start {
        buffers[used] = UnsafeRawBufferPointer(start: block.base + block.start, count: end - block.start)
        used += 1
      }
      at += 1
    }
    return used
  }

  /// Forgets the first `bytes` bytes, which the kernel has.
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
      room = 0
    } else if first > 64, first * 2 > blocks.count {
      blocks.removeFirst(first)
      first = 0
    }
  }

  /// Forgets all there is, which is one block: what nearly every write takes.
  private mutating func consumeOnly(into pool: inout BlockPool) {
    release(blocks[0], to: &pool)
    blocks.removeLast()
    count = 0
    cursor = nil
    room = 0
  }

  /// Forgets everything.
  mutating func clear(into pool: inout BlockPool) { consume(count, into: &pool) }

  private func release(_ block: Block, to pool: inout BlockPool) {
    if block.capacity == BlockPool.blockBytes {
      pool.give(block.base)
    } else {
      block.base.deallocate()
    }
  }
}

/// Blocks of outboxes that are used again, so that steady traffic allocates none.
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
