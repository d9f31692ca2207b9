#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// What the system knows about users and groups.
public enum SystemNames {
  /// Bytes that the path of a Unix socket may have.
  static let mostSocketPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// A user's number; nil if there is no such user here.
  public static func userNumber(_ name: String) -> UInt32? {
    find {
      getpwnam_r(name, $0, $1, $2, $3)
    } number: {
      $0.pw_uid
    }
  }

  /// A group's number; nil if there is no such group here.
  public static func groupNumber(_ name: String) -> UInt32? {
    find {
      getgrnam_r(name, $0, $1, $2, $3)
    } number: {
      $0.gr_gid
    }
  }

  /// Looks in the system's tables, from any thread. An entry of more than a megabyte counts as none.
  private static func find<Entry>(
    _ look: (
      UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    )
      -> Int32,
    number: (Entry) -> UInt32
  ) -> UInt32? {
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    defer { entry.deallocate() }
    var room = 4096
    while room <= 1 << 20 {
      let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: room)
      defer { bytes.deallocate() }
      var found: UnsafeMutablePointer<Entry>?
      let result = look(entry, bytes, room, &found)
      if result == 0 { return found.map { number($0.pointee) } }
      guard result == ERANGE else { return nil }
      room *= 4
    }
    return nil
  }
}
