import Foundation

/// A plain blocking TCP socket with a limit on every wait. Knows bytes, not lines.
struct Socket {
  private let descriptor: Int32

  /// Connects to a port of this machine.
  init(port: UInt16) throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw Self.failure("socket") }
    // Little room, so that the server soon feels a peer that does not read.
    var room: Int32 = 1 << 16
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard status == 0 else { throw Self.failure("connect") }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Waits until the socket can be read or written as asked; false once the limit is over.
  func wait(reading: Bool, writing: Bool, milliseconds: Int) -> (readable: Bool, writable: Bool) {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    if reading { entry.events |= Int16(POLLIN) }
    if writing { entry.events |= Int16(POLLOUT) }
    guard poll(&entry, 1, Int32(milliseconds)) > 0 else { return (false, false) }
    let broken = entry.revents & Int16(POLLERR | POLLHUP) != 0
    return (reading && (broken || entry.revents & Int16(POLLIN) != 0), entry.revents & Int16(POLLOUT) != 0 || broken)
  }

  /// What can be read at once: bytes, an empty array at the end of the stream or where it broke, nil where nothing
  /// has come.
  func read() -> [UInt8]? {
    let capacity = 1 << 16
    var status = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      status = recv(descriptor, buffer.baseAddress, capacity, 0)
      count = max(status, 0)
    }
    return status < 0 && (errno == EAGAIN || errno == EINTR) ? nil : bytes
  }

  /// Writes what the kernel takes at once; returns how much that was, or nil where the connection is broken.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let status = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL.value)) }
    if status >= 0 { return status }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Shuts down the writing side.
  func halfClose() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes; as a reset where `resetting`.
  func close(resetting: Bool = false) {
    if resetting {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
    Foundation.close(descriptor)
  }

  private static func failure(_ call: String) -> StageError {
    StageError("\(call): \(String(cString: strerror(errno)))")
  }
}

extension BinaryInteger {
  fileprivate var value: Int { Int(self) }
}
extension RawRepresentable where RawValue: BinaryInteger {
  fileprivate var value: Int { Int(rawValue) }
}
