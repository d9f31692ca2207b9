/// Memory of messages that is used again: steady traffic of small messages allocates nothing. It knows no messages,
/// only pieces of memory of one size.
///
/// With mixed peers: 13,503 instead of 13,633 instructions a request; chain of three: 6,228 instead of 6,630 a message
/// (`Benchmarks/compare --instructions`).
struct MessagePool: ~Copyable {
  /// The bytes of one piece. Nearly every message fits into one.
  private static let pieceBytes = 512
  /// The most pieces that are kept for later: 2 MiB.
  private static let most = Spare.most(4096)
  /// The piece to use next. Each kept piece holds the address of the next one.
  private var first: UnsafeMutableRawPointer?
  private var count = 0

  deinit {
    var piece = first
    while let this = piece {
      piece = this.load(as: UnsafeMutableRawPointer?.self)
      this.deallocate()
    }
  }

  /// Memory for `count` bytes, which the caller fills.
  @inline(__always)
  mutating func take(_ count: Int) -> OwnedBytes {
    guard count <= MessagePool.pieceBytes, Spare.isKept else { return OwnedBytes(count: count) }
    guard let piece = first else {
      return OwnedBytes(
        memory: .allocate(byteCount: MessagePool.pieceBytes, alignment: 16), count: count,
        capacity: MessagePool.pieceBytes)
    }
    first = piece.load(as: UnsafeMutableRawPointer?.self)
    self.count -= 1
    return OwnedBytes(memory: piece, count: count, capacity: MessagePool.pieceBytes)
  }

  /// Takes back the memory of a message that has ended.
  @inline(__always)
  mutating func give(_ bytes: consuming OwnedBytes) {
    guard count < MessagePool.most, let piece = bytes.memory(of: MessagePool.pieceBytes) else { return }
    piece.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
    first = piece
    count += 1
  }
}
