import BatonClient
import Testing

@testable import baton

/// What a post tells of a try of a durable message.
@Suite struct PostHeadersTests {
  /// The id of an offer, and its headers that tell of durable messages.
  private func told(
    walk start: String = "a", stored: String? = nil, try number: Int? = nil, resent: String? = nil
  ) async throws -> [String] {
    let handler = Handler("bill", in: "orders") { message in
      let id = PostHeaders.id(of: message, start: start)
      let headers = PostHeaders(message, id: id, timestamp: "0").all
      let names: Set = ["Baton-Stored", "Baton-Try", "Baton-Resent"]
      return .handled([id] + headers.filter { names.contains($0.name) }.map { "\($0.name): \($0.value)" })
    }
    return try await handler.offer("t", stored: stored, try: number, resent: resent).payload?.decode() ?? []
  }

  @Test func allTriesHaveOneID() async throws {
    let first = try await told(stored: "s-1")
    // The server has started anew meanwhile.
    let second = try await told(walk: "b", stored: "s-1", try: 2)
    #expect(first.dropFirst() == ["Baton-Stored: s-1", "Baton-Try: 1"])
    #expect(second.dropFirst() == ["Baton-Stored: s-1", "Baton-Try: 2"])
    #expect(first.first == second.first)
    // SHA-256 of s-1/orders/bill
    #expect(first.first == "msg_12e606710b41e751049a8f7e088f8610")
  }

  @Test func anotherMessageHasAnother() async throws {
    let new = try await told(stored: "s-2", resent: "s-1")
    #expect(new.dropFirst() == ["Baton-Stored: s-2", "Baton-Try: 1", "Baton-Resent: s-1"])
    #expect(try await new.first != told(stored: "s-1").first)
    #expect(try await told().count == 1)
    #expect(try await told() != told(walk: "b"))
  }
}
