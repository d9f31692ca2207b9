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
    var size: Int32 = 0
    let address = try? Address { address, length in
      var long = socklen_t(length)
      let result = getsockname(number, address, &long)
      size = Int32(long)
      return result
    }
    guard let address else { return nil }
    switch address.family {
    case AF_INET, AF_INET6: return .tcp(host: address.host, port: address.port)
    case AF_UNIX: return .unix(path: path(address, bytes: Int(size)))
    default: return nil
    }
  }

  /// The path of a Unix socket. A name without a file begins with a NUL.
  private static func path(_ address: Address, bytes: Int) -> String {
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    return address.withPointer { pointer in
      let name = UnsafeRawBufferPointer(start: pointer, count: max(bytes, start))[start...]
      let isAbstract = name.first == 0 && name.count > 1
      let visible = isAbstract ? name.dropFirst() : name.prefix { $0 != 0 }
      return (isAbstract ? "@" : "") + String(decoding: visible, as: UTF8.self)
    }
  }
}
