/// The three answers.
package enum SaidAnswer: String { case no, unknown, fits }

extension SaidAnswer {
  static func best(_ all: [SaidAnswer]) -> SaidAnswer {
    all.contains(.fits) ? .fits : all.contains(.unknown) ? .unknown : .no
  }

  static func worst(_ all: [SaidAnswer]) -> SaidAnswer {
    all.contains(.no) ? .no : all.contains(.unknown) ? .unknown : .fits
  }

  init(_ yes: Bool) { self = yes ? .fits : .no }
}

extension SaidCondition {
  /// The answer to a message of these parts. Those that are missing are not there.
  package func answer(_ parts: [String: SaidJSON], areListsUnknown: Bool = false, broken: ConditionRule? = nil)
    -> SaidAnswer
  {
    let members = parts.map { part in
      (
        name: SaidJSON.SaidText(scalars: part.key.unicodeScalars.map(\.value), written: 9, hasEscapes: false),
        part.value
      )
    }
    return Asking(broken: broken, areListsUnknown: areListsUnknown).inside(
      whole, .object(members.sorted { $0.name.string < $1.name.string }))
  }
}

/// One message, asked with one condition.
struct Asking {
  let broken: ConditionRule?
  let areListsUnknown: Bool
  var isInList = false

  enum Found { case nothing, unclear, value(SaidJSON) }

  /// An object of the condition and a value that is no list with elements.
  func inside(_ object: SaidCondition.Object, _ value: SaidJSON) -> SaidAnswer {
    if case .text(let text) = value, broken != .textsOfJSON, mayBeJSON(text) { return .unknown }
    var all = object.members.map { one -> SaidAnswer in
      switch find(one.name, value) {
      case .unclear: .unknown
      case .nothing: member(one.member, nil)
      case .value(let found): member(one.member, found)
      }
    }
    if !object.either.isEmpty {
      let branches = object.either.map { inside($0, value) }
      all.append(broken == .bestInOr ? .worst(branches) : .best(branches))
    }
    return .worst(all)
  }

  private func mayBeJSON(_ text: SaidJSON.SaidText) -> Bool {
    let spaces = Set<UInt32>(0...0x20).union(0x7F...0xA0).union([0x1680, 0x180E, 0x3000, 0xFEFF])
      .union(0x2000...0x200F).union(0x2028...0x202F).union(0x205F...0x2060)
    let first = text.scalars.first { !spaces.contains($0) }
    return first == 0x7B || first == 0x5B || first == 0x22
  }

  // MARK: Names

  func find(_ name: String, _ value: SaidJSON) -> Found {
    guard case .object(let members) = value else { return .nothing }
    let wanted = name.unicodeScalars.map(\.value)
    let alike = members.filter { looksLike($0.name.scalars, wanted) }
    let same = alike.filter { $0.name.scalars == wanted }
    if alike.isEmpty { return .nothing }
    if broken == .doubledNames, same.count == alike.count { return .value(same[0].value) }
    return alike.count == 1 && same.count == 1 ? .value(same[0].value) : .unclear
  }

  private func looksLike(_ name: [UInt32], _ wanted: [UInt32]) -> Bool {
    if name == wanted { return true }
    let likenesses: [UInt32: String] = [
      0x17F: "s", 0x212A: "k", 0x131: "i", 0x130: "i", 0xDF: "ss", 0x1E9E: "ss", 0xFB00: "ff", 0xFB01: "fi",
      0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st", 0x37E: ";", 0x1FEF: "`",
    ]
    let cut = broken == .cutNames ? name[...] : name.prefix { $0 != 0 }
    let likely = cut.flatMap { scalar in
      broken == .alikeNames ? [scalar] : likenesses[scalar]?.unicodeScalars.map(\.value) ?? [scalar]
    }
    return likely.map(small) == wanted.map(small)
  }

  private func small(_ scalar: UInt32) -> UInt32 {
    broken == .namesWithoutCase ? scalar : 0x41...0x5A ~= scalar ? scalar + 0x20 : scalar
  }

  // MARK: Members

  func member(_ member: SaidCondition.Member, _ value: SaidJSON?) -> SaidAnswer {
    if case .list(let elements) = value, !elements.isEmpty, areListsUnknown { return .unknown }
    if case .list(let elements) = value, !elements.isEmpty { return list(member, elements) }
    switch member {
    case .object(let object): return inside(object, value ?? .object([]))
    case .list(let alternatives): return .best(alternatives.map { single($0, value) })
    }
  }

  private func list(_ member: SaidCondition.Member, _ elements: [SaidJSON]) -> SaidAnswer {
    var isThere = SaidAnswer.no
    if case .list(let alternatives) = member {
      isThere = .best(alternatives.map { if case .exists(true) = $0 { .fits } else { .no } })
    }
    if !isInList, broken != .longLists, looks(member, .list(elements)) > 256 { return .best([isThere, .unknown]) }
    var below = self
    below.isInList = true
    if broken == .elementsAsWholes, case .object(let object) = member {
      return .worst(object.members.map { one in .best(flat(elements).map { below.inside(.init(members: [one]), $0) }) })
    }
    let answers = flat(elements).map { below.element(member, $0) }
    return .best(answers + [isThere])
  }

  /// The elements, and those of lists in it.
  private func flat(_ elements: [SaidJSON]) -> [SaidJSON] {
    elements.flatMap { element -> [SaidJSON] in
      guard broken != .listsInLists, case .list(let inner) = element, !inner.isEmpty else { return [element] }
      return flat(inner)
    }
  }

  private func element(_ member: SaidCondition.Member, _ value: SaidJSON) -> SaidAnswer {
    switch member {
    case .object(let object): return inside(object, value)
    case .list(let alternatives):
      return .best(alternatives.map { if case .exists = $0 { .no } else { single($0, value) } })
    }
  }

  /// How many elements of lists are looked at.
  private func looks(_ member: SaidCondition.Member, _ value: SaidJSON) -> Int {
    if case .list(let alternatives) = member,
      alternatives.allSatisfy({ if case .exists = $0 { true } else { false } })
    {
      return 0
    }
    if case .list(let elements) = value { return elements.reduce(0) { $0 + 1 + looks(member, $1) } }
    guard case .object(let object) = member else { return 0 }
    return looks(object, value)
  }

  private func looks(_ object: SaidCondition.Object, _ value: SaidJSON) -> Int {
    let own = object.members.reduce(0) { sum, one in
      if case .value(let found) = find(one.name, value) { sum + looks(one.member, found) } else { sum }
    }
    return object.either.reduce(own) { $0 + looks($1, value) }
  }
}
