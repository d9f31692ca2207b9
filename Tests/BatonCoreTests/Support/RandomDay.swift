import FuzzKit

@testable import BatonCore

/// A few peers that do random things to one another, long enough to use most of what the router can do.
struct RandomDay {
  private var generator: SeededGenerator
  private let stage: Stage
  private var names = (1...5).map { "p\($0)" }
  private var next = 6
  private var heard: [String] = []

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    stage = Stage(
      Stage.settings {
        $0.maxErrors = 100_000
        $0.maxOpenMessages = 20
        $0.maxQueueMessages = 5
        $0.offersUnsentBytes = 2000
        $0.eventsUnsentBytes = 3000
        $0.readingUnsentBytes = 4000
        $0.maxCachedTopics = 3
        $0.maxTotalBytes = 60_000
      })
    for name in names { stage.open(name) }
  }

  mutating func play() -> (census: [String: Int], walks: Int, heard: [String]) {
    for _ in 0..<3000 { step() }
    let walks = stage.driver.router.walkNumber
    stage.closeAll()
    return (stage.census, walks, heard)
  }

  private mutating func pick(_ words: [String]) -> String { words.randomElement(using: &generator) ?? "" }

  private mutating func step() {
    let name = pick(names)
    switch Int.random(in: 0..<40, using: &generator) {
    case 0: return replace(name)
    case 1: if Int.random(in: 0..<4, using: &generator) == 0 { stage.end(name) }
    case 2...5: stage.advance(milliseconds: Int.random(in: 0...40, using: &generator))
    case 6...15: heard += stage.hear(name)
    default: stage.say(name, line())
    }
    if stage.wish(name).ending != .open, Int.random(in: 0..<3, using: &generator) == 0 {
      replace(name)
    }
  }

  /// Closes a connection and opens another.
  private mutating func replace(_ name: String) {
    stage.close(name)
    names.removeAll { $0 == name }
    names.append("p\(next)")
    stage.open("p\(next)")
    next += 1
  }

  private mutating func line() -> String {
    let topic = pick(["a", "a.b", "b", "c.d.e"])
    let pattern = pick(["a", "a.*", ">", "*", "c.>"])
    let chain = pick(["main", "main", "other"])
    let handler = pick(["h1", "h2", "h3", "h4"])
    let payload = String(repeating: "x", count: Int.random(in: 0...600, using: &generator))
    // Most verdicts are for the only offer, or for one of the first.
    let id = Bool.random(using: &generator) ? "" : #","id":\#(Int.random(in: 1...20, using: &generator))"#
    let link = #""handler":"\#(handler)","chain":"\#(chain)""#
    switch Int.random(in: 0..<26, using: &generator) {
    case 0...6:
      let reply = Bool.random(using: &generator)
      let time = Int.random(in: 1...200, using: &generator)
      return #"{"op":"send","id":1,"topic":"\#(topic)","chain":"\#(chain)","reply":\#(reply),"timeout_ms":\#(time)}"#
    case 7...9:
      let place = pick([#""at":"front""#, #""at":"back""#, #""rank":1"#, #""before":"h1""#, #""after":"h2""#])
      return #"{"op":"insert",\#(link),"accepts":["\#(pattern)","a"],\#(place),"window":3}"#
    case 10: return #"{"op":"insert",\#(link),"timeout_ms":20,"window":1}"#
    case 11: return #"{"op":"replace",\#(link),"as":"\#(pick(["h1", "h5"]))"}"#
    case 12: return #"{"op":"remove",\#(link)}"#
    case 13...15: return #"{"op":"handled"\#(id),"payload":"\#(payload)"}"#
    case 16, 17: return #"{"op":"continue"\#(id)}"#
    case 18, 19: return #"{"op":"continue"\#(id),"payload":"\#(payload)"}"#
    case 20: return pick([#"{"op":"reject","message":"no"}"#, #"{"op":"failed"}"#, #"{"op":"handled","id":3}"#])
    case 21: return #"{"op":"working"}"#
    case 22: return #"{"op":"subscribe","topics":["\#(pattern)"]}"#
    case 23: return pick([#"{"op":"unsubscribe"}"#, #"{"op":"inspect"}"#, #"{"op":"hello","heartbeat_ms":100}"#])
    default: return #"{"op":"broadcast","topic":"\#(topic)","payload":"\#(payload)"}"#
    }
  }
}
