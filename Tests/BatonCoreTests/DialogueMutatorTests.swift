import FuzzKit
import Testing

/// The lines with which the server is fuzzed: what is true of each of them, and that every way to change one is used.
@Suite struct DialogueMutatorTests {
  private static let transcripts = [
    #"{"op":"send","id":1,"topic":"door.open","payload":{"door":3}}"#, #"{"op":"insert","handler":"porter"}"#,
    #"{"op":"handled","id":1,"payload":[1]}"#, #"{"op":"reject","message":"no","id":2}"#, #"{"op":"dance"}"#,
    #"{"op":"broadcast","topic":"$baton.link"}"#, "GET / HTTP/1.1",
  ].map { Array($0.utf8) }
  private static let source = DialogueMutator.Source(transcripts, ops: ["send", "insert", "handled", "reject"])

  private func lines(seed: UInt64, peer: Int, count: Int) -> [[UInt8]] {
    var mutator = DialogueMutator(seed: seed, peer: peer, source: Self.source)
    return (0..<count).map { $0 % 3 == 0 ? mutator.verdict(for: $0, plain: false) : mutator.request() }
  }

  @Test func theSameSeedGivesTheSameLines() {
    #expect(lines(seed: 1, peer: 2, count: 500) == lines(seed: 1, peer: 2, count: 500))
    #expect(lines(seed: 1, peer: 2, count: 500) != lines(seed: 1, peer: 3, count: 500))
    #expect(lines(seed: 1, peer: 2, count: 500) != lines(seed: 2, peer: 2, count: 500))
  }

  @Test func eachIsOneLineThatBeginsWithABrace() {
    for line in lines(seed: 7, peer: 1, count: 20_000) {
      #expect(line.first == UInt8(ascii: "{") && !line.contains(0x0A))
    }
  }

  @Test func someStayAsTheyAreAndMostDoNot() {
    let lines = lines(seed: 3, peer: 1, count: 3000).enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
    let same = lines.filter { Self.transcripts.contains($0) }.count
    #expect((lines.count / 5...lines.count * 3 / 5).contains(same))
  }

  @Test func someAreValidAndSomeAreNot() {
    let valid = lines(seed: 3, peer: 1, count: 3000).filter { ReferenceReader.read($0) != nil }.count
    #expect((1500...2900).contains(valid))
  }

  @Test func theServersOwnTopicsAreLeftOut() {
    let text = lines(seed: 9, peer: 1, count: 5000).map { String(decoding: $0, as: UTF8.self) }
    #expect(!text.contains { $0.contains("$baton") })
  }

  @Test func aPlainVerdictIsRight() {
    var mutator = DialogueMutator(seed: 1, peer: 1, source: Self.source)
    for offer in 1...200 {
      let members = LineMembers(mutator.verdict(for: offer, plain: true))
      #expect(members?.entries.count == 2 && ["handled", "reject"].contains(members?.op))
      #expect(members?.value(of: "id") == Array("\(offer)".utf8))
    }
  }

  @Test func verdictsAreForOffersNearby() {
    var mutator = DialogueMutator(seed: 1, peer: 1, source: Self.source)
    let ids = (0..<2000).compactMap { _ in
      LineMembers(mutator.verdict(for: 5000, plain: false))?.value(of: "id").flatMap {
        Int(String(decoding: $0, as: UTF8.self))
      }
    }
    #expect(ids.filter { $0 == 5000 }.count > 1000)
    #expect(Set(ids).isSuperset(of: [4997, 4998, 4999, 5001, 5002, 5003]))
  }
}
