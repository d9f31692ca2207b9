internal import CUV

/// A numeric TCP address.
public struct Address: CustomStringConvertible {
  /// An address of IPv6, or in its first bytes one of IPv4. Each accepted stream keeps one, and `sockaddr_storage` has a
  /// hundred bytes more.
  private var storage: sockaddr_in6

  /// Fills an address by a libuv or system call that takes a pointer and a length.
  init(filledBy fill: (UnsafeMutablePointer<sockaddr>, inout Int32) -> Int32) throws(UVError) {
    self.init()
    try UVError.check(self.fill(by: fill))
  }

  /// Where the TCP socket `number` is bound, or nil if it is not.
  init?(ofSocket number: Int32) {
    self.init()
    let result = fill { (address, length: inout socklen_t) in getsockname(number, address, &length) }
    guard result == 0, family == AF_INET || isIPv6 else { return nil }
  }

  /// No address.
  init() { storage = sockaddr_in6() }

  /// Lets a libuv or system call fill the address. Returns what it returns. The address of a Unix socket is cut off: only
  /// its family can be read.
  mutating func fill<Length: FixedWidthInteger>(
    by call: (UnsafeMutablePointer<sockaddr>, inout Length) -> Int32
  ) -> Int32 {
    var length = Length(MemoryLayout<sockaddr_in6>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
    }
  }

  /// The address of `host` and `port`, if the host is numeric, IPv4 or IPv6.
  public init(numericHost host: String, port: UInt16) throws(UVError) {
    try self.init { address, _ in
      let v4 = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { uv_ip4_addr(host, Int32(port), $0) }
      guard v4 != 0 else { return 0 }
      return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { uv_ip6_addr(host, Int32(port), $0) }
    }
  }

  /// The address of `host`, a number or a name, and `port`. The caller waits while a name is looked up. If the name has
  /// an IPv4 address, that one is used, because most peers try it.
  public static func resolve(host: String, port: UInt16, on loop: Loop) throws(UVError) -> Address {
    if let numeric = try? Address(numericHost: host, port: port) { return numeric }
    var hints = wanted
    var request = uv_getaddrinfo_t()
    try UVError.check(uv_getaddrinfo(loop.uv, &request, nil, host, String(port), &hints))
    defer { uv_freeaddrinfo(request.addrinfo) }
    let found = try list(from: request.addrinfo)
    return found.first { !$0.isIPv6 } ?? found[0]
  }

  /// What is looked for under a name.
  static var wanted: addrinfo {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = streamSocketType
    return hints
  }

  /// All addresses that the system has found; at least one.
  static func list(from first: UnsafeMutablePointer<addrinfo>?) throws(UVError) -> [Address] {
    var addresses: [Address] = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ai_next
      guard let source = entry.ai_addr, entry.ai_addrlen <= MemoryLayout<sockaddr_in6>.size else { continue }
      var address = Address()
      _ = address.fill { (target, _: inout Int32) in
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: Int(entry.ai_addrlen))
        return 0
      }
      addresses.append(address)
    }
    guard !addresses.isEmpty else { throw UVError(UV_EAI_NONAME) }
    return addresses
  }

  /// Calls `body` with a pointer that is valid during the call.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }

  var family: Int32 { Int32(storage.sin6_family) }

  /// Bytes of the address that `withPointer` shows.
  var length: socklen_t {
    socklen_t(isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
  }

  private var isIPv6: Bool { family == AF_INET6 }

  /// The host in numbers, without brackets.
  public var host: String {
    withPointer { address in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
        guard let text = buffer.baseAddress, uv_ip_name(address, text, 64) == 0 else { return "?" }
        return String(cString: text)
      }
    }
  }

  /// The port.
  public var port: UInt16 {
    // Both families have the port in the same place, in network order.
    withPointer { address in
      UInt16(bigEndian: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port })
    }
  }

  /// `127.0.0.1:22866` or `[::1]:22866`.
  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

#if canImport(Darwin)
  let streamSocketType = SOCK_STREAM
#else
  let streamSocketType = Int32(SOCK_STREAM.rawValue)
#endif
