import Testing

@testable import BatonCore

/// What is left out of the results of a message of mode `all` (contract, section 4).
@Suite struct ResultsTests {
  private func written(_ results: borrowing Results, in room: Int) -> String {
    var line = OwnedBytes()
    let bound = results.bound
    var writer = LineWriter(at: line.reserve(bound + LineWriter.slack), room: bound)
    _ = results.write(to: &writer, room: room)
    line.extend(to: writer.cursor)
    return String(decoding: line.bytes, as: UTF8.self)
  }

  private func append(_ payload: String, by: String, to results: inout Results, most: Int) {
    let by = OwnedBytes(copying: Array("\"\(by)\"".utf8))
    let payload = OwnedBytes(copying: Array(payload.utf8))
    results.append(by: by.bytes, isHidden: false, payload: payload.bytes, most: most)
    extendLifetime(by)
    extendLifetime(payload)
  }

  @Test func payloadsAreLeftOutBeforeLinks() {
    var results = Results()
    for by in ["a", "b", "c"] { append("12345678", by: by, to: &results, most: 1000) }
    let all = ["a", "b", "c"].map { "{\"by\":\"\($0)\",\"payload\":12345678}" }.joined(separator: ",")
    let whole = ",\"results\":[\(all)]"
    for room in 0...whole.utf8.count + 20 {
      let text = written(results, in: room)
      #expect(text.utf8.count <= max(room, #","results":[],"truncated":true"#.utf8.count), "\(room)")
      #expect((text == whole) == (room >= whole.utf8.count), "\(room)")
      #expect(text.contains("truncated") || text == whole)
      if text.contains("payload") { #expect(text.contains(#""by":"c""#), "\(room)") }
    }
    #expect(written(results, in: 62) == #","results":[{"by":"a"},{"by":"b"},{"by":"c"}],"truncated":true"#)
    #expect(written(results, in: 51) == #","results":[{"by":"a"},{"by":"b"}],"truncated":true"#)
  }

  /// What is kept of payloads gives way to the names that come after it.
  @Test func payloadsGiveWayToNames() {
    for most in 40...200 {
      var results = Results()
      for by in ["a", "b", "c", "d", "e"] { append("12345678", by: by, to: &results, most: most) }
      // A name takes 9 bytes, and has room where 27 are free.
      let names = min(5, (most - 27) / 9 + 1)
      let text = written(results, in: 1000)
      #expect(text.split(separator: "{").count == names + 1, "\(most): \(text)")
      #expect(text.contains("payload") == (most >= 4 * 9 + 19 + 27), "\(most): \(text)")
      if names < 5 { #expect(!text.contains("payload"), "\(most): \(text)") }
    }
  }

  /// However many links answer, what is kept is no more than a line.
  @Test func namesAreKeptAsFarAsALineGoes() {
    var results = Results()
    for number in 0..<1000 { append("", by: "handler-\(number)", to: &results, most: 4096) }
    let kept = results.bytes
    #expect(kept < 3 * 4096 && String(decoding: results.lastBy.bytes, as: UTF8.self) == "\"handler-999\"")
    append("1", by: "last", to: &results, most: 4096)
    #expect(results.bytes == kept + 1, "only its payload")
    #expect(written(results, in: 1 << 20).hasSuffix(#""}],"truncated":true"#))
  }

  /// With no room for what the message becomes, an answer takes no more than the one before it.
  @Test func withoutRoomNothingIsAdded() {
    var results = Results()
    append("1234", by: "a", to: &results, most: 1000)
    let before = results.bytes
    append("5678", by: "b", to: &results, most: 0)
    #expect(results.bytes == before && String(decoding: results.lastPayload.bytes, as: UTF8.self) == "5678")
    append("56789", by: "c", to: &results, most: 0)
    #expect(results.bytes < before && results.lastPayload.isEmpty && !results.isEmpty)
    append("9", by: "d", to: &results, most: 1000)
    #expect(written(results, in: 1000) == #","results":[{"by":"a","payload":1234}],"truncated":true"#)
    #expect(String(decoding: results.lastPayload.bytes, as: UTF8.self) == "9")
  }
}
