#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Tells a service manager how the server is, as `sd_notify` does. It never waits: what the manager does not take is
/// lost, and so is everything if the socket cannot be opened.
struct NotifySocket: ~Copyable {
  private let number: Int32
  private var address = sockaddr_un()
  private let length: socklen_t

  init(_ path: String) {
    #if canImport(Darwin)
      number = socket(AF_UNIX, SOCK_DGRAM, 0)
    #else
      number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #endif
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    // A name without a file begins with a NUL, and ends with the address.
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    let room = MemoryLayout<sockaddr_un>.size - start - 1
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.prefix(room)) }
    length = socklen_t(start + min(name.count, room))
  }

  deinit { if number >= 0 { close(number) } }

  /// Sends lines such as `READY=1`.
  func tell(_ lines: String...) {
    guard number >= 0 else { return }
    let text = Array(lines.joined(separator: "\n").utf8)
    _ = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(number, text, text.count, 0, $0, length) }
    }
  }
}
