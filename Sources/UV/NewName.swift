internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Names that nothing has yet.
public enum NewName {
  /// Gives a file another name, in one step, and replaces nothing. Returns 0, or the number of the error: `EEXIST` if something
  /// has the name; `EINVAL`, `ENOSYS` or `ENOTSUP` if the disk or the system cannot do that.
  public static func give(_ path: String, _ name: String) -> Int32 {
    #if canImport(Darwin)
      return renamex_np(path, name, UInt32(RENAME_EXCL)) == 0 ? 0 : errno
    #else
      return renameat2(AT_FDCWD, path, AT_FDCWD, name, noReplace) == 0 ? 0 : errno
    #endif
  }

  /// `RENAME_NOREPLACE`, which Swift does not see.
  private static let noReplace: UInt32 = 1
}
