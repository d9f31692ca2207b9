internal import CUV

#if os(Linux)
  private import Glibc
#endif

/// Gives back to the system what is free inside the heap, in small steps.
///
/// glibc gives back only the heap's end by itself. Its `malloc_trim` holds the heap's lock for all of its work: 60 ms
/// for 500 MiB were measured, in which every other thread that allocates waits. A step takes a few blocks out of the
/// free memory and gives back their pages. Blocks are held until there are no more, so that none comes twice. What is
/// free in pieces smaller than the smallest block stays.
public final class HeapTrimmer {
  private var held: [UnsafeMutableRawPointer] = []
  private var heldBytes = 0
  private let most: Int
  /// Which of the sizes is taken now.
  private var size = 0

  /// The sizes of blocks, one after the other. The largest is less than what glibc takes from the system directly
  /// (`Heap.keepFreed`), and the smallest has a whole page inside.
  private static let sizes = [500 << 10, 120 << 10, 30 << 10, 12 << 10, 9 << 10]
  /// A step ends after so many bytes or blocks. Either takes about half a millisecond.
  private static let bytesPerStep = 4 << 20
  private static let blocksPerStep = 256

  /// Nothing is held yet. At most so many bytes will be held at the same time; they cannot be allocated meanwhile.
  public init(holdingAtMost bytes: Int = .max) { most = bytes }

  deinit { for block in held { block.deallocate() } }

  /// Gives some pages back. Returns false once there are no more.
  public func giveBack() -> Bool {
    #if os(Linux)
      let page = Int(getpagesize())
      var (bytes, blocks) = (0, 0)
      while size < HeapTrimmer.sizes.count, bytes < HeapTrimmer.bytesPerStep, blocks < HeapTrimmer.blocksPerStep {
        let count = HeapTrimmer.sizes[size]
        guard heldBytes + count <= most, let block = HeapTrimmer.freeBlock(of: count) else {
          size += 1
          continue
        }
        let start = (Int(bitPattern: block) + page - 1) & -page
        let end = (Int(bitPattern: block) + count) & -page
        if start < end { madvise(UnsafeMutableRawPointer(bitPattern: start), end - start, MADV_DONTNEED) }
        held.append(block)
        heldBytes += count
        bytes += count
        blocks += 1
      }
      return size < HeapTrimmer.sizes.count
    #else
      return false
    #endif
  }

  /// Lets go of some blocks. Returns false once none is held.
  public func letGo() -> Bool {
    for _ in 0..<HeapTrimmer.blocksPerStep {
      guard let block = held.popLast() else { return false }
      block.deallocate()
    }
    return true
  }

  #if os(Linux)
    /// A block out of the heap's free memory; nil if the heap would have to grow for it.
    private static func freeBlock(of count: Int) -> UnsafeMutableRawPointer? {
      let end = Int(bitPattern: sbrk(0))
      guard let block = malloc(count) else { return nil }
      if Int(bitPattern: block) + count <= end { return block }
      free(block)
      return nil
    }
  #endif
}
