import BatonRecord

/// What was found out about a record, for people and for programs.
struct ToldVerification {
  private let found: Verification
  private let checksKeys: Bool

  init(_ found: Verification, checksKeys: Bool) { (self.found, self.checksKeys) = (found, checksKeys) }

  /// For people.
  var lines: [String] {
    var lines = [
      "\(found.badInAll == 0 ? "good" : "BAD"): lines \(found.from) to \(found.to) in "
        + "\(counted(found.files, "file", "files")), \(counted(found.starts.count, "start", "starts")), "
        + "\(counted(found.ends, "end", "ends"))",
      "contents: \(found.contents) there, \(found.erased) erased\(found.torn > 0 ? ", \(found.torn) without a line (torn by a crash)" : "")",
    ]
    if found.unended > 0 {
      lines.append(
        "unended: \(counted(found.unended, "byte", "bytes")) behind the last line of their file, which prove nothing (a server "
          + "that is killed, or writes now, leaves some)")
    }
    if found.missed > 0 {
      lines.append("missed: \(counted(found.missed, "end is", "ends are")) not recorded, as the record says")
    }
    lines += starts + heads
    if found.repeatedFinals > 0 {
      lines.append(
        "told twice: \(counted(found.repeatedFinals, "stored message has", "stored messages have")) two ends; the last one holds"
      )
    }
    if found.clockBack > 0 {
      lines.append(
        "the clock went back \(counted(found.clockBack, "time", "times")), first at n \(found.clockBackAt.map { "\($0)" }.joined(separator: ", "))"
      )
    }
    return lines + bad
  }

  private var starts: [String] {
    found.starts.filter { !$0.isClean }.prefix(10).map {
      "start at n \($0.n), \($0.at): no end in order stands before it, so the last lines before it may be missing (never ones that "
        + "were told, with strict); \($0.unheaded) before it are covered by no head of their start"
    }
  }

  private var heads: [String] {
    var lines: [String] = []
    for (key, count) in found.keys.sorted(by: { $0.key < $1.key }) {
      lines.append(
        "heads: \(count) signed with the key \(key)\(checksKeys ? "" : "; the signatures were not checked: name the key with --key")"
      )
    }
    if found.unsigned > 0 { lines.append("heads: \(found.unsigned) without a signature") }
    if found.unheadedNow > 0 {
      lines.append("\(counted(found.unheadedNow, "line", "lines")) at the end, covered by no head yet")
    }
    if found.knownHeads > 0 { lines.append("known heads: \(found.knownHeads) found") }
    if found.knownHeadsBefore > 0 {
      lines.append("known heads: \(found.knownHeadsBefore) of lines that were taken away, and cannot be looked for")
    }
    return lines
  }

  private var bad: [String] {
    let lines = found.bad.map { bad in
      let place = bad.file.isEmpty ? "" : bad.line > 0 ? "\(bad.file).jsonl:\(bad.line): " : "\(bad.file).jsonl: "
      return "bad: \(place)n \(bad.n): \(bad.why)"
    }
    return lines + (found.badInAll > found.bad.count ? ["and \(found.badInAll - found.bad.count) more"] : [])
  }

  /// One object of JSON.
  var json: String {
    let keys = found.keys.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }
    let bad = found.bad.map {
      "{\"file\":\(quoted($0.file)),\"line\":\($0.line),\"n\":\($0.n),\"why\":\(quoted($0.why))}"
    }
    return "{\"from\":\(found.from),\"to\":\(found.to),\"files\":\(found.files),\"ends\":\(found.ends),"
      + "\"missed\":\(found.missed),\"contents\":\(found.contents),\"erased\":\(found.erased),\"torn\":\(found.torn),\"unended\":\(found.unended),"
      + "\"unheaded\":\(found.unheaded),\"unclean_starts\":\(found.starts.count { !$0.isClean }),"
      + "\"repeated_finals\":\(found.repeatedFinals),\"clock_back\":\(found.clockBack),\"heads\":\(found.heads),"
      + "\"known_heads\":\(found.knownHeads),\"keys\":{\(keys.joined(separator: ","))},"
      + "\"bad\":[\(bad.joined(separator: ","))]}"
  }

  private func quoted(_ text: String) -> String { StoreExport.quoted(Array(text.utf8)) }
}
