internal import BatonCore

/// Goes through the tree of a file, and collects what is wrong with it.
package protocol NodeReading {
  /// What is wrong so far.
  var mistakes: MistakeList { get }
  /// Something is wrong at a place of the file.
  mutating func wrong(_ place: FilePlace, _ message: String)
}

/// Reads a node as what its key wants: a map, a list, a text, a flag or a number.
extension NodeReading {
  /// The members of a map whose keys are all known. What has another key is told and left out. `what` is the map, for
  /// messages.
  package mutating func members(
    of node: Node, _ what: String, keys: [String], synonyms: [String: String] = [:]
  ) -> [Node.Member] {
    members(of: node, what).filter { member in
      if keys.contains(member.key) { return true }
      // Looking for names takes time, and further mistakes are only counted.
      let meant = mistakes.isFull ? nil : meantName(member.key, among: keys, synonyms: synonyms)
      var hint = meant.map { "did you mean \"\($0)\"?" } ?? "its keys are: \(keys.joined(separator: ", "))"
      if member.key.unicodeScalars.contains(where: { !$0.isASCII && $0.properties.isWhitespace }) {
        hint = "a space in it is none for YAML (U+00A0, for instance); write it anew"
      }
      wrong(member.place, "\(what) has no key \(quoted(member.key)); \(hint)")
      return false
    }
  }

  /// The members of a map, whatever their keys are; none if the node is something else, which is told.
  package mutating func members(of node: Node, _ what: String) -> [Node.Member] {
    switch node.content {
    case .map(let members): return members
    case .broken: return []
    case .text(let text) where !text.isQuoted && text.string.contains(":"):
      wrong(node.place, "\(what) is a map; after the colon of a key comes a space, as in KEY: VALUE")
    default:
      let hint = node.isAbsent || node.isNull ? "; leave the key out if there is nothing to say" : ", as in KEY: VALUE"
      wrong(node.place, "\(what) is a map, and \(node.kind) stands here\(hint)")
    }
    return []
  }

  /// The elements of a list; nil if the node is something else, which is told.
  package mutating func elements(of node: Node, _ what: String) -> [Node]? {
    if case .list(let nodes) = node.content { return nodes }
    if case .text(let text) = node.content, !text.isQuoted, text.string.hasPrefix("-"), text.string.count > 1 {
      wrong(node.place, "\(what) is a list; after the dash comes a space, as in - VALUE")
    } else if node.isNull {
      wrong(node.place, "\(what) is a list, and nothing stands here; begin each line with \"- \", or write [ ]")
    } else if case .text(let text) = node.content, !node.isAbsent {
      let short = text.string.utf8.count <= 40 && !mayBeToken(text.string) ? "[\(flowSpelling(text))]" : "[ ]"
      wrong(node.place, "\(what) is a list, and a text stands here; write \(short)")
    } else if !node.isBroken {
      wrong(node.place, "\(what) is a list, and \(node.kind) stands here; begin each line with \"- \", or write [ ]")
    }
    return nil
  }

  /// The elements of a list, or one value that stands without a list.
  package func oneOrMore(_ node: Node) -> [Node] {
    if case .list(let nodes) = node.content { nodes } else { [node] }
  }

  /// A text that is not empty; nil if the node is something else, which is told.
  package mutating func text(_ node: Node, _ what: String) -> String? {
    switch node.content {
    case .text(let text)
    where !text.isQuoted && "\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}".contains(text.string.prefix(1))
      && !text.string.isEmpty:
      wrong(node.place, "these quotes are none for YAML; write ' or \" around \(what)")
    case .text(let text) where !text.string.isEmpty: return text.string
    case .text: wrong(node.place, "\(what) is empty; write a value, or leave the key out")
    case .broken: break
    case .list, .map: wrong(node.place, "\(what) is a text, and \(node.kind) stands here")
    }
    return nil
  }

  /// `true` or `false`, and no other word for them.
  package mutating func flag(_ node: Node, _ what: String) -> Bool? {
    guard let text = text(node, what) else { return nil }
    if text == "true" { return true }
    if text == "false" { return false }
    let meant = [
      "yes": true, "y": true, "on": true, "true": true, "t": true, "1": true, "enabled": true, "no": false, "n": false,
      "off": false, "false": false, "f": false, "0": false, "disabled": false,
    ][text.lowercased()]
    let hint = meant.map { "; write \($0)" } ?? (text.contains("#") ? gluedComment : "")
    wrong(node.place, "\(what) is true or false, not \(quoted(text))\(hint)")
    return nil
  }

  /// A whole number, spelled as in JSON.
  package mutating func number(_ node: Node, _ what: String) -> Int? {
    switch node.content {
    case .list, .map:
      wrong(node.place, "\(what) is a number, and \(node.kind) stands here")
      return nil
    case .text, .broken: break
    }
    guard let text = text(node, what) else { return nil }
    let digits = Array(text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...])
    let isNumber =
      !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) } && (digits.count == 1 || digits[0] != 0x30)
    guard isNumber else {
      let number = meantNumber(text, isTime: what.hasSuffix("_ms")).map { "; write \($0)" }
      let meant = number ?? (text.contains("#") ? gluedComment : node.isNull ? "; leave it out for the default" : "")
      let example = what.hasSuffix("_ms") ? "number of milliseconds such as 5000" : "number such as 65536"
      wrong(node.place, "\(what) is a whole \(example), not \(quoted(text))\(meant)")
      return nil
    }
    guard let number = Int(text) else {
      wrong(node.place, "\(what) is a number of 64 bits, and this one is larger")
      return nil
    }
    return number
  }
}

private let gluedComment = "; a space stands in front of the # of a comment"

/// A text as it can stand in `[ ]`.
private func flowSpelling(_ text: Node.Text) -> String {
  let isPlain = text.string.utf8.allSatisfy {
    switch $0 {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"):
      true
    case UInt8(ascii: ">"), UInt8(ascii: "*"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: " "): true
    default: false
    }
  }
  let isBare = isPlain && !text.string.hasPrefix(">") && !text.string.hasPrefix("*") && !text.string.contains("[")
  return isBare ? text.string : "'\(text.string.replacing("'", with: "''"))'"
}
