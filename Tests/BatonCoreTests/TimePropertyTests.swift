import Testing

@testable import BatonCore

/// One deadline, fair shares and the next link after each failure, as a property. Whatever the links of a chain do,
/// each message has exactly one result by its deadline. A good link behind links that hang, die, are slow or fail is
/// still asked (contract, sections 4 and 6).
@Suite struct TimePropertyTests {
  @Test(arguments: 1...4, [1, 2])
  func whateverTheLinksDo(links: Int, messages: Int) {
    for chain in Self.chains(of: links) {
      for timeout in [61, 1000] {
        for mode in ["first", "all"] {
          var day = Day(chain, messages: messages, timeout: timeout, mode: mode)
          day.run()
          day.judge()
        }
      }
    }
  }

  /// A check that finds nothing would pass everything. So only the last of these days fulfils the property.
  @Test func theJudgeSeesWhatIsWrong() {
    withKnownIssue { judge { $0.results = [:] } }
    withKnownIssue { judge { day in day.results[1] = day.results[1].map { $0 + $0 } } }
    withKnownIssue { judge { $0.results[1]?[0].at = $0.deadline.advanced(milliseconds: 2) } }
    withKnownIssue {
      judge { $0.results[1]?[0].line = #"{"op":"result","id":1,"status":"unhandled","hops":2,"walk":1}"# }
    }
    withKnownIssue {
      judge { $0.results[1]?[0].line = #"{"op":"result","id":1,"status":"handled","by":"link2","hops":1}"# }
    }
    judge { _ in }
  }

  private func judge(after change: (inout Day) -> Void) {
    var day = Day([.hung, .good], messages: 1, timeout: 1000, mode: "first")
    day.run()
    change(&day)
    day.judge()
  }

  private static func chains(of links: Int) -> [[Kind]] {
    links == 0 ? [[]] : chains(of: links - 1).flatMap { chain in Kind.allCases.map { chain + [$0] } }
  }
}

/// What a link's handler does with an offer.
private enum Kind: String, CaseIterable {
  /// Never answers.
  case hung
  /// Closes its connection.
  case dead
  /// Says `working` when three quarters of its time are over, and `continue` after the same time again.
  case slow
  /// Says `failed` at once.
  case failing
  /// Says `handled` at once.
  case good
}

/// One chain, and messages that come to it all at once: each link takes one at a time.
private struct Day {
  private let chain: [Kind]
  private let messages: Int
  private let mode: String
  private let stage = Stage()
  private var open: Set<Int> = []
  private var plans: [(at: Instant, link: Int, line: String)] = []
  let deadline: Instant
  var results: [Int: [(line: String, at: Instant)]] = [:]

  init(_ chain: [Kind], messages: Int, timeout: Int, mode: String) {
    self.chain = chain
    self.messages = messages
    self.mode = mode
    // Not on a whole millisecond, like real times.
    stage.advance(to: Instant(microseconds: stage.now.microseconds + 333))
    for link in chain.indices {
      stage.open("link\(link)")
      stage.say("link\(link)", #"{"op":"insert","handler":"link\#(link)","window":1}"#)
      stage.hear("link\(link)")
      open.insert(link)
    }
    stage.open("cli")
    for message in 1...messages {
      stage.say("cli", #"{"op":"send","id":\#(message),"topic":"t","mode":"\#(mode)","timeout_ms":\#(timeout)}"#)
    }
    deadline = stage.now.advanced(milliseconds: timeout)
  }

  mutating func run() {
    let end = deadline.advanced(milliseconds: 1000)
    while stage.now < end {
      while react() {}
      let next = (plans.map(\.at) + [stage.driver.router.wakeAt ?? end]).min() ?? end
      stage.advance(to: min(max(next, stage.now), end))
      for plan in plans where plan.at <= stage.now && open.contains(plan.link) {
        stage.say("link\(plan.link)", plan.line)
      }
      plans.removeAll { $0.at <= stage.now }
    }
    while react() {}
  }

  /// Lets every peer read what it has got, and answer. False if no peer had anything.
  private mutating func react() -> Bool {
    var lines = stage.hear("cli")
    for line in lines { results[line.member("id").flatMap { Int($0) } ?? 0, default: []].append((line, stage.now)) }
    for link in open.sorted() {
      let heard = stage.hear("link\(link)")
      lines += heard
      for offer in heard where offer.member("op") == "offer" && open.contains(link) { answer(offer, at: link) }
    }
    return !lines.isEmpty
  }

  private mutating func answer(_ offer: String, at link: Int) {
    let id = offer.member("id") ?? ""
    let time = offer.member("timeout_ms").flatMap { Int($0) } ?? 0
    switch chain[link] {
    case .hung: break
    case .dead:
      stage.close("link\(link)")
      open.remove(link)
    case .slow:
      let later = stage.now.advanced(milliseconds: time * 3 / 4)
      plans.append((later, link, #"{"op":"working","id":\#(id)}"#))
      plans.append((later.advanced(milliseconds: time * 3 / 4), link, #"{"op":"continue","id":\#(id)}"#))
    case .failing: stage.say("link\(link)", #"{"op":"failed","id":\#(id)}"#)
    case .good: stage.say("link\(link)", #"{"op":"handled","id":\#(id)}"#)
    }
  }

  // MARK: What must be so

  func judge() {
    let told = "\(messages) in mode \(mode) down \(chain.map(\.rawValue).joined(separator: ", "))"
    #expect(results.keys.sorted() == Array(1...messages), "\(told)")
    for (message, all) in results.sorted(by: { $0.key < $1.key }) {
      #expect(all.count == 1, "\(told): message \(message)")
      guard let result = all.first else { continue }
      // Timers go by whole milliseconds, and never too early.
      #expect(result.at <= deadline.advanced(milliseconds: 1), "\(told): message \(message)")
      #expect(result.line.member("op") == "result", "\(told): \(result.line)")
      judgeOutcome(result.line, told)
    }
    stage.closeAll()
    #expect(stage.census.isEmpty, "\(told): \(stage.census)")
  }

  private func judgeOutcome(_ line: String, _ told: String) {
    let status = line.member("status")
    let asked = chain.firstIndex(of: .good)
    if mode == "all" {
      for link in chain.indices where chain[link] == .good {
        #expect(line.contains(#"{"by":"link\#(link)"}"#), "\(told): \(line)")
      }
    } else if let asked {
      #expect(status == "handled" && line.member("by") == "link\(asked)", "\(told): \(line)")
    }
    guard messages == 1 else { return }
    if mode == "first", let asked { return #expect(line.member("hops") == "\(asked + 1)", "\(told): \(line)") }
    #expect(line.member("hops") == "\(chain.count)", "\(told): \(line)")
    // The last link's share ends with the deadline. If it is silent until then, the result is `timeout`, whatever its
    // policy.
    switch chain.last {
    case .hung, .slow: #expect(status == "timeout", "\(told): \(line)")
    default: #expect(status == (asked == nil ? "unhandled" : "handled"), "\(told): \(line)")
    }
  }
}
