import Testing
import WorldKit

@testable import Proxies

/// Whose request it is; `Tests/Doors/test_forwarded.py` has the cases one by one.
@Suite struct ForwardingHeaderTests {
  private static func rules(_ header: ForwardingHeader) throws -> ProxyRules {
    ProxyRules(proxies: [try AddressRange("10.0.0.0/8"), try AddressRange("2001:db8::/32")], header: header)
  }

  private static func found(_ header: ForwardingHeader, _ fields: [String], schemes: [String] = []) throws -> String? {
    let rules = try rules(header)
    do throws(ProxyFault) {
      guard let peer = try header.peer(fields: fields, schemes: schemes, rules) else { return nil }
      return "\(peer.address) \(peer.port.map { "\($0)" } ?? "-") \(peer.scheme)"
    } catch {
      return "refused"
    }
  }

  @Test func aProxysOwnRequest() throws {
    for header in ForwardingHeader.allCases { #expect(try Self.found(header, [], schemes: ["nonsense"]) == nil) }
  }

  @Test func theSchemeIsThatOfTheClient() throws {
    #expect(try Self.found(.xForwardedFor, ["1.2.3.4"], schemes: ["https"]) == "1.2.3.4 - encrypted")
    #expect(try Self.found(.xForwardedFor, ["1.2.3.4"], schemes: ["ws"]) == "1.2.3.4 - plain")
    #expect(try Self.found(.xForwardedFor, ["1.2.3.4"], schemes: ["https", "https"]) == "refused")
    #expect(try Self.found(.xForwardedFor, ["1.2.3.4"], schemes: [""]) == "refused")
    let chain = "for=6.6.6.6;proto=http, for=1.2.3.4;proto=https, for=10.0.0.1;proto=http"
    #expect(try Self.found(.forwarded, [chain], schemes: ["http"]) == "1.2.3.4 - encrypted")
  }

  /// Whoever is between two proxies reads what is not encrypted there.
  @Test(arguments: [
    ("for=1.2.3.4;proto=https", ForwardedPeer.Scheme.encrypted), ("for=1.2.3.4;proto=http", .plain),
    ("for=1.2.3.4", .unknown), ("for=1.2.3.4;proto=https, for=10.0.0.1;proto=https", .encrypted),
    ("for=1.2.3.4;proto=https, for=10.0.0.1;proto=http", .plain), ("for=1.2.3.4;proto=https, for=10.0.0.1", .unknown),
    ("for=1.2.3.4;proto=http, for=10.0.0.1;proto=https", .plain),
    ("for=1.2.3.4;proto=https, for=10.0.0.2;proto=http, for=10.0.0.1;proto=https", .plain),
    ("for=1.2.3.4;proto=https, for=10.0.0.2;proto=http, for=10.0.0.1", .plain),
    // What stands further left is the client's own words.
    ("for=6.6.6.6;proto=http, for=1.2.3.4;proto=https", .encrypted),
    // All are proxies.
    ("for=10.0.0.2;proto=http, for=10.0.0.1;proto=https", .plain),
    // This stays on a proxy's machine.
    ("for=127.0.0.1;proto=http", .encrypted), ("for=127.0.0.1;proto=http, for=10.0.0.1;proto=http", .plain),
    ("for=127.0.0.1, for=10.0.0.1;proto=https", .encrypted),
  ])
  func theWayIsAsSafeAsItsLeastSafePart(value: String, way: ForwardedPeer.Scheme) throws {
    let peer = try ForwardingHeader.forwarded.peer(fields: [value], schemes: [], Self.rules(.forwarded))
    #expect(peer?.way == way)
  }

  /// `X-Forwarded-Proto` is one word for the whole way.
  @Test(arguments: [
    ("1.2.3.4, 10.0.0.1", ["https"], ForwardedPeer.Scheme.encrypted), ("1.2.3.4, 10.0.0.1", ["http"], .plain),
    ("1.2.3.4, 10.0.0.1", [], .unknown), ("127.0.0.1", ["http"], .encrypted),
    ("127.0.0.1, 10.0.0.1", ["http"], .plain), ("127.0.0.1, 10.0.0.1", [], .unknown),
  ])
  func oneWordIsSaidOfTheWholeWay(value: String, schemes: [String], way: ForwardedPeer.Scheme) throws {
    let header = ForwardingHeader.xForwardedFor
    #expect(try header.peer(fields: [value], schemes: schemes, Self.rules(header))?.way == way)
  }

  /// Whatever a client writes, what the proxy adds behind it counts, or all is refused.
  @Test(arguments: 1...20) func nothingThatAClientWritesCounts(seed: UInt64) throws {
    var luck = Generator(seed: seed)
    let words = [
      "6.6.6.6", "10.0.0.9", "unknown", "_x", ",", ",", ";", "=", "\"", "\\", " ", "\t", "for", "for=", "proto=https",
      "[", "]", ":",
      "[::6]", "\u{E9}", "FOR=6.6.6.6", ";;", "a=\"b\"", "for=\"",
    ]
    for _ in 0..<150 {
      let mess = (0..<luck.below(9)).map { _ in luck.pick(words) }.joined()
      // Appended to the client's own field, or a field of its own.
      let joins = luck.chance(50) && !mess.isEmpty
      let hop = luck.chance(30)
      let one = "1.2.3.4" + (hop ? ", 10.0.0.1" : "")
      let first = try Self.found(.xForwardedFor, joins ? ["\(mess), \(one)"] : [mess, one])
      #expect(first == "1.2.3.4 - unknown", "\(mess)")
      let added =
        luck.pick(["for=1.2.3.4", "for=\"1.2.3.4\"", "for=\"1.2.3.4:5\""]) + (hop ? ", for=\"[2001:db8::1]\"" : "")
      let second = try Self.found(.forwarded, joins ? ["\(mess), \(added)"] : [mess, added])
      #expect(second == "refused" || second?.hasPrefix("1.2.3.4 ") == true, "\(mess) \(second ?? "")")
    }
  }
}
