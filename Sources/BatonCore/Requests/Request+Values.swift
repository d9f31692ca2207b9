/// The rules for the values of members (contract, sections 3 to 8). Which rule a member has says `Clients/contract.json`; a
/// rule of a new kind goes here.
extension Request {
  /// What is wrong with the value of a member that the line has; nil if nothing is.
  mutating func complaint(about member: Member, of op: Op) -> Fault? {
    let value = value(member)
    switch member.kind(in: op) {
    case .word, .any: return nil
    case .id:
      return Request.isID(value, in: line)
        ? nil : bad(member, "must be a string of at most 128 bytes or a whole number of 64 bits")
    case .offer: return value.isInteger(in: line) ? nil : bad(member, "must be the number of an offer")
    case .request:
      return Request.isID(value, in: line) ? nil : bad(member, "must be the id of a message that this connection sent")
    case .topic: return topicComplaint(value)
    case .pattern: return patternComplaint(value, of: member)
    case .patterns: return patternsComplaint(member, value)
    case .name: return nameComplaint(member, value)
    case .page: return pageComplaint(value, of: op)
    case .stored: return storedComplaint(member, value)
    case .integer: return range(member, value, MemberRange.of(member, in: op))
    case .number: return rankComplaint(value)
    case .flag: return flagComplaint(member, value) ?? (member == .empty ? emptyComplaint() : nil)
    case .choice: return choiceComplaint(member, value)
    case .status: return statusComplaint(value)
    case .policy: return policyComplaint(value)
    case .where: return whereComplaint(value)
    case .condition: return conditionComplaint(value)
    case .key: return keyComplaint(value)
    case .text: return textComplaint(member, value)
    case .once:
      return isText(value, of: member)
        ? nil : bad(member, "must be a string of 1 to \(MemberRange.bytes(of: member).upperBound) bytes")
    case .epoch:
      return isText(value, of: member) ? nil : bad(member, "must be the \"epoch\" that an answer to subscribe told")
    case .code:
      if value.isInteger(in: line) { return nil }
      return value.kind.isText ? textComplaint(member, value) : bad(member, "must be a string or a whole number")
    case .token:
      if !takesTokens { return bad(member, "is not supported: this server has no tokens; leave it out") }
      return isText(value, of: member) ? nil : bad(member, "must be a string of a token")
    case .file: return fileComplaint(value)
    }
  }

  /// Whether it is a text of as many bytes as the member may have.
  private func isText(_ value: MemberValue, of member: Member) -> Bool {
    value.kind.isText && MemberRange.bytes(of: member) ~= value.textCount(in: line)
  }

  private func conditionComplaint(_ value: MemberValue) -> Fault? {
    do throws(ConditionFault) {
      _ = try Condition.read(value, in: line, identity: takesTokens)
      return nil
    } catch {
      return Fault(.badMember, "when: \(error.words)", at: value.start)
    }
  }

  /// The condition in `when`, which is right; nil for one that asks nothing.
  func condition() -> LinkCondition? {
    let read = has(.when) ? try? Condition.read(value(.when), in: line, identity: takesTokens) : nil
    return read.flatMap { $0.isEmpty ? nil : LinkCondition($0) }
  }

  private func bad(_ member: Member, _ what: String) -> Fault {
    Fault(.badMember, "\"\(member.spelling)\" \(what)", at: value(member).start)
  }

  /// Whether the line asks for all empty places of a chain, and names no handler.
  var isAboutEmptyPlaces: Bool { op == .remove && !has(.handler) && flag(.empty) == true }

  private func emptyComplaint() -> Fault? {
    guard flag(.empty) == true, has(.handler) else { return nil }
    return bad(.empty, "takes out all empty places of the chain: leave out \"empty\" or \"handler\"")
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
        : Fault(.badMember, "\"\(member.spelling)\" contains a value that is not a string", at: value.start)
    }
    let pattern = text(value)
    guard let complaint = Words.complaint(pattern: pattern) ?? limits.complaint(pattern) else { return nil }
    return Fault(.badPattern, "the pattern \"\(shortened(pattern.string))\" \(complaint)")
  }

  private mutating func statusComplaint(_ value: MemberValue) -> Fault? {
    if value.kind.isText, Outcome.Status.words.contains(text(value).string) { return nil }
    return bad(.status, "must be the status of a result: \(Outcome.Status.words.joined(separator: ", "))")
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

  private func choiceComplaint(_ member: Member, _ value: MemberValue) -> Fault? {
    let choices = MemberRange.choices(of: member)
    if choices.contains(where: { value.isText($0, in: line) }) { return nil }
    let words = choices.map { "\"\($0)\"" }
    return bad(member, "must be \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")")
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
    let range = MemberRange.bytes(of: .key)
    if !range.contains(key.count) {
      return bad(.key, "must take \(range.lowerBound) to \(range.upperBound) bytes; it takes \(key.count)")
    }
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
    let most = MemberRange.bytes(of: member).upperBound
    return count <= most ? nil : bad(member, "takes \(count) bytes; at most \(most) are allowed")
  }
}
