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

  // MARK: What the lines name

  private func mutator(_ lines: String..., ops: [String]) -> DialogueMutator {
    DialogueMutator(seed: 5, peer: 1, source: DialogueMutator.Source(lines.map { Array($0.utf8) }, ops: ops))
  }

  private func answer(_ line: String, to mutator: inout DialogueMutator) {
    let bytes = Array(line.utf8)
    mutator.seen.take(bytes, op: LineMembers(bytes)?.op ?? "")
  }

  /// The values of this member in lines that are valid.
  private func values(of name: String, in mutator: inout DialogueMutator) -> Set<String> {
    Set(
      (0..<2000).compactMap { _ in
        let line = mutator.request()
        guard ReferenceReader.read(line) != nil else { return nil }
        return LineMembers(line)?.value(of: name).map { String(decoding: $0, as: UTF8.self) }
      })
  }

  private static let verdict = #"{"op":"handled"}"#

  @Test func namesOfStoredMessagesAreThoseThatWereSeen() {
    var mutator = mutator(#"{"op":"stored","stored":<*s>}"#, Self.verdict, ops: ["stored", "handled"])
    #expect(values(of: "stored", in: &mutator).contains(#""k3f9m2q8w1x7c5z4-1042""#))
    answer(#"{"op":"accepted","id":1,"stored":"a-1"}"#, to: &mutator)
    answer(#"{"op":"ok","id":1,"stored":"a-2"}"#, to: &mutator)
    answer(#"{"op":"result","id":1,"status":"timeout","hops":0,"stored":"a-3","try":0,"dead":true}"#, to: &mutator)
    answer(
      #"{"op":"dead","dead":[{"stored":"a-4","key":"\"stored\":\""},{"stored":"a-5"}],"more":false}"#, to: &mutator)
    answer(#"{"op":"result","id":1,"status":"handled","hops":1,"stored":"b-1","try":1}"#, to: &mutator)
    let seen = values(of: "stored", in: &mutator)
    #expect(seen.isSuperset(of: (1...5).map { "\"a-\($0)\"" }))
    #expect(!seen.contains { $0.contains("b-1") || $0.contains("1042") })
  }

  @Test func theEpochIsTheLatest() {
    let line = #"{"op":"subscribe","topics":["a"],"after":0,"epoch":<*e>}"#
    var mutator = mutator(line, Self.verdict, ops: ["subscribe", "handled"])
    answer(#"{"op":"ok","seq":0,"epoch":"first"}"#, to: &mutator)
    answer(#"{"op":"ok","seq":7,"epoch":"second"}"#, to: &mutator)
    let seen = values(of: "epoch", in: &mutator)
    #expect(seen.contains(#""second""#) && !seen.contains(#""first""#))
  }

  @Test func someMovesAreOfLinksThatStand() {
    var mutator = mutator(#"{"op":"move","on":"m","at":"front"}"#, Self.verdict, ops: ["move", "handled"])
    answer(#"{"op":"ok","chain":"side","handler":"h","rank":1,"position":1,"links":1,"version":1}"#, to: &mutator)
    #expect(values(of: "handler", in: &mutator).contains(#""h""#))
    #expect(values(of: "chain", in: &mutator).contains(#""side""#))
    #expect(values(of: "on", in: &mutator).contains(#""m""#))
  }

  @Test func linesThatWantAStoreAreKindsOfTheirOwn() {
    func kind(_ line: String) -> String? { LineMembers(Array(line.utf8))?.kind }
    #expect(kind(#"{"op":"send","topic":"a"}"#) == "send")
    #expect(kind(#"{"op":"send","d\u0075rable":true}"#) == LineMembers.durableSend)
    #expect(kind(#"{"op":"broadcast","durable":true}"#) == "broadcast")
    #expect(kind(#"{"op":"broadcast","retain":false}"#) == LineMembers.retainingBroadcast)
    #expect(kind(#"{"topic":"a"}"#) == nil)
  }
}
