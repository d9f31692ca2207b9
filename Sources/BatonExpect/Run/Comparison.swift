internal import BatonCore

/// Compares what was seen with what is expected.
struct Comparison {
  private(set) var differences: [Difference] = []
  private let expectation: Expectation
  private let seen: Seen

  init(_ expectation: Expectation, _ seen: Seen) {
    self.expectation = expectation
    self.seen = seen
    for (link, error) in seen.troubles {
      differ("handlers", "\(link) is accepted", Comparison.words(ofError: error))
    }
    compareReply()
    compare("asked", expectation.asked, seen.asked)
    compare("told", expectation.told, seen.told)
    compareHeard()
    if let most = expectation.withinMilliseconds, seen.took > most * 1000 {
      differ("within_ms", "\(most)", "\(seen.took / 1000)")
    }
  }

  private mutating func differ(_ what: String, _ expected: String, _ found: String) {
    differences.append(Difference(what: what, expected: expected, found: found))
  }

  // MARK: The reply

  private mutating func compareReply() {
    let wanted = expectation.error.map { "error \($0.value)" } ?? "a result"
    guard let reply = seen.reply else { return differ("reply", wanted, "none within a day") }
    if reply.line["op"]?.string == "error" {
      guard let code = reply.line["code"]?.string, code == expectation.error?.value else {
        return differ("reply", wanted, "error " + Comparison.words(ofError: reply.line))
      }
      return
    }
    if expectation.error != nil { return differ("reply", wanted, Comparison.words(ofResult: reply.line)) }
    compare("result", expectation.result, reply.line, reply.bytes)
  }

  private static func words(ofError error: JSONValue) -> String {
    [error["code"]?.string, error["message"]?.string].compactMap(\.self).joined(separator: ": ")
  }

  private static func words(ofResult result: JSONValue) -> String {
    guard let status = result["status"]?.string else { return "ok" }
    return "result \(status)" + (result["by"]?.string.map { " by \($0)" } ?? "")
  }

  // MARK: Members

  private mutating func compare(
    _ what: String, _ members: [ExpectedMember], _ object: JSONValue, _ bytes: [UInt8]?
  ) {
    for member in members {
      let what = "\(what).\(member.name)"
      switch member.value {
      case .json(let expected): compare(what, expected, object[member.name], isWord: !member.isAnyValue)
      case .bytes(let expected):
        let name = String(member.name.dropLast("_json".count))
        let found = bytes.flatMap { JSONValue.bytes(ofMember: name, inLine: $0) }
        if found != expected { differ(what, expected, found ?? Comparison.nothing) }
      case .list(let expected): compare(what, expected, object[member.name]?.elements ?? [])
      }
    }
  }

  private static let nothing = "(nothing)"

  /// `isWord`: it is told without quotes.
  private mutating func compare(_ what: String, _ expected: JSONValue, _ found: JSONValue?, isWord: Bool) {
    // A flag that is not there is false.
    if found == expected || found == nil && expected == .flag(false) { return }
    let words = [expected, found].map { value in value.map { (isWord ? $0.string : nil) ?? $0.spelling } }
    differ(what, words[0] ?? Comparison.nothing, words[1] ?? Comparison.nothing)
  }

  private mutating func compare(_ what: String, _ expected: [[ExpectedMember]], _ found: [JSONValue]) {
    if expected.count != found.count {
      let words = found.map(\.spelling).joined(separator: ", ")
      differ(what, "\(expected.count) of them", "\(found.count): [\(words)]")
    }
    for (at, (expected, found)) in zip(expected, found).enumerated() {
      compare("\(what).\(at + 1)", expected, found, nil)
    }
  }

  // MARK: Who was asked, and who heard it

  private mutating func compare(_ what: String, _ expected: [ExpectedLink]?, _ found: [LinkName]) {
    guard let expected, !expected.elementsEqual(found, by: { $0.means($1) }) else { return }
    // The chain is told where the file tells it, or where a name says too little.
    let names = Set(found.map(\.name))
    let isPlain = !expected.contains { $0.chain != nil } && names.count == Set(found).count
    differ(what, Comparison.list(expected), isPlain ? Comparison.list(found.map(\.name)) : Comparison.list(found))
  }

  private static func list(_ elements: [some CustomStringConvertible]) -> String {
    "[\(elements.map(\.description).joined(separator: ", "))]"
  }

  private mutating func compareHeard() {
    switch expectation.heard {
    case .nothing:
      if let event = seen.events.first {
        differ(
          "heard", "false", event.line["payload"].map { "the payload \($0.spelling)" } ?? "an event without payload")
      }
    case .event(let members):
      guard let event = seen.events.first else { return differ("heard", "true", "false") }
      compare("heard", members, event.line, event.bytes)
    case nil: break
    }
  }
}
