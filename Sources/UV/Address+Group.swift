internal import CUV

extension Address {
  /// Whether it is this machine itself: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    guard let bytes = bytesOfIPv6 else { return bytesOfIPv4.first == 127 }
    return Address.mapped(bytes).map { $0.first == 127 } ?? (bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1)
  }

  /// What counts as one peer's address: an IPv4 address, or the first 64 bits of an IPv6 address, which one home or one
  /// rented machine has for itself.
  public var group: UInt64 {
    guard let bytes = bytesOfIPv6 else { return Address.number(bytesOfIPv4) }
    return Address.mapped(bytes).map { Address.number($0) } ?? Address.number(Array(bytes.prefix(8)))
  }

  private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  /// The IPv4 address in an IPv6 address of the form `::ffff:127.0.0.1`.
  private static func mapped(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else { return nil }
    return Array(bytes.suffix(4))
  }

  private var bytesOfIPv4: [UInt8] {
    withPointer { address in
      address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
      }
    }
  }

  private var bytesOfIPv6: [UInt8]? {
    guard family == AF_INET6 else { return nil }
    return withPointer { address in
      address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
      }
    }
  }
}
