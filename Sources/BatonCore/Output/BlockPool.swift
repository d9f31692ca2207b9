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
