internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The system calls of a listener: a socket that is bound, then listens, then gives connections.
///
/// They are made here and not by libuv, because libuv closes new connections silently when the process has no
/// descriptors left.
struct ListeningSocket: ~Copyable {
  private let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  var number: Int32 { descriptor.number }

  /// A socket bound to a TCP address. `sharesPort`: another socket of this process has the port, and shares it, too.
  static func bound(to address: Address, sharesPort: Bool) throws(UVError) -> ListeningSocket {
    let descriptor = try socket(family: address.family)
    let number = descriptor.number
    // A restarted server need not wait for the last connections of the one before it.
    set(SO_REUSEADDR, true, of: number)
    if sharesPort { set(SO_REUSEPORT, true, of: number) }
    let result = address.withPointer { bind(number, $0, address.length) }
    if result != 0 { throw .ofLastCall }
    return ListeningSocket(descriptor)
  }

  /// A socket that listens already; another process has opened it. It belongs to the result from now on.
  static func takingOver(_ socket: HandedOverSocket) throws(UVError) -> ListeningSocket {
    ListeningSocket(try Descriptor(owning: socket.number))
  }

  /// Whether other sockets of this user may have the port, too.
  func sharePort(_ isShared: Bool) { ListeningSocket.set(SO_REUSEPORT, isShared, of: number) }

  private static func set(_ option: Int32, _ isOn: Bool, of number: Int32) {
    var value: Int32 = isOn ? 1 : 0
    _ = setsockopt(number, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// A socket that has made its file at `path`.
  static func bound(toPath path: String) throws(UVError) -> ListeningSocket {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.utf8.count < place.count else { return false }
      place.copyBytes(from: path.utf8)
      return true
    }
    guard fits else { throw .nameTooLong }
    let descriptor = try socket(family: AF_UNIX)
    let number = descriptor.number
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result != 0 { throw .ofLastCall }
    return ListeningSocket(descriptor)
  }

  private static func socket(family: Int32) throws(UVError) -> Descriptor {
    let descriptor = try Descriptor(owning: systemSocket(family, streamSocketType, 0))
    _ = fcntl(descriptor.number, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  /// Peers can connect from now on.
  func listen() throws(UVError) {
    if systemListen(number, Int32(Listener.backlog)) != 0 { throw .ofLastCall }
  }

  /// The next peer that has connected, or nil if there is none. Over TCP, `address` is the one from which it has connected: of a
  /// peer that has gone by then (a reset), nothing else tells it.
  func accept(from address: inout Address) throws(UVError) -> Descriptor? {
    let number = number
    let newcomer = address.fill { pointer, length in
      #if os(Linux)
        accept4(number, pointer, &length, Int32(SOCK_CLOEXEC.rawValue))
      #else
        systemAccept(number, pointer, &length)
      #endif
    }
    if newcomer < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) { return nil }
    #if !os(Linux)
      _ = fcntl(newcomer, F_SETFD, FD_CLOEXEC)
    #endif
    return try Descriptor(owning: newcomer)
  }

  /// The actual TCP address.
  var address: Address? { Address(ofSocket: number) }

  /// Sends `words` to a new connection and closes it.
  static func turnAway(_ newcomer: consuming Descriptor, saying words: [UInt8]) {
    // Closing a socket with unread bytes resets the connection, and the words could be lost.
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { said in
      _ = recv(newcomer.number, said.baseAddress, said.count, doNotWait)
    }
    _ = words.withUnsafeBytes { send(newcomer.number, $0.baseAddress, $0.count, doNotWait) }
    _ = shutdown(newcomer.number, Int32(SHUT_WR))
  }
}

// The system's functions. The methods above have the same names.
private func systemSocket(_ family: Int32, _ kind: Int32, _ protocol: Int32) -> Int32 {
  socket(family, kind, `protocol`)
}
private func systemListen(_ socket: Int32, _ backlog: Int32) -> Int32 { listen(socket, backlog) }
#if canImport(Darwin)
  private func systemAccept(
    _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ length: UnsafeMutablePointer<socklen_t>?
  ) -> Int32 { accept(socket, address, length) }
#endif

#if canImport(Darwin)
  private let doNotWait = MSG_DONTWAIT
#else
  private let doNotWait = Int32(MSG_DONTWAIT)
#endif
