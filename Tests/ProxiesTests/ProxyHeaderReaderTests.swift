import Testing
import WorldKit

@testable import Proxies

/// Headers of the PROXY protocol, whole and in pieces; `Tests/Doors/test_proxy_protocol.py` has more that are wrong.
@Suite struct ProxyHeaderReaderTests {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

  private static func two(_ command: UInt8, _ family: UInt8, _ content: [UInt8]) -> [UInt8] {
    signature + [command, family, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
  }

  /// What is read of bytes that come in these pieces, and how many were read.
  private static func read(_ pieces: [ArraySlice<UInt8>]) -> (ProxyHeaderReader.Event, Int) {
    var reader = ProxyHeaderReader()
    var count = 0
    for piece in pieces {
      var position = 0
      let event = piece.withUnsafeBytes { reader.read($0, at: &position) }
      count += position
      if event != .needsMore { return (event, count) }
    }
    return (.needsMore, count)
  }

  private static let right: [(bytes: [UInt8], header: ProxyHeader)] = [
    (Array("PROXY TCP4 1.2.3.4 5.6.7.8 9 10\r\n".utf8), .peer(IPAddress(four: 0x0102_0304), port: 9)),
    (Array("PROXY TCP6 ::ffff:1.2.3.4 ::1 65535 0\r\n".utf8), .peer(IPAddress(four: 0x0102_0304), port: 65535)),
    (Array("PROXY UNKNOWN\r\n".utf8), .own), (Array("PROXY UNKNOWN a b\r\n".utf8), .own),
    (two(0x21, 0x11, [1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 0, 10]), .peer(IPAddress(four: 0x0102_0304), port: 9)),
    (
      two(
        0x21, 0x21,
        [0x20, 1] + [UInt8](repeating: 0, count: 13) + [7] + [UInt8](repeating: 1, count: 16) + [1, 0, 0, 10, 9]),
      .peer(IPAddress(high: 0x2001_0000_0000_0000, low: 7), port: 256)
    ),
    (two(0x20, 0x00, []), .own), (two(0x20, 0x11, [1, 2, 3]), .own), (two(0x21, 0x00, [1]), .own),
    (two(0x21, 0x31, [UInt8](repeating: 65, count: 216)), .own),
    (
      two(0x21, 0x11, [1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 0, 10] + [UInt8](repeating: 4, count: 4068)),
      .peer(IPAddress(four: 0x0102_0304), port: 9)
    ),
  ]

  /// Nothing behind the header is read, wherever it is cut.
  @Test func headersAreReadInEachWayOfCutting() {
    for (bytes, header) in Self.right {
      let all = bytes + Array("{\"op\":\"ping\"}\n".utf8)
      let step = max(1, bytes.count / 200)
      for cut in stride(from: 0, through: all.count, by: step) {
        let (event, count) = Self.read([all[..<cut], all[cut...]])
        #expect(event == .header(header) && count == bytes.count, "\(bytes.prefix(40)) \(cut)")
      }
      let (event, count) = Self.read(all.indices.map { all[$0...$0] })
      #expect(event == .header(header) && count == bytes.count)
      for cut in 0..<bytes.count { #expect(Self.read([bytes[..<cut]]).0 == .needsMore) }
    }
  }

  /// A byte that is changed, left out, or put in: what is found does not depend on how it is cut, is found within the bounds,
  /// and is a header only if it has the form of one.
  @Test(arguments: 1...20) func damagedHeaders(seed: UInt64) {
    var luck = Generator(seed: seed)
    for _ in 0..<150 {
      var bytes = luck.pick(Self.right.map(\.bytes)) + luck.pick([[], [10], Array("PROXY ".utf8)])
      for _ in 0...luck.below(3) {
        let place = luck.below(min(bytes.count, 60))
        switch luck.below(3) {
        case 0: bytes[place] = UInt8(luck.below(256))
        case 1: bytes.remove(at: place)
        default: bytes.insert(luck.pick(Array("0123456789. :\r\n\0PROXYTCP46UNKNOWN".utf8)), at: place)
        }
      }
      let whole = Self.read([bytes[...]])
      let cut = luck.below(bytes.count + 1)
      let pieces = Self.read([bytes[..<cut], bytes[cut...]])
      #expect(whole == pieces, "\(bytes) \(cut)")
      #expect(whole == Self.read(bytes.indices.map { bytes[$0...$0] }), "\(bytes)")
      #expect(whole.1 <= ProxyHeaderReader.mostOfTwo)
      if case .header = whole.0 {
        #expect(bytes.starts(with: Self.signature) || bytes.starts(with: Array("PROXY ".utf8)))
      }
      if case .needsMore = whole.0 { #expect(whole.1 == bytes.count) }
    }
  }

  @Test func headersHaveABound() {
    let line = Array("PROXY UNKNOWN ".utf8)
    let longest = line + [UInt8](repeating: 65, count: 107 - 2 - line.count) + [13, 10]
    #expect(Self.read([longest[...]]).0 == .header(.own))
    let longer = Self.read([(line + [UInt8](repeating: 65, count: 1000))[...]])
    #expect(longer.1 == 107)
    #expect(longer.0 == .fault(ProxyFault("the header of the proxy is longer than 107 bytes")))
    let much = Self.read([(Self.signature + [0x20, 0, 0x10, 0])[...]])
    #expect(much.0 == .fault(ProxyFault("the header of the proxy is longer than 4096 bytes")))
  }

  @Test func aSecondHeaderIsSeen() {
    for (bytes, _) in Self.right { #expect(bytes.withUnsafeBytes { ProxyHeaderReader.begins($0) }) }
    for text in ["", "PROXY", "{\"op\":\"ping\"}", "\r\n\r\n", "POST / HTTP/1.1"] {
      #expect(Array(text.utf8).withUnsafeBytes { !ProxyHeaderReader.begins($0) })
    }
  }
}
