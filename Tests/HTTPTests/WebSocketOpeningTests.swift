import HTTP
import Testing

@Suite struct WebSocketOpeningTests {
  private static let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
  private static let version = "Sec-WebSocket-Version: 13"
  private static let upgrade = "Upgrade: websocket\r\nConnection: Upgrade"

  private func opening(_ fields: [String], line: String = "GET /ws HTTP/1.1") -> WebSocketOpening? {
    firstHead("\(line)\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")?.wantsUpgrade
  }

  @Test func aRightOne() throws {
    let fields = [
      "upgrade: h2c, WebSocket", "Connection: keep-alive, UPGRADE", Self.key, Self.version,
      "Sec-WebSocket-Protocol: baton.1 ,x", "sec-websocket-protocol: y", "Sec-WebSocket-Extensions: permessage-deflate",
    ]
    let opening = try #require(self.opening(fields))
    #expect(opening.faults == [] && opening.key == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(opening.protocols == ["baton.1", "x", "y"])
  }

  @Test func noneWithoutUpgrade() {
    #expect(opening(["Connection: Upgrade", Self.key, Self.version]) == nil)
    #expect(opening(["Upgrade: h2c", Self.key, Self.version]) == nil)
  }

  @Test(arguments: [
    ([upgrade, key], 426), ([upgrade, key, "Sec-WebSocket-Version: 8"], 426),
    ([upgrade, key, version, version], 426), ([upgrade, key, "Sec-WebSocket-Version: 13, 8"], 426),
    (["Upgrade: websocket", key, version], 426), (["Upgrade: websocket\r\nConnection: close", key, version], 426),
    ([upgrade, version], 400), ([upgrade, version, key, key], 400), ([upgrade, version, "Sec-WebSocket-Key:"], 400),
    // Fifteen bytes, seventeen, none of base64, bits behind the last byte, no padding.
    ([upgrade, version, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAA"], 400),
    ([upgrade, version, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAAA="], 400),
    ([upgrade, version, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAA_A=="], 400),
    ([upgrade, version, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAB=="], 400),
    ([upgrade, version, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA"], 400),
    ([upgrade, version, key, "Sec-WebSocket-Protocol: a b"], 400),
    ([upgrade, version, key, "Content-Length: 3"], 400), ([upgrade, version, key, "Transfer-Encoding: chunked"], 400),
  ])
  func faults(fields: [String], status: Int) {
    let faults = opening(fields)?.faults
    #expect(faults?.map(\.status) == [status], "\(String(describing: faults))")
  }

  @Test func methodsAndVersions() {
    let fields = [Self.upgrade, Self.key, Self.version]
    #expect(opening(fields, line: "POST /ws HTTP/1.1")?.faults.map(\.status) == [400])
    #expect(opening(fields, line: "GET /ws HTTP/1.0")?.faults.map(\.status) == [426])
    #expect(opening(fields + ["Content-Length: 0"])?.faults == [])
  }
}
