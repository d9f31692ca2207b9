/// What stands in front of a connection's own bytes (the PROXY protocol, versions 1 and 2).
public enum ProxyHeader: Equatable, Sendable {
  /// The proxy speaks for itself (`LOCAL`: it looks whether the server is there), or does not know for whom (`UNKNOWN`). The
  /// connection's own address counts.
  case own
  /// Where the peer is for which the proxy has connected.
  case peer(IPAddress, port: UInt16)
}

/// Reads the header of one connection, strictly. What it finds does not depend on how the bytes were cut.
public struct ProxyHeaderReader: Sendable {
  /// What the bytes say.
  public enum Event: Equatable, Sendable {
    /// All bytes were read, and the header is not whole.
    case needsMore
    /// It is whole; the connection's own bytes begin at `position`.
    case header(ProxyHeader)
    /// This is no header, and nothing of the connection counts.
    case fault(ProxyFault)
  }

  /// The most bytes of a header of version 1, with its CR LF.
  public static let mostOfOne = 107
  /// The most bytes of a header of version 2, with what proxies add to the addresses.
  public static let mostOfTwo = 4096

  private static let beginOfOne = Array("PROXY ".utf8)
  private static let beginOfTwo: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  private static let headOfTwo = 16

  private var held: [UInt8] = []

  /// A reader before the first byte.
  public init() {}

  /// Whether a byte has come.
  public var hasBegun: Bool { !held.isEmpty }

  /// Whether bytes are the beginning of a header: one may not follow another.
  public static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.starts(with: beginOfOne) || bytes.starts(with: beginOfTwo)
  }

  /// Reads on in `bytes` from `position`, and moves it. Nothing is read behind a header or a fault.
  public mutating func read(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> Event {
    do {
      while position < bytes.count {
        // What comes behind the addresses of version 2 is taken in one piece.
        let wanted = max(1, (length ?? 0) - held.count)
        let end = position + min(wanted, bytes.count - position)
        held.append(contentsOf: bytes[position..<end])
        position = end
        if let header = try found() { return .header(header) }
      }
      return .needsMore
    } catch {
      return .fault(error)
    }
  }

  /// The bytes of a header of version 2, once they are known.
  private var length: Int? {
    guard held.count >= ProxyHeaderReader.headOfTwo, held[0] == 0x0D else { return nil }
    return ProxyHeaderReader.headOfTwo + Int(held[14]) << 8 + Int(held[15])
  }

  /// What the bytes up to here say; nil if more have to come.
  private func found() throws(ProxyFault) -> ProxyHeader? {
    let begin = held[0] == 0x0D ? ProxyHeaderReader.beginOfTwo : ProxyHeaderReader.beginOfOne
    guard held.prefix(begin.count).elementsEqual(begin.prefix(held.count)) else {
      throw ProxyFault("no header of the PROXY protocol came first")
    }
    if held.count < begin.count { return nil }
    if held[0] == 0x0D { return try second() }
    if held.last == 0x0A { return try first() }
    guard held.count < ProxyHeaderReader.mostOfOne else {
      throw ProxyFault("the header of the proxy is longer than \(ProxyHeaderReader.mostOfOne) bytes")
    }
    return nil
  }

  // MARK: Version 1

  private func first() throws(ProxyFault) -> ProxyHeader {
    let fault = ProxyFault("the header of the proxy is not PROXY TCP4 or TCP6 with two addresses and two ports")
    guard held.dropLast().last == 0x0D else { throw fault }
    let words = held.dropLast(2).split(separator: 0x20, omittingEmptySubsequences: false)
    if words[1].elementsEqual("UNKNOWN".utf8) { return .own }
    let isFour = words[1].elementsEqual("TCP4".utf8)
    guard words.count == 6, isFour || words[1].elementsEqual("TCP6".utf8),
      let address = ProxyHeaderReader.address(words[2], isFour),
      ProxyHeaderReader.address(words[3], isFour) != nil, let port = IPAddress.decimal(words[4], most: 65_535),
      IPAddress.decimal(words[5], most: 65_535) != nil
    else { throw fault }
    return try peer(address, UInt16(port))
  }

  private static func address(_ text: ArraySlice<UInt8>, _ isFour: Bool) -> IPAddress? {
    text.contains(UInt8(ascii: ":")) == isFour ? nil : IPAddress(text: text)
  }

  // MARK: Version 2

  private func second() throws(ProxyFault) -> ProxyHeader? {
    guard let length else { return nil }
    guard length <= ProxyHeaderReader.mostOfTwo else {
      throw ProxyFault("the header of the proxy is longer than \(ProxyHeaderReader.mostOfTwo) bytes")
    }
    guard held[12] == 0x20 || held[12] == 0x21 else {
      throw ProxyFault("the header of the proxy has an unknown version or command")
    }
    if held[12] == 0x20 { return held.count == length ? .own : nil }
    let size: Int
    switch held[13] {
    case 0x00: size = 0
    case 0x11: size = 4
    case 0x21: size = 16
    case 0x31: size = 108
    case 0x12, 0x22, 0x32: throw ProxyFault("the header of the proxy speaks of datagrams")
    default: throw ProxyFault("the header of the proxy has an unknown kind of addresses")
    }
    // Two addresses, and two ports where they have any.
    let least = size == 0 || size == 108 ? 2 * size : 2 * size + 4
    guard length >= ProxyHeaderReader.headOfTwo + least else {
      throw ProxyFault("the header of the proxy is shorter than its addresses")
    }
    guard held.count == length else { return nil }
    guard size == 4 || size == 16,
      let address = IPAddress(networkBytes: held[ProxyHeaderReader.headOfTwo..<ProxyHeaderReader.headOfTwo + size])
    else { return .own }
    let port = ProxyHeaderReader.headOfTwo + 2 * size
    return try peer(address, UInt16(held[port]) << 8 | UInt16(held[port + 1]))
  }

  private func peer(_ address: IPAddress, _ port: UInt16) throws(ProxyFault) -> ProxyHeader {
    guard !address.isUnspecified else { throw ProxyFault("the header of the proxy names nobody's address") }
    return .peer(address, port: port)
  }
}
