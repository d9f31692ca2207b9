/// One address, or all that begin with the same bits: `10.0.0.5`, `10.0.0.0/24`, `2001:db8::/64`.
public struct AddressRange: Hashable, Sendable {
  /// The first address of the range.
  public let first: IPAddress
  /// How many bits of the 128 all have in common.
  private let bits: Int

  /// Why a text is none.
  public enum Flaw: Error, Equatable {
    /// It is neither an address nor a range.
    case unreadable
    /// The address has bits behind those that the number behind the slash keeps. This is the range that is meant.
    case surplusBits(meant: String)
    /// All addresses of a kind are in it.
    case everybody
    /// It has more addresses than anybody's proxies. This is the least number behind the slash.
    case tooWide(least: Int)
    /// It begins at the address of nobody: `0.0.0.0` or `::`.
    case nobody
  }

  /// Reads an address or a range.
  public init(_ text: String) throws(Flaw) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]), !address.isUnspecified || parts.count == 2 else { throw .unreadable }
    let most = address.isIPv4 ? 32 : 128
    guard parts.count == 2 else {
      (first, bits) = (address, 128)
      return
    }
    // `::ffff:10.0.0.0/104` would be read in two ways.
    let isMapped = address.isIPv4 && parts[0].contains(":")
    guard !isMapped, let kept = IPAddress.decimal(Array(parts[1].utf8)[...], most: most) else { throw .unreadable }
    guard kept > 0 else { throw .everybody }
    let least = AddressRange.leastBits(of: address)
    guard kept >= least else { throw .tooWide(least: least) }
    bits = 128 - most + kept
    first = AddressRange.cut(address, to: bits)
    guard !first.isUnspecified else { throw .nobody }
    guard first == address else { throw .surplusBits(meant: "\(first)/\(kept)") }
  }

  /// Whether an address is in it.
  public func contains(_ address: IPAddress) -> Bool {
    address.isIPv4 == first.isIPv4 && AddressRange.cut(address, to: bits) == first
  }

  /// The fewest bits of a range: a few wide ones together would be everybody. The private networks of IPv6 (`fc00::/7`) and
  /// those of one link (`fe80::/10`) may be named whole, as `10.0.0.0/8`.
  private static func leastBits(of address: IPAddress) -> Int {
    if address.isIPv4 { return 8 }
    return address.high >> 57 == 0xFC >> 1 ? 7 : address.high >> 54 == 0xFE80 >> 6 ? 10 : 16
  }

  private static func cut(_ address: IPAddress, to bits: Int) -> IPAddress {
    IPAddress(
      high: address.high & mask(bits), low: address.low & mask(bits - 64))
  }

  private static func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }
}

extension AddressRange: CustomStringConvertible {
  /// As the file spells it.
  public var description: String { bits == 128 ? "\(first)" : "\(first)/\(bits - (first.isIPv4 ? 96 : 0))" }
}
