internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A file descriptor that is closed with its last owner.
struct Descriptor: ~Copyable {
  let number: Int32

  /// Takes over what a system call returned: a descriptor, or -1 with the reason in `errno`.
  init(owning number: Int32) throws(UVError) {
    guard number >= 0 else { throw .ofLastCall }
    self.number = number
  }

  deinit { _ = close(number) }

  /// Gives the descriptor to the caller, still open.
  consuming func handOver() -> Int32 {
    let number = number
    discard self
    return number
  }

  /// A spare descriptor, which is closed when another one is needed.
  static func spare() throws(UVError) -> Descriptor {
    try Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
  }
}

extension UVError {
  /// The error of the last system call.
  static var ofLastCall: UVError { UVError(code: uv_translate_sys_error(errno)) }
}
