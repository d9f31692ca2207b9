/// Memory of messages that is used again: steady traffic of messages that are not long allocates nothing. It knows no
/// messages, only pieces of memory of three sizes.
///
/// With mixed peers: 13,503 instead of 13,633 instructions a request; chain of three: 6,228 instead of 6,630 a message
/// (`Benchmarks/compare --instructions`).
struct MessagePool: ~Copyable {
  /// The bytes of a small piece, into which nearly every message fits. The others are for those who send more: a piece has
  /// at most twice the bytes for which its message counts.
  private static let smallBytes = 512
  private static let middleBytes = 1024
  private static let largeBytes = 2048
  private var small = MessagePieces(of: MessagePool.smallBytes)
  private var middle = MessagePieces(of: MessagePool.middleBytes)
  private var large = MessagePieces(of: MessagePool.largeBytes)

  /// Memory for `count` bytes, which the caller fills.
  @inline(__always)
  mutating func take(_ count: Int) -> MessageMemory {
    guard count > MessagePool.smallBytes || !Spare.isKept else {
      return MessageMemory(small.take(), capacity: MessagePool.smallBytes)
    }
    return takeMore(count)
  }

  @inline(never)
  private mutating func takeMore(_ count: Int) -> MessageMemory {
    if count >= MessageMemory.leastShared { return MessageMemory(SharedBlock(room: count)) }
    guard count <= MessagePool.largeBytes, Spare.isKept else {
      return MessageMemory(.allocate(byteCount: count, alignment: 16), capacity: count)
    }
    if count <= MessagePool.middleBytes { return MessageMemory(middle.take(), capacity: MessagePool.middleBytes) }
    return MessageMemory(large.take(), capacity: MessagePool.largeBytes)
  }

  /// Takes back the memory of a message that has ended.
  @inline(__always)
  mutating func give(_ memory: inout MessageMemory) {
    switch memory.capacity {
    case MessagePool.smallBytes: small.give(memory.handOver())
    case MessagePool.middleBytes: middle.give(memory.handOver())
    case MessagePool.largeBytes: large.give(memory.handOver())
    default: memory.release()
    }
  }
}

/// Pieces of memory of one size that are used again.
struct MessagePieces: ~Copyable {
  private let bytes: Int
  /// The most pieces that are kept for later: 2 MiB.
  private let most: Int
  /// The piece to use next. Each kept piece holds the address of the next one.
  private var first: UnsafeMutableRawPointer?
  private var count = 0

  init(of bytes: Int) {
    self.bytes = bytes
    most = Spare.most((2 << 20) / bytes)
  }

  deinit {
    var piece = first
    while let this = piece {
      piece = this.load(as: UnsafeMutableRawPointer?.self)
      this.deallocate()
    }
  }

  @inline(__always)
  mutating func take() -> UnsafeMutableRawPointer {
    guard let piece = first else { return .allocate(byteCount: bytes, alignment: 16) }
    first = piece.load(as: UnsafeMutableRawPointer?.self)
    count -= 1
    return piece
  }

  @inline(__always)
  mutating func give(_ piece: UnsafeMutableRawPointer) {
    guard count < most else { return piece.deallocate() }
    piece.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
    first = piece
    count += 1
  }
}

/// The memory of one message: its own, or a block that it shares with the outboxes in which its offers wait.
struct MessageMemory: ~Copyable {
  /// Messages of so many bytes are shared. A shorter one is copied sooner than referred to.
  static let leastShared = 4 << 10

  /// The first byte.
  let start: UnsafeMutableRawPointer
  /// The bytes that it has; `shared` or `gone` if they are not its own.
  private(set) var capacity: Int

  private static let shared = 0
  private static let gone = -1

  /// Takes over memory.
  @inline(__always)
  init(_ start: UnsafeMutableRawPointer, capacity: Int) {
    self.start = start
    self.capacity = capacity
  }

  /// Holds a block, which is the caller's up to now.
  init(_ block: SharedBlock) {
    start = block.memory + SharedBlock.header
    capacity = MessageMemory.shared
  }

  /// Uses the memory of another message, which keeps it longer; or holds its block, too.
  init(sharing other: borrowing MessageMemory) {
    start = other.start
    capacity = other.block == nil ? MessageMemory.gone : MessageMemory.shared
    block?.hold()
  }

  /// The block, if it is shared.
  @inline(__always)
  var block: SharedBlock? {
    capacity == MessageMemory.shared ? SharedBlock(memory: start - SharedBlock.header) : nil
  }

  /// Gives up the memory.
  @inline(__always)
  mutating func handOver() -> UnsafeMutableRawPointer {
    capacity = MessageMemory.gone
    return start
  }

  /// Frees the memory, or holds the block no more.
  mutating func release() {
    free()
    capacity = MessageMemory.gone
  }

  private func free() { if capacity > 0 { start.deallocate() } else if let block { block.letGo() } }

  deinit { free() }
}
