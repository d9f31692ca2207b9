import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A stream to or from one child. No other child inherits it, so it ends when that child's side ends.
package struct PrivateStream {
  /// The test's side.
  package let ours: Int32
  /// The child's side.
  package let theirs: Int32

  /// Opens both sides. Throws if the system has no descriptors left.
  package init() throws {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin)
      guard socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #else
      // Tests run side by side: the flag must be there from the first moment, which pipe() cannot do.
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw POSIXError(.EMFILE) }
    #endif
    ours = ends[0]
    theirs = ends[1]
  }
}
