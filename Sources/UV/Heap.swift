internal import CUV

/// The process's heap.
public enum Heap {
  /// Keeps up to 4 MiB of freed memory at hand, and takes blocks of up to 512 KiB out of it. All threads share one
  /// heap: glibc would reserve 64 MiB of address space for the heap of each other thread.
  ///
  /// glibc gives memory back as soon as 128 KiB at the heap's end are free, and faults it in again with the next
  /// messages: with 64 of 16 KiB each in flight, up to 2.7 page faults a message were counted, and 10 to 40 % more
  /// time.
  ///
  /// There are no lists of small free pieces beside the heap's own (`M_MXFAST`). glibc joins them all at once, at some
  /// later call: after a million pieces were freed, this call took half a second.
  public static func keepFreed() {
    #if os(Linux)
      mallopt(M_TRIM_THRESHOLD, 4 << 20)
      mallopt(M_MMAP_THRESHOLD, 512 << 10)
      mallopt(M_ARENA_MAX, 1)
      mallopt(M_MXFAST, 0)
    #endif
  }
}
