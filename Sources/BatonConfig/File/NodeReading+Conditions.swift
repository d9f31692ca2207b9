package import BatonCore

/// Reads `when`: a condition, as a map. Inside it quotes count, unlike elsewhere (contract, section 12).
extension NodeReading {
  /// The condition; nil if it asks nothing or is wrong, which is told.
  package mutating func condition(_ node: Node) -> LinkCondition? {
    guard case .map = node.content else {
      _ = members(of: node, "when")
      return nil
    }
    guard let spelled = spelled(node) else { return nil }
    do throws(ConditionFault) {
      // Whether the server asks who is there is known once the whole file is read.
      let condition = try Condition.read(json: Array(spelled.utf8), identity: true)
      return condition.isEmpty ? nil : LinkCondition(condition)
    } catch {
      wrong(node.place, "when: \(error.words)")
      return nil
    }
  }

  /// The node as JSON; nil if something in it is wrong.
  private mutating func spelled(_ node: Node) -> String? {
    switch node.content {
    case .map(let members):
      let all = members.map { member in spelled(member.value).map { "\(asJSON(member.key)):\($0)" } }
      return all.contains(nil) ? nil : "{\(all.compactMap(\.self).joined(separator: ","))}"
    case .list(let nodes):
      let all = nodes.map { spelled($0) }
      return all.contains(nil) ? nil : "[\(all.compactMap(\.self).joined(separator: ","))]"
    case .text(let text) where text.isQuoted: return asJSON(text.string)
    case .text(let text): return bare(text.string, at: node.place)
    case .broken: return nil
    }
  }

  /// A word without quotes.
  private mutating func bare(_ word: String, at place: FilePlace) -> String? {
    if ["true", "false", "null"].contains(word) { return word }
    if word.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil { return word }
    let others = [
      "", "~", "yes", "no", "on", "off", "y", "n", "true", "false", "null", ".inf", ".nan", "-.inf", "+.inf",
    ]
    // What begins like a number or a date is one for somebody.
    if others.contains(word.lowercased()) || word.firstMatch(of: /^[-+]?\.?[0-9]/) != nil {
      let what = word.isEmpty ? "nothing stands here" : "\(quoted(word)) may be read in several ways"
      let text =
        word.isEmpty
        ? "null" : "\(quoted(word)) if it is a text, and otherwise a number as in JSON, true, false or null"
      wrong(place, "\(what); write \(text)")
      return nil
    }
    return asJSON(word)
  }
}

private func asJSON(_ text: String) -> String { String(decoding: JSONText.quoted(text), as: UTF8.self) }
