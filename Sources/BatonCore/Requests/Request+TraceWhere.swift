/// Reads `where`: which traces a subscriber wants (contract, section 7).
extension Request {
  /// The members of `where`; none if the line has no `where`. Throws a `Fault` if its value is wrong.
  mutating func traceWhere() throws(Fault) -> TraceWhere {
    has(.where) ? try traceWhere(of: value(.where)) : TraceWhere()
  }

  /// The members in a value of `where`. Throws a `Fault` if the value is wrong.
  mutating func traceWhere(of value: MemberValue) throws(Fault) -> TraceWhere {
    guard value.kind == .object else {
      throw Fault(.badMember, "\"where\" must be an object, such as {\"status\":\"failed\"}", at: value.start)
    }
    var asked = TraceWhere()
    var seen: [String] = []
    for entry in ObjectMembers(of: value, in: line) {
      let name = text(entry.name).string
      if seen.contains(name) {
        throw Fault(.badMember, "\"where\" has the member \"\(name)\" twice; leave one out")
      }
      seen.append(name)
      switch name {
      case "chain": asked.chain = try nameAsked(name, entry.value)
      case "topic": asked.topic = try patternAsked(entry.value)
      case "status": asked.status = try statusAsked(entry.value)
      case "slower_than_ms": asked.slowerThan = try timeAsked(entry.value)
      case "traced": asked.isTraced = try flagAsked(name, entry.value)
      case "from": asked.from = try nameAsked(name, entry.value)
      default: throw noMember(name)
      }
    }
    return asked
  }

  private func noMember(_ name: String) -> Fault {
    let hint =
      nearestName(to: name, among: TraceWhere.members).map { "did you mean \"\($0)\"?" }
      ?? "it takes \(TraceWhere.members.joined(separator: ", "))"
    return Fault(.badMember, "\"where\" has no member \"\(shortened(name))\"; \(hint)")
  }

  private func wrong(_ name: String, _ what: String, _ value: MemberValue) -> Fault {
    Fault(.badMember, "\"\(name)\" of \"where\" must be \(what)", at: value.start)
  }

  /// The name of a chain or a sender. A sender without a name is `#` and its number.
  private mutating func nameAsked(_ name: String, _ value: MemberValue) throws(Fault) -> [UInt8] {
    guard value.kind.isText else { throw wrong(name, "a string", value) }
    let asked = Array(text(value))
    if name == "from", asked.first == UInt8(ascii: "#"), asked.count > 1,
      asked.dropFirst().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    {
      return asked
    }
    guard let complaint = asked.withUnsafeBytes({ Words.complaint(name: $0) }) else { return asked }
    let told = shortened(String(decoding: asked, as: UTF8.self))
    throw Fault(.badName, "\"\(name)\" of \"where\", \"\(told)\", \(complaint)")
  }

  private mutating func patternAsked(_ value: MemberValue) throws(Fault) -> [UInt8] {
    guard value.kind.isText else { throw wrong("topic", "a string", value) }
    let pattern = text(value)
    guard let complaint = Words.complaint(pattern: pattern) ?? limits.complaint(pattern) else { return Array(pattern) }
    throw Fault(.badPattern, "the pattern \"\(shortened(pattern.string))\" of \"where\" \(complaint)")
  }

  private mutating func statusAsked(_ value: MemberValue) throws(Fault) -> [UInt8] {
    if value.kind.isText {
      let status = text(value).string
      if Outcome.Status.words.contains(status) { return Array(status.utf8) }
    }
    throw wrong("status", "the status of a result: \(Outcome.Status.words.joined(separator: ", "))", value)
  }

  private func flagAsked(_ name: String, _ value: MemberValue) throws(Fault) -> Bool {
    switch value.kind {
    case .true: return true
    case .false: return false
    default: throw wrong(name, "true or false", value)
    }
  }

  private func timeAsked(_ value: MemberValue) throws(Fault) -> Int {
    let range = MemberRange.slowerThanMilliseconds
    if let time = value.integer(in: line), range ~= time { return Int(time) }
    throw wrong("slower_than_ms", "a whole number from \(range.lowerBound) to \(range.upperBound)", value)
  }
}
