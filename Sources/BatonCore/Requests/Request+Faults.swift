/// Finds out what is wrong with a line. This is the slow way, for lines that are refused.
extension Request {
  /// What is wrong with `op`.
  @inline(never)
  mutating func opFault() -> Fault {
    let value = scanner[.op]
    if value.kind == .absent {
      return Fault(.missingMember, "the line needs the member \"op\"; {\"op\":\"help\"} lists all ops")
    }
    if scanner.repeated & Member.op.mask != 0 {
      return Fault(.duplicateMember, "the line has the member \"op\" twice; leave one out")
    }
    guard value.kind.isText else {
      return Fault(.badMember, "\"op\" must be a string, at byte \(value.start); {\"op\":\"help\"} lists all ops")
    }
    let word = text(.op).string
    let nearest = nearestName(to: word, among: Op.allCases.map(\.spelling))
    let hint = nearest.map { "did you mean \"\($0)\"?" } ?? "{\"op\":\"help\"} lists all ops"
    return Fault(.unknownOp, "there is no op \"\(shortened(word))\"; \(hint)")
  }

  /// The first fault, in the order of the members in the line (contract, section 3).
  @inline(never)
  mutating func firstFault(of op: Op) -> Fault {
    var seen: MemberSet = 0
    for entry in LineScanner.membersAsTheyStand(in: line) {
      guard let member = scanner.member(named: entry.name, in: line), op.allowed & member.mask != 0 else {
        return unknown(text(entry.name).string, of: op)
      }
      if seen & member.mask != 0 {
        return Fault(
          .duplicateMember,
          "\(op.spelling) has the member \"\(member.spelling)\" twice, again at byte \(entry.name.start); leave one out"
        )
      }
      seen |= member.mask
      if member != .op, let fault = complaint(about: member, of: op) { return fault }
    }
    return missing(from: op)
  }

  private func unknown(_ name: String, of op: Op) -> Fault {
    let known = Member.allCases.filter { op.allowed & $0.mask != 0 }.map { "\($0.spelling)" }
    let hint =
      nearestName(to: name, among: known).map { "did you mean \"\($0)\"?" }
      ?? "it takes \(known.joined(separator: ", "))"
    return Fault(.unknownMember, "\(op.spelling) has no member \"\(shortened(name))\"; \(hint)")
  }

  /// The fault of a line that does not have all members that its op requires.
  @inline(never)
  func missing(from op: Op) -> Fault {
    let name = Member.allCases.first { op.required & ~scanner.present & $0.mask != 0 }.map { "\($0.spelling)" } ?? ""
    return Fault(.missingMember, "\(op.spelling) needs the member \"\(name)\"")
  }

  /// The fault of a line that is not valid JSON.
  @inline(never)
  func describe(_ fault: ScanFault) -> Fault {
    switch fault.kind {
    case .tooDeep:
      Fault(.tooDeep, "nested more than \(maxDepth) deep, at byte \(fault.offset); flatten it, or send it as a string")
    case .badJSON, .notAnObject:
      Fault(.badJSON, "\(fault.text), at byte \(fault.offset)")
    }
  }
}

/// The beginning of a peer's word, for a message to people. The function counts scalars, because one `Character` may
/// have any number of bytes.
package func shortened(_ word: String) -> String {
  word.utf8.count <= 64 ? word : String(word.unicodeScalars.prefix(60)) + "…"
}
