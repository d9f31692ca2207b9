import FuzzKit
import Testing

@testable import BatonCore

/// Where a link goes, and which rank it gets (contract, section 5), as the router shows it.
@Suite struct RanksTests {
  /// A chain that one peer builds.
  private final class Builder {
    let stage = Stage()
    init() { stage.open("peer", "owner") }

    @discardableResult
    func insert(_ name: String, _ place: String = "", by peer: String = "peer") -> [String] {
      let place = place.isEmpty ? "" : ",\(place)"
      stage.say(peer, #"{"op":"insert","handler":"\#(name)"\#(place)}"#)
      return stage.hear(peer)
    }

    /// Handlers and ranks in the chain's order, as `inspect` tells them.
    var links: [(name: String, rank: Double)] {
      stage.open("looker")
      stage.say("looker", #"{"op":"inspect","chain":"main"}"#)
      let told = stage.hear("looker").joined()
      stage.close("looker")
      return told.split(separator: "{\"handler\":").dropFirst().map { link in
        let line = "{\"handler\":" + link
        return (line.member("handler") ?? "", Double(line.member("rank") ?? "") ?? .nan)
      }
    }

    var names: String { links.map(\.name).joined(separator: " ") }
  }

  @Test func theFourWaysToSayThePlace() {
    let chain = Builder()
    #expect(
      chain.insert("b") == [#"{"op":"ok","chain":"main","handler":"b","rank":1,"position":1,"links":1,"version":1}"#])
    #expect(chain.insert("d", #""at":"back""#)[0].member("rank") == "2")
    #expect(chain.insert("a", #""at":"front""#)[0].member("rank") == "0")
    #expect(
      chain.insert("c", #""before":"d""#)
        == [#"{"op":"ok","chain":"main","handler":"c","rank":1.5,"position":3,"links":4,"version":4}"#])
    #expect(chain.insert("e", #""after":"d""#)[0].member("rank") == "3")
    #expect(chain.insert("c2", #""rank":1.5"#)[0].member("position") == "4", "ties by arrival")
    #expect(chain.insert("c3", #""after":"c""#).last?.member("position") == "4")
    #expect(chain.names == "a b c c3 c2 d e")
  }

  @Test func aPlaceIsSaidOnce() {
    let chain = Builder()
    chain.insert("a")
    for place in [#""at":"front","rank":1"#, #""before":"a","after":"a""#, #""at":"back","before":"a""#] {
      #expect(chain.insert("b", place).codes == ["bad_member"])
    }
    #expect(chain.insert("b", #""before":"aa""#).codes == ["no_such_handler"])
    #expect(chain.insert("a", #""before":"x""#).codes == ["name_taken"])
    #expect(chain.insert("b", #""chain":"other","after":"a""#).codes == ["no_such_handler"])
    #expect(chain.names == "a", "what is refused changes nothing")
    #expect(chain.stage.census["chains"] == 1)
  }

  /// There is no number between two neighbours: the links behind move up, and their owners are told.
  @Test func withoutRoomTheFollowingAreRenumbered() {
    let chain = Builder()
    chain.insert("a", #""rank":1"#)
    chain.insert("b", #""rank":1.0000000000000002"#, by: "owner")
    chain.insert("c", #""rank":3"#, by: "owner")
    chain.insert("d", #""rank":9"#, by: "owner")
    #expect(chain.insert("x", #""after":"a""#)[0].member("rank") == "2")
    #expect(
      chain.stage.hear("owner") == [
        #"{"op":"moved","chain":"main","handler":"b","rank":3}"#,
        #"{"op":"moved","chain":"main","handler":"c","rank":4}"#,
      ])
    #expect(chain.names == "a x b c d")
  }

  @Test func atTheEndsOfTheRangeTheChainIsNumberedAnew() {
    for (rank, place) in [("1e9", #""at":"back""#), ("-1e9", #""at":"front""#), ("1e9", #""after":"a""#)] {
      let chain = Builder()
      chain.insert("a", #""rank":\#(rank)"#, by: "owner")
      let told = chain.insert("b", place)[0]
      let isFront = place.contains("front")
      #expect(told.member("rank") == (isFront ? "1" : "2") && chain.names == (isFront ? "b a" : "a b"))
      #expect(chain.stage.hear("owner").map { $0.member("rank") } == [isFront ? "2" : "1"])
    }
  }

  /// Insertions at random places, compared with a plain list. The order is that of the list. The ranks that the server
  /// gave are distinct.
  @Test(arguments: [UInt64(1), 2, 3])
  func keepsTheOrderOfAList(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let chain = Builder()
    var model: [String] = []
    for number in 0..<300 {
      let name = "h\(number)"
      // Mostly behind the same neighbour, so that the room there is used up.
      let neighbour = model.indices.randomElement(using: &generator).map { Bool.random(using: &generator) ? $0 : 0 }
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: model.insert(name, at: 0); chain.insert(name, #""at":"front""#)
      case 1: model.append(name); chain.insert(name)
      case 2:
        guard let neighbour else { continue }
        chain.insert(name, #""before":"\#(model[neighbour])""#)
        model.insert(name, at: neighbour)
      case 3:
        guard let neighbour else { continue }
        chain.stage.say("peer", #"{"op":"remove","handler":"\#(model[neighbour])"}"#)
        model.remove(at: neighbour)
      default:
        guard let neighbour else { continue }
        chain.insert(name, #""after":"\#(model[neighbour])""#)
        model.insert(name, at: neighbour + 1)
      }
      chain.stage.hear("peer")
    }
    let links = chain.links
    #expect(links.map(\.name) == model && model.count > 100)
    #expect(zip(links, links.dropFirst()).allSatisfy { $0.rank < $1.rank })
  }
}
