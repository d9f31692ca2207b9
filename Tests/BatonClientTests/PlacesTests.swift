import ProgramKit
import Testing

@testable import BatonClient

/// Lists of servers.
@Suite struct PlacesTests {
  private func places(_ list: String, from first: Int = 0) throws -> Places {
    try Places(reading: list) { _ in first }
  }

  /// Where it goes after so many faults, with a bar where it waits before.
  private func went(_ places: inout Places, _ leaders: String?...) -> String {
    leaders.map { (places.goOn("no", leader: $0) ? "" : "|") + places.current.text }.joined(separator: " ")
  }

  @Test(arguments: [
    ("a:1", ["a:1"]), ("a:1,tls:[::1]:2,tcp:c:3", ["a:1", "tls:[::1]:2", "tcp:c:3"]),
    ("a:1,unix:/x,b:2,unix:y", ["a:1", "unix:/x,b:2,unix:y"]),
  ])
  func commasStandBetweenPlaces(list: String, texts: [String]) throws {
    #expect(try places(list).all.map(\.text) == texts)
    #expect(Baton.places(in: list) == texts)
  }

  @Test(arguments: [
    ("", ""), (",", ","), ("a:1,", "a:1,"), (",a:1", ",a:1"), ("a:1,,b:2", "a:1,,b:2"), ("a:1, b", " b"),
    ("a:1,unix:", "unix:"), ("a:1,tls:unix:/x", "tls:unix:/x"), ("tls:22867,a:1", "tls:22867"),
    ("tcp://a:1", "tcp://a:1"), ("a:1,//b:1", "//b:1"),
  ])
  func eachHasToBeAPlace(list: String, wrong: String) {
    #expect(throws: BatonError.notAPlace(wrong)) { try places(list) }
    #expect(Baton(at: list).troubleWithPlace?.hasSuffix("several with commas between them") == true)
  }

  @Test func chanceChoosesTheFirstOne() throws {
    var found: Set<String> = []
    for _ in 0..<1000 { found.insert(try Places(reading: "a:1,b:2,c:3").current.text) }
    #expect(found == ["a:1", "b:2", "c:3"])
  }

  @Test func itWaitsWhenItHasBeenToAll() throws {
    var one = try places("a:1")
    #expect(went(&one, nil, nil) == "|a:1 |a:1")
    var three = try places("a:1,b:2,c:3", from: 1)
    #expect(went(&three, nil, nil, nil, nil, nil, nil, nil) == "c:3 a:1 |b:2 c:3 a:1 |b:2 c:3")
  }

  @Test func aConnectionThatHasStoodBeginsARound() throws {
    var two = try places("a:1,b:2")
    #expect(went(&two, nil) == "b:2")
    two.beginRound()
    #expect(went(&two, nil, nil) == "a:1 |b:2")
  }

  @Test func whoIsNamedIsNext() throws {
    var four = try places("a:1,b:2,tls:c:3,d:4")
    #expect(went(&four, "tls:c:3", nil, nil, nil) == "tls:c:3 d:4 b:2 |tls:c:3")
    var three = try places("a:1,tcp:b:2,c:3", from: 2)
    #expect(went(&three, "b:2") == "tcp:b:2")
  }

  @Test(arguments: ["c:3", "tls:b:2", "b:3", "nowhere", "", nil])
  func whoIsNotInTheListIsNotNext(leader: String?) throws {
    var two = try places("a:1,b:2")
    #expect(went(&two, leader, leader) == "b:2 |a:1")
  }

  /// Two that name each other are no circle without a wait.
  @Test func whoIsNamedCountsOnceInARound() throws {
    var two = try places("a:1,b:2")
    #expect(went(&two, "b:2", "a:1", "b:2", "a:1", "b:2") == "b:2 a:1 |b:2 a:1 b:2")
    var one = try places("a:1")
    #expect(went(&one, "a:1", "a:1", "a:1") == "a:1 |a:1 a:1")
  }

  @Test func theWordsNameAllOfThem() throws {
    var two = try places("a:1,b:2")
    _ = (two.goOn("refused", leader: nil), two.goOn("silent", leader: nil))
    #expect(two.told("silent") == "a:1: refused; b:2: silent")
    #expect(try places("a:1").told("refused") == "refused")
  }

  @Test func attemptsAreShorterWhereThereAreOthers() throws {
    #expect(try places("a:1").times(atMost: .seconds(10)) == (.seconds(10), .seconds(10)))
    #expect(try places("a:1,b:2").times(atMost: .seconds(10)) == (.seconds(2), .seconds(5)))
    #expect(try places("a:1,b:2").times(atMost: .seconds(1)) == (.seconds(1), .seconds(1)))
  }

  @Test func aTokenAndFilesAreForAllOfThem() async throws {
    for (list, wrong) in [("127.0.0.1:1,b.example:2", "b.example:2"), ("c.example:3,tls:b.example:2", "c.example:3")] {
      let told = await #expect(throws: BatonError.self) { try await Baton(at: list).token("x").connect() }
      #expect(told?.code == "bad_token" && told?.description.contains("tls:\(wrong)") == true)
    }
    let told = await #expect(throws: BatonError.self) { try await Baton(at: "tls:a:1,b:2").ca("x").connect() }
    #expect(told?.code == "bad_tls" && told?.description.hasPrefix("b:2 is not encrypted") == true)
  }

  /// The connection for traces begins where the first one is.
  @Test func theConnectionForTracesIsAtTheSameServer() async throws {
    let server = try FakeServer()
    var backoff = Backoff()
    backoff.chance = { _ in 0 }
    async let connecting = Baton(at: "127.0.0.1:1,\(server.place)").backoff(backoff).connect()
    let first = await server.accept()
    _ = await first.line()
    first.say(#"{"op":"welcome","id":1}"#)
    let client = try await connecting
    #expect(await client.place == server.place)
    async let traces = client.traces()
    let second = await server.accept()
    #expect(await second.line()?.hasPrefix(#"{"op":"hello""#) == true)
    await client.close()
    _ = try? await traces
  }
}
