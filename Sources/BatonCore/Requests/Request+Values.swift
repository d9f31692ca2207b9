/// The rules for the values of members, which are the same for all ops except for `id` (contract, sections 3 to 8). The
/// rule of a new member goes here.
extension Request {
  /// What is wrong with the value of a member that the line has; nil if nothing is.
  mutating func complaint(about member: Member, of op: Op) -> Fault? {
    let value = value(member)
    switch member {
    case .op, .payload, .meta: return nil
    case .id: return idComplaint(value, of: op)
    case .request:
      return Request.isID(value, in: line) ? nil : bad(member, "must be the id of a message that this connection sent")
    case .topic: return op == .walks ? patternComplaint(value, of: .topic) : topicComplaint(value)
    case .after where op == .explain || op == .inspect || op == .walks: return pageComplaint(value, of: op)
    case .after where op == .subscribe: return range(member, value, 0...Int64.max)
    case .after where op == .dead: return storedComplaint(member, value)
    case .epoch: return epochComplaint(value)
    case .limit: return range(member, value, 1...(op == .dead ? 100 : 1000))
    case .chain, .handler, .before, .after, .as, .on, .via, .name: return nameComplaint(member, value)
    case .timeoutMilliseconds, .heartbeatMilliseconds:
      return range(
        member, value, member == .timeoutMilliseconds ? MemberRange.timeoutMilliseconds : 100...86_400_000)
    case .holdMilliseconds: return range(member, value, MemberRange.holdMilliseconds)
    case .window: return range(member, value, MemberRange.window)
    case .rank: return rankComplaint(value)
    case .at:
      let isKnown = value.isText("front", in: line) || value.isText("back", in: line)
      return isKnown ? nil : bad(member, "must be \"front\" or \"back\"")
    case .accepts, .topics: return patternsComplaint(member, value)
    case .reply, .echo, .share, .required, .shadow, .trace, .server, .history, .messages, .connections, .changes,
      .retain, .retained, .durable:
      return flagComplaint(member, value)
    case .status: return statusComplaint(value)
    case .walk, .connection: return range(member, value, 1...Int64.max)
    case .perSecond: return range(member, value, 1...100_000)
    case .tries: return range(member, value, MemberRange.tries)
    case .retryMilliseconds: return range(member, value, MemberRange.retryMilliseconds)
    case .expiresMilliseconds, .delayMilliseconds: return range(member, value, MemberRange.expiresMilliseconds)
    case .once: return onceComplaint(value)
    case .stored, .until: return storedComplaint(member, value)
    case .where: return whereComplaint(value)
    case .mode: return modeComplaint(value)
    case .onFailure: return policyComplaint(value)
    case .key: return keyComplaint(value)
    case .message: return textComplaint(member, value)
    case .check: return fileComplaint(value)
    case .code:
      if value.isInteger(in: line) { return nil }
      return value.kind.isText ? textComplaint(member, value) : bad(member, "must be a string or a whole number")
    case .token:
      if !takesTokens { return bad(member, "is not supported: this server has no tokens; leave it out") }
      return value.kind.isText && value.textCount(in: line) <= 256 ? nil : bad(member, "must be a string of a token")
    }
  }

  private func bad(_ member: Member, _ what: String) -> Fault {
    Fault(.badMember, "\"\(member.spelling)\" \(what), at byte \(value(member).start)")
  }

  private func idComplaint(_ value: MemberValue, of op: Op) -> Fault? {
    if op.isVerdict {
      return value.isInteger(in: line) ? nil : bad(.id, "must be the number of an offer")
    }
    if Request.isID(value, in: line) { return nil }
    return bad(.id, "must be a string of at most 128 bytes or a whole number of 64 bits")
  }

  private mutating func topicComplaint(_ value: MemberValue) -> Fault? {
    guard value.kind.isText else { return bad(.topic, "must be a string") }
    let topic = text(.topic)
    if let complaint = Words.complaint(topic: topic) ?? limits.complaint(topic) {
      return Fault(.badTopic, "the topic \"\(shortened(topic.string))\" \(complaint)")
    }
    if Words.isServers(topic) {
      return Fault(.badTopic, "the topic \"\(shortened(topic.string))\" begins with $, which only the server may use")
    }
    return nil
  }

  private mutating func nameComplaint(_ member: Member, _ value: MemberValue) -> Fault? {
    guard value.kind.isText else { return bad(member, "must be a string") }
    let name = text(member)
    if let complaint = Words.complaint(name: name) {
      return Fault(.badName, "\"\(member.spelling)\" \"\(shortened(name.string))\" \(complaint)")
    }
    return nil
  }

  private mutating func pageComplaint(_ value: MemberValue, of op: Op) -> Fault? {
    guard value.kind.isText, PageStart.isWellFormed(text(.after), of: op) else { return wrongPage }
    return nil
  }

