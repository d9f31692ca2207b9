#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Why a store cannot be used, in one line that says what to do.
package struct StoreError: Error, CustomStringConvertible, Sendable {
  package let description: String
  /// Whether it may be over by itself, or when somebody has made room: then the same start may succeed later.
  package let mayPass: Bool

  package init(_ description: String, mayPass: Bool = false) {
    self.description = description
    self.mayPass = mayPass
  }

  /// Whether what the system says (`errno`) may be over by itself, or when somebody has made room.
  static func mayPass(_ reason: Int32) -> Bool { [ENOSPC, EDQUOT, EMFILE, ENFILE, EIO, ENOMEM].contains(reason) }
}
