/// Whether memory is kept for later use.
///
/// Memory that is kept is still there when it is used by mistake, so that AddressSanitizer finds nothing. A build with
/// `-D BATON_KEEP_NOTHING` gives everything back at once: each element of a `Table` has a piece of its own, and the pools
/// are empty. Such a build is slow, and otherwise it does the same.
enum Spare {
  #if BATON_KEEP_NOTHING
    static let isKept = false
  #else
    static let isKept = true
  #endif

  /// `most`, or 0 if nothing is kept.
  @inline(__always)
  static func most(_ most: Int) -> Int { isKept ? most : 0 }
}