  /// The complaint about an `after` that no page of this request could have given.
  var wrongPage: Fault { bad(.after, "must be the \"after\" of the page before") }

  private func epochComplaint(_ value: MemberValue) -> Fault? {
    value.kind.isText && 1...64 ~= value.textCount(in: line)
      ? nil : bad(.epoch, "must be the \"epoch\" that an answer to subscribe told")
  }

  private func onceComplaint(_ value: MemberValue) -> Fault? {
    value.kind.isText && 1...128 ~= value.textCount(in: line) ? nil : bad(.once, "must be a string of 1 to 128 bytes")
  }

  /// The complaint about what cannot be the name of a stored message: 16 characters, a dash, a count.
  private mutating func storedComplaint(_ member: Member, _ value: MemberValue) -> Fault? {
    guard value.kind.isText, Words.isStored(text(member)) else {
      return bad(member, "must be the name of a stored message, as \"accepted\" and \"dead\" tell it")
    }
    return nil
  }

  private mutating func patternsComplaint(_ member: Member, _ value: MemberValue) -> Fault? {
    guard value.kind == .array else { return bad(member, "must be a list of patterns, such as [\"door.*\"]") }
    var count = 0
    for element in ArrayElements(of: value, in: line) {
      count += 1
      if count > MemberRange.patterns {
        return bad(member, "contains more than \(MemberRange.patterns) patterns; use another request for the rest")
      }
      if let complaint = patternComplaint(element, of: member) { return complaint }
    }
    return count == 0 ? bad(member, "is empty; name at least one pattern, or > for everything") : nil
  }

  private mutating func patternComplaint(_ value: MemberValue, of member: Member) -> Fault? {
    guard value.kind.isText else {
      return member == .topic
        ? bad(member, "must be a string")
        : Fault(.badMember, "\"\(member.spelling)\" contains a value that is not a string, at byte \(value.start)")
    }
    let pattern = text(value)
    guard let complaint = Words.complaint(pattern: pattern) ?? limits.complaint(pattern) else { return nil }
    return Fault(.badPattern, "the pattern \"\(shortened(pattern.string))\" \(complaint)")
  }

  private mutating func statusComplaint(_ value: MemberValue) -> Fault? {
    if value.kind.isText, Request.statuses.contains(text(value).string) { return nil }
    return bad(.status, "must be the status of a result: \(Request.statuses.joined(separator: ", "))")
  }

  private func range(_ member: Member, _ value: MemberValue, _ range: ClosedRange<Int64>) -> Fault? {
    if let number = value.integer(in: line), range.contains(number) { return nil }
    return bad(member, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
  }

  private func rankComplaint(_ value: MemberValue) -> Fault? {
    if let rank = value.double(in: line), rank.magnitude <= 1e9 { return nil }
    return bad(.rank, "must be a number from -1000000000 to 1000000000")
  }

  private func flagComplaint(_ member: Member, _ value: MemberValue) -> Fault? {
    value.kind == .true || value.kind == .false ? nil : bad(member, "must be true or false")
  }

  private func modeComplaint(_ value: MemberValue) -> Fault? {
    for mode: StaticString in ["first", "all", "notify"] where value.isText(mode, in: line) { return nil }
    return bad(.mode, "must be \"first\", \"all\" or \"notify\"")
  }

  private mutating func policyComplaint(_ value: MemberValue) -> Fault? {
    do throws(Fault) {
      _ = try failurePolicy(of: value)
      return nil
    } catch {
      return error
    }
  }

  private mutating func whereComplaint(_ value: MemberValue) -> Fault? {
    do throws(Fault) {
      _ = try traceWhere(of: value)
      return nil
    } catch {
      return error
    }
  }

  private mutating func keyComplaint(_ value: MemberValue) -> Fault? {
    guard value.kind.isText else { return bad(.key, "must be a string") }
    let key = text(.key)
    if key.isEmpty || key.count > 255 { return bad(.key, "must take 1 to 255 bytes; it takes \(key.count)") }
    for (at, byte) in key.enumerated() {
      let isC1 = byte == 0xC2 && at + 1 < key.count && key[at + 1] <= 0x9F
      if byte < 0x20 || byte == 0x7F || isC1 { return bad(.key, "contains a control character (its byte \(at))") }
    }
    return nil
  }

  private func fileComplaint(_ value: MemberValue) -> Fault? {
    guard value.kind.isText else { return bad(.check, "must be a string: the text of a file") }
    let count = value.textCount(in: line)
    let most = MemberRange.fileBytes
    return count <= most ? nil : bad(.check, "takes \(count) bytes; a file has at most \(most)")
  }

  private func textComplaint(_ member: Member, _ value: MemberValue) -> Fault? {
    guard value.kind.isText else { return bad(member, "must be a string") }
    let count = value.textCount(in: line)
    return count <= 1024 ? nil : bad(member, "takes \(count) bytes; at most 1024 are allowed")
  }
}
