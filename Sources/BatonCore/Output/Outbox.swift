// Output: the bytes to each connection, the limits on its messages, and whether the server reads from it. It owns
// connections, with their outboxes, accounts, pauses and clocks.

/// The bytes that wait to be written to one connection. They are in blocks that stay at their addresses until the
/// kernel has the bytes.
///
/// Lines are built directly in here (`reserve`, then `commit`). A line may begin in one block and end in the next,
/// because an outbox is a stream of bytes. Lines that other connections get, too, need not be copied as long as nothing
/// else waits (`append`). They are copied later if the peer's kernel does not take them, so that only `mostShared` bytes
/// and a stretch may wait in this way. Long lines are never copied: each has a block for itself, so that a slow peer keeps
/// nothing but what waits for it. Otherwise one long event to a hundred slow peers took four milliseconds. The members of a
/// long message are not copied either (`share`): they stand between two stretches of the same block of the outbox's own. An
/// outbox without unsent bytes owns no memory.
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
    /// The number of bytes that the block has room for. If its memory is shared: `shared`, or `long` for a long line, or
    /// `message` for the members of a long message. `part` if the memory goes on behind such members, and is released
    /// there.
    var capacity: Int

    static let shared = 0
    static let long = -1
    static let message = -2
    static let part = -3

    var isShared: Bool { capacity <= Block.shared && capacity != Block.part }
    /// The bytes of the block that are held and do not wait.
    var surplus: Int { capacity == Block.message ? SharedBlock(memory: base).capacity - (end - start) : 0 }
    /// Whether it is copied if the peer's kernel does not take all.
    var isCopied: Bool { capacity == Block.shared }
    /// The room behind its bytes.
    var left: Int { capacity > 0 ? capacity - end : 0 }
  }

  /// The unsent blocks, from index `first` on. Those that are copied come before the outbox's own blocks.
  private var blocks: [Block] = []
  private var first = 0
  /// Whether some of them may be copied.
  private var hasCopied = false
  /// The end of the bytes in the last block, and the room after it. `room` is -1 if the outbox has no block of its own
  /// and takes shared lines. To add a line needs only these two.
  private var cursor: UnsafeMutableRawPointer?
  private var room = -1
  /// The number of bytes that wait to be written.
  private(set) var count = 0
  /// The bytes that the blocks of long messages have beside those that wait.
  private var surplus = 0

  deinit {
    for block in blocks[first...] {
      if block.isShared {
        SharedBlock(memory: block.base).letGo()
      } else if block.capacity != Block.part {
        block.base.deallocate()
      }
    }
  }

  /// What the unsent bytes take: of a long message its whole block, however little of it waits.
  @inline(__always)
  var held: Int { count &+ surplus }

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

  /// Adds a shared line without a copy. It is a long one, or the outbox takes shared lines.
  @inline(__always)
  mutating func append(_ line: SharedLine) {
    assert(takesSharedLines || line.isLong)
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
    blocks.append(
      Block(
        base: line.block.memory, start: line.start, end: line.end, capacity: line.isLong ? Block.long : Block.shared))
    cursor = line.block.memory + line.end
    if !line.isLong { hasCopied = true }
    // The next line is copied into a block of the outbox's own.
    if room >= 0 || count > Outbox.mostShared { room = 0 }
  }

  /// Adds the members of a long message without a copy. Returns how many bytes more are held.
  @inline(never)
  mutating func share(_ members: SharedLine) -> Int {
    let before = held
    let own = room >= 0 ? blocks.last.map { $0.capacity > 0 } ?? false : false
    sealLast()
    // They rarely come alone.
    if blocks.capacity < 32 { blocks.reserveCapacity(32) }
    members.block.hold()
    let block = Block(base: members.block.memory, start: members.start, end: members.end, capacity: Block.message)
    blocks.append(block)
    count += members.end - members.start
    surplus += block.surplus
    guard own else {
      cursor = block.base + block.end
      room = 0
      return held - before
    }
    // What comes next goes on behind what came before.
    var last = blocks[blocks.count - 2]
    blocks[blocks.count - 2].capacity = Block.part
    last.start = last.end
    blocks.append(last)
    cursor = last.base + last.end
    return held - before
  }

  /// Fills `buffers` with the first unsent bytes, at most `most`. Returns the number of buffers used, and that of bytes.
  @inline(__always)
  func unsent(
    atMost most: Int, into buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) -> (used: Int, bytes: Int) {
    var (used, bytes) = (0, 0)
    var at = first
    while used < buffers.count, bytes < most, at < blocks.count {
      let block = blocks[at]
      let there = min(end(of: at) - block.start, most - bytes)
      if there > 0 {
        buffers[used] = UnsafeRawBufferPointer(start: block.base + block.start, count: there)
        used += 1
        bytes += there
      }
      at += 1
    }
    return (used, bytes)
  }

  /// Where the bytes of a block end.
  @inline(__always)
  private func end(of at: Int) -> Int {
    if at == blocks.count - 1, let cursor { return cursor - blocks[at].base }
    return blocks[at].end
  }

  /// A copy of the unsent bytes, without the first `known` ones.
  func copy(from known: Int) -> [UInt8] {
    var (passed, bytes) = (known, [UInt8]())
    for at in first..<blocks.count {
      let there = end(of: at) - blocks[at].start
      let start = blocks[at].base + blocks[at].start
      bytes += UnsafeRawBufferPointer(start: start, count: there).dropFirst(passed)
      passed = max(0, passed - there)
    }
    return bytes
  }

  /// The bytes of the line that begins so many bytes behind the first unsent one, without its LF.
  func lengthOfLine(from start: Int) -> Int {
    var (passed, count) = (start, 0)
    for at in first..<blocks.count {
      let block = blocks[at]
      let there = end(of: at) - block.start
      if passed >= there {
        passed -= there
        continue
      }
      let rest = UnsafeRawBufferPointer(start: block.base + block.start + passed, count: there - passed)
      if let found = rest.lineFeed { return count + found }
      count += rest.count
      passed = 0
    }
    return count
  }

  /// Removes the first `bytes` bytes, because the kernel has them. If the kernel has not taken all bytes, the rest of
  /// the shared lines is copied.
  mutating func consume(_ bytes: Int, into pool: inout BlockPool) {
    precondition(bytes <= count, "more was written than was unsent")
    if bytes == count, blocks.count == 1 { return consumeOnly(into: &pool) }
    sealLast()
    count -= bytes
    var left = bytes
    while first < blocks.count {
      let there = blocks[first].end - blocks[first].start
      surplus -= blocks[first].surplus
      if left < there {
        blocks[first].start += left
        surplus += blocks[first].surplus
        break
      }
      left -= there
      release(blocks[first], to: &pool)
      first += 1
    }
    if first == blocks.count {
      blocks.removeAll(keepingCapacity: keepsList)
      first = 0
      cursor = nil
      room = -1
      hasCopied = false
    } else if first > 64, first * 2 > blocks.count {
      blocks.removeFirst(first)
      first = 0
    }
    if hasCopied { copyShared(from: &pool) }
  }

  /// Copies shared lines into blocks of the outbox's own, but for long ones.
  private mutating func copyShared(from pool: inout BlockPool) {
    let waiting = blocks[first...]
    (blocks, first, hasCopied) = ([], 0, false)
    (cursor, room) = (nil, 0)
    for block in waiting {
      if block.isCopied {
        let bytes = block.end - block.start
        let memory = reserve(bytes, from: &pool)
        memory.copyMemory(from: block.base + block.start, byteCount: bytes)
        cursor = memory + bytes
        room -= bytes
        release(block, to: &pool)
      } else {
        sealLast()
        blocks.append(block)
        (cursor, room) = (block.base + block.end, block.left)
      }
    }
  }

  /// Whether an outbox without unsent bytes keeps the list of its blocks: one for a few, and not one that was long once.
  @inline(__always)
  private var keepsList: Bool { blocks.capacity <= 4 }

  /// Removes all bytes of an outbox that has one block. Nearly every write does this.
  private mutating func consumeOnly(into pool: inout BlockPool) {
    release(blocks[0], to: &pool)
    if keepsList { blocks.removeLast() } else { blocks = [] }
    count = 0
    surplus = 0
    cursor = nil
    room = -1
    hasCopied = false
  }

  /// Removes all bytes.
  mutating func clear(into pool: inout BlockPool) { consume(count, into: &pool) }

  private func release(_ block: Block, to pool: inout BlockPool) {
    if block.isShared {
      SharedBlock(memory: block.base).letGo()
    } else if block.capacity == BlockPool.blockBytes {
      pool.give(block.base)
    } else if block.capacity != Block.part {
      block.base.deallocate()
    }
  }
}
