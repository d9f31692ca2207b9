#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What the system knows about users and groups.
public enum SystemNames {
  /// A user's number; nil if there is no such user here.
  public static func userNumber(_ name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }

  /// A group's number; nil if there is no such group here.
  public static func groupNumber(_ name: String) -> UInt32? { getgrnam(name)?.pointee.gr_gid }
}
