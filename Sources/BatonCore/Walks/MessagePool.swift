/// Memory of messages that is used again, so that steady traffic of small ones allocates none.
struct MessagePool: ~Copyable {
  /// Bytes of one piece: what nearly every message fits in.
  private static let pieceBytes = 512
  /// Pieces kept for later at most: 2 MiB.
  private static let most = 4096
  /// The piece to be used next; each holds the address of the one behind it.
  private var first: UnsafeMutableRawPointer?
  private var count = 0

  deinit {
    var piece = first
    while let this = piece {
      piece = this.load(as: UnsafeMutableRawPointer?.self)
      this.deallocate()
    }
  }

  /// Room for `count` bytes, which the caller fills.
  @inline(__always)
  mutating func take(_ count: Int) -> OwnedBytes {
    guard count <= MessagePool.pieceBytes else { return OwnedBytes(count: count) }
    guard let piece = first else {
      return OwnedBytes(
        memory: .allocate(byteCount: MessagePool.pieceBytes, alignment: 16), count: count,
        capacity: MessagePool.pieceBytes)
    }
    first = piece.load(as: UnsafeMutableRawPointer?.self)
    self.count -= 1
    return OwnedBytes(memory: piece, count: count, capacity: MessagePool.pieceBytes)
  }

  /// Takes back what a message no longer needs.
  @inline(__always)
  mutating func give(_ bytes: consuming OwnedBytes) {
    guard count < MessagePool.most, let piece = bytes.memory(of: MessagePool.pieceBytes) else { return }
    piece.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
    first = piece
    count += 1
  }
}
