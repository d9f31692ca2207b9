import BatonCore
import DoorKit
import Testing

@testable import BatonServer

/// The text of `/metrics`, from a core without sockets (Docs/http.md, section 13).
@Suite struct MetricsTextTests {
  /// A router with peers, and a clock that is moved by hand.
  private final class World {
    let driver: Driver

    init(_ change: (inout Settings) -> Void = { _ in }) {
      var settings = Settings()
      settings.process.residentBytes = { 4096 }
      change(&settings)
      driver = Driver(settings: settings, at: Instant(microseconds: 5_000_000))
    }

    func say(_ peer: Int, _ line: String) {
      driver.receive(Array("\(line)\n".utf8), from: peer)
      _ = driver.takeAll(of: peer)
    }

    /// The whole report. `meanwhile` is called between two pieces.
    func report(meanwhile: (Int) -> Void = { _ in }) -> (text: String, pieces: Int) {
      var (cursor, page, pieces) = (MetricsCursor(for: .all), [UInt8](), 0)
      while true {
        pieces += 1
        if MetricsPages.add(to: &page, from: &cursor, of: &driver.router, at: driver.now) { break }
        meanwhile(pieces)
      }
      return (String(decoding: page, as: UTF8.self), pieces)
    }

    /// Every sample and its value. Each stands under the head of its family and is there once.
    func samples(meanwhile: (Int) -> Void = { _ in }) -> [String: String] {
      var (found, family, families): ([String: String], Substring, Set<Substring>) = ([:], "", [])
      for line in report(meanwhile: meanwhile).text.split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 3)
        if line.hasPrefix("# HELP ") {
          family = words[2]
          #expect(families.insert(family).inserted, "\(family) begins twice")
        } else if line.hasPrefix("# TYPE ") {
          #expect(words[2] == family)
        } else if let space = line.lastIndex(of: " ") {
          let name = line[..<space]
          #expect(name.hasPrefix(family), "\(name) stands under \(family)")
          #expect(found[String(name)] == nil, "\(name) is there twice")
          found[String(name)] = String(line[line.index(after: space)...])
        }
      }
      return found
    }
  }

  @Test func theWholeTextOfASmallServer() {
    let world = World()
    let (handler, sender) = (world.driver.open(), world.driver.open())
    world.say(handler, #"{"op":"insert","chain":"main","handler":"porter"}"#)
    world.say(sender, #"{"op":"subscribe","topics":["x"]}"#)
    world.say(sender, #"{"op":"send","topic":"a","reply":false}"#)
    world.driver.pass(microseconds: 1601)
    world.say(handler, #"{"op":"continue"}"#)
    world.say(sender, #"{"op":"send","topic":"a","reply":false}"#)
    world.driver.pass(microseconds: 250_000)
    _ = world.driver.takeAll(of: handler)
    let got = world.samples()
    let here = #"chain="main",handler="porter""#
    #expect(got["baton_messages_total"] == "2" && got["baton_missed_total"] == "0")
    #expect(got["baton_connections"] == "2" && got["baton_subscriptions"] == "1" && got["baton_links"] == "1")
    #expect(got["baton_open_messages"] == "1" && got["baton_unsent_bytes"] == "0")
    #expect(got["baton_memory_bytes"] == "4096" && got["baton_uptime_seconds"] == "0.251601")
    #expect(got["baton_certificate_seconds"] == nil)
    let outcomes = ["handled", "continue", "reject", "failed", "timeout", "disconnect", "overload", "breaker"]
    for outcome in outcomes {
      #expect(got[#"baton_offers_total{\#(here),outcome="\#(outcome)"}"#] == (outcome == "continue" ? "1" : "0"))
    }
    let ends = [
      "0.0001", "0.0004", "0.0016", "0.0064", "0.0256", "0.1024", "0.4096", "1.6384", "6.5536", "26.2144", "104.8576",
      "+Inf",
    ]
    for (place, end) in ends.enumerated() {
      #expect(got[#"baton_offer_seconds_bucket{\#(here),le="\#(end)"}"#] == (place < 3 ? "0" : "1"), "\(end)")
    }
    #expect(got["baton_offer_seconds_sum{\(here)}"] == "0.001601")
    #expect(got["baton_offer_seconds_count{\(here)}"] == "1")
    #expect(got["baton_link_open{\(here)}"] == "1" && got["baton_link_waiting{\(here)}"] == "0")
    #expect(got["baton_link_oldest_seconds{\(here)}"] == "0" && got["baton_link_connections{\(here)}"] == "1")
    #expect(got[#"baton_link_state{\#(here),state="serving"}"#] == "1")
    #expect(got.count == 9 + 8 + 14 + 6)
  }

  @Test func theCertificateIsTold() {
    let world = World { $0.process.certificateSeconds = { -7 } }
    #expect(world.samples()["baton_certificate_seconds"] == "-7")
  }

  @Test func laterLinksAreAddedUpAndAgesAreTheirMaximum() {
    let world = World { $0.maxMetricLinks = 1 }
    let (handler, sender) = (world.driver.open(), world.driver.open())
    for name in ["a", "b", "c", "d"] {
      world.say(handler, #"{"op":"insert","handler":"\#(name)","accepts":["\#(name)"],"window":1}"#)
    }
    world.say(handler, #"{"op":"insert","handler":"e","accepts":["e"],"shadow":true}"#)
    for (topic, wait) in [("b", 3), ("b", 2), ("c", 1)] {
      world.say(sender, #"{"op":"send","topic":"\#(topic)","reply":false}"#)
      world.driver.pass(microseconds: wait * 1_000_000)
    }
    let got = world.samples()
    let rest = #"chain="main",handler="""#
    #expect(got["baton_link_open{\(rest)}"] == "2" && got["baton_link_waiting{\(rest)}"] == "1")
    #expect(got["baton_link_oldest_seconds{\(rest)}"] == "3" && got["baton_link_connections{\(rest)}"] == "4")
    #expect(got[#"baton_link_state{\#(rest),state="window"}"#] == "2")
    #expect(got[#"baton_link_state{\#(rest),state="serving"}"#] == "1")
    #expect(got[#"baton_link_state{\#(rest),state="shadow"}"#] == "1")
    #expect(got[#"baton_link_state{chain="main",handler="a",state="serving"}"#] == "1")
  }

  /// A report of many links goes in pieces. Whatever comes, leaves and is renamed between them, no sample is there
  /// twice (`samples` looks), and the links that stay are told.
  @Test(arguments: [50, 5000])
  func nothingIsToldTwiceWhileLinksComeAndGo(named: Int) {
    let world = World { $0.maxMetricLinks = named }
    let (handler, other, sender) = (world.driver.open(), world.driver.open(), world.driver.open())
    for number in 0..<1000 {
      let peer = number % 2 == 0 ? handler : other
      world.say(peer, #"{"op":"insert","handler":"h\#(number)","accepts":["t\#(number)"],"reply":false}"#)
      world.say(sender, #"{"op":"send","topic":"t\#(number)","reply":false}"#)
      world.say(peer, #"{"op":"handled"}"#)
    }
    #expect(world.report().pieces >= 7 * 5)
    var (next, sum) = (0, 0)
    for _ in 0..<3 {
      let got = world.samples { _ in
        for _ in 0..<4 {
          let number = (next * 7 + 1) % 1000 | 1
          next += 1
          world.say(other, #"{"op":"remove","handler":"h\#(number)","reply":false}"#)
          world.say(other, #"{"op":"insert","handler":"h\#(number)","accepts":["t\#(number)"],"reply":false}"#)
          world.say(other, #"{"op":"replace","handler":"h\#(number)","as":"x\#(next)","reply":false}"#)
          world.say(sender, #"{"op":"send","topic":"t\#(number)","reply":false}"#)
          world.say(other, #"{"op":"handled"}"#)
        }
      }
      for number in stride(from: 0, to: min(named, 1000), by: 2) {
        #expect(got[#"baton_link_open{chain="main",handler="h\#(number)"}"#] == "0", "h\(number)")
      }
      let whole = world.samples()
      let now = whole.reduce(0) { $1.key.hasSuffix(#"outcome="handled"}"#) ? $0 + (Int($1.value) ?? 0) : $0 }
      #expect(now > sum)
      sum = now
    }
    #expect(sum == 1000 + next)
  }

  @Test func labelsAreEscaped() {
    var text = MetricsText()
    text.label(chain: Array("a\\b\"c\nd".utf8), handler: Array("é{}=,".utf8))
    text.sample("m", "1", ("state", "serving"))
    #expect(
      String(decoding: text.bytes, as: UTF8.self)
        == "m{chain=\"a\\\\b\\\"c\\nd\",handler=\"é{}=,\",state=\"serving\"} 1\n")
  }

  @Test func secondsHaveAsManyDigitsAsTheyNeed() {
    let right: [(UInt64, String)] = [
      (0, "0"), (1, "0.000001"), (100, "0.0001"), (1_000_000, "1"), (1_050_000, "1.05"),
      (UInt64.max, "18446744073709.551615"),
    ]
    for (microseconds, text) in right { #expect(MetricsText.seconds(microseconds) == text) }
  }
}
