import Testing

@testable import BatonClient

/// What is sent within a handler says its trace (Docs/build-a-client.md, 45).
@Suite struct TraceparentTests {
  private static let said = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  private static let alone = "{\"traceparent\":\"\(said)\"}"

  private struct Meta: Encodable {
    var a = 1
  }

  @Test func anObjectSaysItAndOtherValuesStay() throws {
    try Traceparent.$current.withValue(Self.said) { () throws in
      #expect(try Traceparent.handedOn(Payload?.none)?.json == Self.alone)
      #expect(try Traceparent.handedOn([String: Int]())?.json == Self.alone)
      #expect(try Traceparent.handedOn(Meta())?.json == Self.alone.dropLast() + ",\"a\":1}")
      #expect(try Traceparent.handedOn(["traceparent": "mine"])?.json == "{\"traceparent\":\"mine\"}")
      #expect(try Traceparent.handedOn([1])?.json == "[1]")
      #expect(try Traceparent.handedOn("text")?.json == "\"text\"")
      #expect(try Traceparent.handedOn(Payload(json: "{\"a\": 1}"))?.json == "{\"a\": 1}")
    }
    #expect(try Traceparent.handedOn(Meta())?.json == "{\"a\":1}")
    #expect(try Traceparent.handedOn(Payload?.none) == nil)
  }
}
