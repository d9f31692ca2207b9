/// A condition as the contract has it (`when`), read from a value that was said; nil where it is refused.
package struct SaidCondition: Equatable {
  indirect enum Member {
    case object(Object)
    case list([Alternative])
  }

  struct Object {
    var members: [(name: String, member: Member)] = []
    var either: [Object] = []
  }

  indirect enum Alternative {
    case equal(SaidJSON)
    case prefix(String), suffix(String), ignoringCase(String)
    case numeric([(relation: String, number: String)])
    case exists(Bool)
    case anythingBut([Alternative])
  }

  var whole = Object()
  /// As the server spells it.
  package private(set) var spelling = ""
  private var alternatives = 0
  private let identity: Bool
  private let broken: ConditionRule?

  package static func == (left: SaidCondition, right: SaidCondition) -> Bool { left.spelling == right.spelling }

  package init?(_ said: SaidJSON, identity: Bool, broken: ConditionRule? = nil) {
    (self.identity, self.broken) = (identity, broken)
    guard case .object(let members) = said else { return nil }
    spelling = SaidCondition.spelled(said)
    guard members.isEmpty || SaidCondition.depth(of: said) <= 16, spelling.utf8.count <= 4096 else { return nil }
    if members.isEmpty { return }
    guard let object = object(members, isWhole: true, ofTexts: false), alternatives <= 64 else { return nil }
    whole = object
  }

  /// One that is right; nil for one that asks nothing.
  static func asking(_ json: String?) -> SaidCondition? {
    guard let json, let condition = SaidCondition(SaidJSON(json), identity: true) else { return nil }
    return condition.spelling == "{}" ? nil : condition
  }

  /// How many patterns it counts like.
  var weight: Int { (spelling.utf8.count + 63) / 64 }

  private static func depth(of said: SaidJSON) -> Int {
    switch said {
    case .object(let members): 1 + (members.map { depth(of: $0.value) }.max() ?? 0)
    case .list(let elements): 1 + (elements.map(depth).max() ?? 0)
    default: 0
    }
  }

  private mutating func object(
    _ said: [(name: SaidJSON.SaidText, value: SaidJSON)], isWhole: Bool, ofTexts: Bool
  ) -> Object? {
    var object = Object()
    var seen: Set<String> = []
    if said.isEmpty || ofTexts { return nil }
    for (name, value) in said {
      let text = name.string
      let isASCII = name.scalars.allSatisfy { $0 > 0 && $0 < 0x80 }
      guard isASCII, name.scalars.count <= 256 else { return nil }
      if !seen.insert(text.lowercased()).inserted, broken != .namesTwice { return nil }
      if text.hasPrefix("$") {
        guard text == "$or", case .list(let branches) = value, 1...16 ~= branches.count else { return nil }
        for branch in branches {
          guard case .object(let members) = branch,
            let one = self.object(members, isWhole: isWhole, ofTexts: false)
          else { return nil }
          object.either.append(one)
        }
        continue
      }
      if isWhole, !["payload", "meta", "topic", "key"].contains(text), text != "identity" || !identity { return nil }
      guard let member = member(value, ofTexts: isWhole && ["topic", "key", "identity"].contains(text)) else {
        return nil
      }
      object.members.append((text, member))
    }
    return object
  }

  private mutating func member(_ said: SaidJSON, ofTexts: Bool) -> Member? {
    switch said {
    case .object(let members):
      return object(members, isWhole: false, ofTexts: ofTexts).map { .object($0) }
    case .list(let elements):
      var list: [Alternative] = []
      for element in elements {
        guard let alternative = alternative(element, ofTexts: ofTexts) else { return nil }
        list.append(alternative)
      }
      return list.isEmpty ? nil : .list(list)
    default: return nil
    }
  }

  private mutating func alternative(_ said: SaidJSON, ofTexts: Bool) -> Alternative? {
    guard case .object(let members) = said else { return equal(said, ofTexts: ofTexts) }
    guard members.count == 1 else { return nil }
    let (word, operand) = (members[0].name.string, members[0].value)
    if word == "anything-but" { return anythingBut(operand, ofTexts: ofTexts) }
    alternatives += 1
    switch word {
    case "prefix": return testText(operand).map { .prefix($0) }
    case "suffix": return testText(operand).map { .suffix($0) }
    case "equals-ignore-case": return testText(operand).map { .ignoringCase($0) }
    case "exists":
      guard case .truth(let isThere) = operand else { return nil }
      return .exists(isThere)
    case "numeric": return ofTexts ? nil : numeric(operand)
    default: return nil
    }
  }

  private mutating func equal(_ said: SaidJSON, ofTexts: Bool) -> Alternative? {
    alternatives += 1
    switch said {
    case .text(let text): return isGood(text) ? .equal(said) : nil
    case .number(let number): return ofTexts || !isGood(number) ? nil : .equal(said)
    case .truth, .null: return ofTexts ? nil : .equal(said)
    default: return nil
    }
  }

  private func isGood(_ text: SaidJSON.SaidText) -> Bool {
    !text.scalars.contains(0) && text.string.utf8.count <= 256
  }

  private func testText(_ said: SaidJSON) -> String? {
    guard case .text(let text) = said, isGood(text), !text.scalars.isEmpty else { return nil }
    return text.string
  }

  private func isGood(_ number: String) -> Bool {
    guard number.utf8.count <= 32, let double = Double(number) else { return false }
    if broken == .wholeNumbers { return true }
    let hasDigits = number.prefix { $0 != "e" && $0 != "E" }.contains { ("1"..."9").contains($0) }
    return double.isFinite && (double != 0 || !hasDigits)
  }

  private func numeric(_ said: SaidJSON) -> Alternative? {
    guard case .list(let parts) = said, parts.count == 2 || parts.count == 4 else { return nil }
    var bounds: [(relation: String, number: String)] = []
    for at in stride(from: 0, to: parts.count, by: 2) {
      guard case .text(let relation) = parts[at], case .number(let number) = parts[at + 1], isGood(number),
        ["=", "<", "<=", ">", ">="].contains(relation.string)
      else { return nil }
      bounds.append((relation.string, number))
    }
    if bounds.count == 2 {
      guard bounds[0].relation.hasPrefix(">"), bounds[1].relation.hasPrefix("<") else { return nil }
      let order = SaidNumber(bounds[0].number).order(SaidNumber(bounds[1].number))
      let both = bounds[0].relation == ">=" && bounds[1].relation == "<="
      if broken != .boundsWithNumbers, order > 0 || order == 0 && !both { return nil }
    }
    return .numeric(bounds)
  }

  private mutating func anythingBut(_ said: SaidJSON, ofTexts: Bool) -> Alternative? {
    switch said {
    case .text, .number: return equal(said, ofTexts: ofTexts).map { .anythingBut([$0]) }
    case .object(let members):
      guard members.count == 1, members[0].name.string == "prefix" else { return nil }
      alternatives += 1
      return testText(members[0].value).map { .anythingBut([.prefix($0)]) }
    case .list(let elements):
      var all: [Alternative] = []
      var kinds: Set<Bool> = []
      for element in elements {
        switch element {
        case .text: kinds.insert(true)
        case .number: kinds.insert(false)
        default: return nil
        }
        guard let one = equal(element, ofTexts: ofTexts) else { return nil }
        all.append(one)
      }
      return kinds.count == 1 ? .anythingBut(all) : nil
    default: return nil
    }
  }
}
