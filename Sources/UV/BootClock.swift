#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A clock that never goes back, and counts while the machine sleeps: only differences have a meaning.
public enum BootClock {
  /// Milliseconds since an arbitrary start, rounded down.
  public static var milliseconds: Int64 {
    var time = timespec()
    #if canImport(Darwin)
      clock_gettime(CLOCK_MONOTONIC, &time)
    #else
      clock_gettime(CLOCK_BOOTTIME, &time)
    #endif
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec / 1_000_000)
  }

  /// Names the start of the machine since which it counts: no other start has this name. Nil if the system does not tell.
  public static let boot: String? = {
    var bytes = [UInt8](repeating: 0, count: 64)
    var count = bytes.count
    #if canImport(Darwin)
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
    #else
      let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      count = read(descriptor, &bytes, bytes.count)
    #endif
    // Behind its signs stands a line's end, or a zero.
    let signs = bytes.prefix(max(0, count)).filter { $0 > 0x20 }
    return signs.isEmpty ? nil : String(decoding: signs, as: UTF8.self)
  }()
}
