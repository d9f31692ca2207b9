import Testing

@testable import Proxies

@Suite struct IPAddressTests {
  @Test(arguments: [
    ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
    ("2001:DB8::0:7", "2001:db8::7"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
    ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"), ("::ffff:1.2.3.4", "1.2.3.4"), ("::ffff:102:304", "1.2.3.4"),
    ("64:ff9b::1.2.3.4", "64:ff9b::102:304"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::8", "::8"),
  ])
  func isRead(text: String, spelling: String) throws {
    #expect(try #require(IPAddress(text)).description == spelling)
    #expect(IPAddress(spelling) == IPAddress(text))
  }

  @Test(arguments: [
    "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "+1.2.3.4", "1..2.3", "0x1.2.3.4", ":", ":::",
    "1:",
    ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1::", "12345::", "g::", "::1.2.3", "1.2.3.4::",
    "1:2:3:4:5:6:7:1.2.3.4", "[::1]", "fe80::1%eth0", "localhost", "::1/64", String(repeating: "1:", count: 40),
  ])
  func isNone(text: String) { #expect(IPAddress(text) == nil) }

  @Test func theNetworksBytes() {
    #expect(IPAddress(networkBytes: [1, 2, 3, 4])?.description == "1.2.3.4")
    #expect(
      IPAddress(networkBytes: [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [7])?.description
        == "2001:db8::7")
    #expect(IPAddress(networkBytes: [1, 2, 3]) == nil)
  }

  @Test func whatItIs() throws {
    for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
      #expect(try #require(IPAddress(text)).isLoopback)
    }
    for text in ["128.0.0.1", "::2", "1::1", "::7f00:1"] { #expect(try !#require(IPAddress(text)).isLoopback) }
    for text in ["0.0.0.0", "::", "::ffff:0.0.0.0"] { #expect(try #require(IPAddress(text)).isUnspecified) }
    #expect(try !#require(IPAddress("::1")).isUnspecified)
  }
}

@Suite struct AddressRangeTests {
  @Test(arguments: [
    (
      "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
      ["11.0.0.0", "9.255.255.255", "a00::", "::a00:0"]
    ),
    ("10.0.0.5", ["10.0.0.5"], ["10.0.0.4", "::a00:5"]),
    ("2001:db8::/64", ["2001:db8::", "2001:db8::ffff:ffff:ffff:ffff"], ["2001:db8:0:1::", "10.0.0.1"]),
    ("2001:db8::/31", ["2001:db9::1"], ["2001:dba::"]),
    // Addresses of IPv4 are never in a range of IPv6.
    ("::fffe:0:0/95", ["::fffe:0:1"], ["10.0.0.1"]), ("128.0.0.0/8", ["128.255.0.1"], ["127.0.0.1", "129.0.0.1"]),
    // Private networks may be named whole.
    ("fc00::/7", ["fdff::1"], ["fe00::1"]), ("fe80::/10", ["febf::1"], ["fec0::1"]),
    ("2001::/16", ["2001:ffff::1"], ["2002::1"]),
    ("2001:db8:0:0:8000::/65", ["2001:db8::8000:0:0:1"], ["2001:db8::7000:0:0:1"]),
  ])
  func hasAddresses(text: String, inside: [String], outside: [String]) throws {
    let range = try AddressRange(text)
    #expect(range.description == text)
    for one in inside { #expect(try range.contains(#require(IPAddress(one))), "\(one)") }
    for one in outside { #expect(try !range.contains(#require(IPAddress(one))), "\(one)") }
  }

  @Test func oneAddressMayHaveAllItsBits() throws {
    #expect(try AddressRange("10.0.0.5/32") == AddressRange("10.0.0.5"))
    #expect(try AddressRange("2001:db8::7/128") == AddressRange("2001:db8::7"))
  }

  @Test(arguments: [
    ("", AddressRange.Flaw.unreadable), ("nginx", .unreadable), ("10.0.0.0/33", .unreadable),
    ("10.0.0.0/", .unreadable),
    ("10.0.0.0/08", .unreadable), ("::/129", .unreadable), ("::ffff:10.0.0.0/104", .unreadable),
    ("0.0.0.0", .unreadable),
    ("::", .unreadable), ("10.0.0.0/8/8", .unreadable), ("0.0.0.0/0", .everybody), ("::/0", .everybody),
    ("0.0.0.0/1", .tooWide(least: 8)), ("128.0.0.0/1", .tooWide(least: 8)), ("10.0.0.0/7", .tooWide(least: 8)),
    ("::/1", .tooWide(least: 16)), ("8000::/1", .tooWide(least: 16)), ("2000::/15", .tooWide(least: 16)),
    ("fc00::/6", .tooWide(least: 7)), ("fe80::/9", .tooWide(least: 10)), ("ff00::/8", .tooWide(least: 16)),
    ("0.0.0.0/8", .nobody), ("0.0.0.0/32", .nobody), ("0.1.0.0/8", .nobody), ("::/16", .nobody), ("::/64", .nobody),
    ("10.0.0.1/8", .surplusBits(meant: "10.0.0.0/8")), ("2001:db8::7/64", .surplusBits(meant: "2001:db8::/64")),
  ])
  func isNone(text: String, flaw: AddressRange.Flaw) { #expect(throws: flaw) { try AddressRange(text) } }
}
