internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

extension Stream {
  /// The user of the process at the other end of a Unix socket, as the kernel noted it when the process connected; nil
  /// for TCP.
  public var peerUser: UInt32? {
    guard kind == .unix, let descriptor else { return nil }
    #if canImport(Darwin)
      var (user, group): (uid_t, gid_t) = (0, 0)
      return getpeereid(descriptor, &user, &group) == 0 ? user : nil
    #else
      // glibc declares `struct ucred` for C programs that define _GNU_SOURCE only: process, user and group.
      var credentials = SIMD4<UInt32>()
      var length = socklen_t(12)
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, length == 12 else {
        return nil
      }
      return credentials[1]
    #endif
  }

  /// Whether the peer has sent bytes that were not read yet.
  public var hasUnread: Bool {
    guard let descriptor else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
  }

  private var descriptor: Int32? {
    var descriptor: uv_os_fd_t = -1
    let handle = UnsafeRawPointer(memory).assumingMemoryBound(to: uv_handle_t.self)
    return !isClosing && uv_fileno(handle, &descriptor) == 0 ? descriptor : nil
  }
}
