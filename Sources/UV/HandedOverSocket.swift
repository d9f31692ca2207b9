internal import CUV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A socket that another process has opened and that listens: its descriptor, and where it is. It owns nothing until a
/// `Listener` takes it over.
public struct HandedOverSocket: Sendable {
  /// The descriptor.
  public let number: Int32
  /// Where it listens. A Unix socket without a file has the path `@NAME`.
  public let endpoint: Endpoint

  /// Why a descriptor is no such socket.
  public enum Flaw: Error, Equatable, Sendable {
    /// It is not open, or no socket.
    case noSocket
    /// It takes datagrams, for instance.
    case noStream
    /// It is a connection, or nothing listens yet.
    case doesNotListen
    /// It is neither TCP nor a Unix socket.
    case foreignFamily
  }

  /// Looks at a descriptor. Programs that this process starts do not get it.
  public init(_ number: Int32) throws(Flaw) {
    self.number = number
    guard let kind = Self.option(SO_TYPE, of: number) else { throw .noSocket }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    guard kind == streamSocketType else { throw .noStream }
    guard Self.option(SO_ACCEPTCONN, of: number) == 1 else { throw .doesNotListen }
    guard let endpoint = Self.endpoint(of: number) else { throw .foreignFamily }
    self.endpoint = endpoint
  }

  private static func option(_ name: Int32, of number: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(number, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }

  private static func endpoint(of number: Int32) -> Endpoint? {
    // An `Address` has no room for a path.
    var storage = sockaddr_storage()
    var bytes = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &bytes) }
    }
    guard result == 0 else { return nil }
    switch Int32(storage.ss_family) {
    case AF_INET, AF_INET6: return Address(ofSocket: number).map { .tcp(host: $0.host, port: $0.port) }
    case AF_UNIX: return .unix(path: withUnsafeBytes(of: storage) { path($0.prefix(Int(bytes))) })
    default: return nil
    }
  }

  /// The path in the address of a Unix socket. A name without a file begins with a NUL.
  private static func path(_ address: Slice<UnsafeRawBufferPointer>) -> String {
    let name = address.dropFirst(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2)
    let isAbstract = name.first == 0 && name.count > 1
    let visible = isAbstract ? name.dropFirst() : name.prefix { $0 != 0 }
    return (isAbstract ? "@" : "") + String(decoding: visible, as: UTF8.self)
  }
}
