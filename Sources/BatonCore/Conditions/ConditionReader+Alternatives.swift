/// What a list of a condition may hold.
extension ConditionReader {
  private enum Word: String, CaseIterable {
    case prefix, suffix, numeric, exists
    case ignoringCase = "equals-ignore-case"
    case anythingBut = "anything-but"
  }

  mutating func list(
    _ value: MemberValue, ofTexts: Bool, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Demand.Kind {
    try open("[", place)
    let first = condition.alternatives.count
    var looks = false
    for element in ArrayElements(of: value, in: line) {
      let place = place.element(condition.alternatives.count - first)
      if condition.alternatives.count > first { try spell(",") }
      let alternative = try alternative(element, ofTexts: ofTexts, place)
      if case .exists = alternative {} else { looks = true }
      condition.alternatives.append(alternative)
    }
    if condition.alternatives.count == first { throw fault(place, "is an empty list, which nothing fits") }
    try close("]")
    return .alternatives(first..<condition.alternatives.count, looks: looks)
  }

  private mutating func alternative(
    _ value: MemberValue, ofTexts: Bool, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Alternative {
    switch value.kind {
    case .object: return try test(value, ofTexts: ofTexts, place)
    case .array: throw fault(place, "is a list within a list; write its elements beside the others")
    default: return try equal(value, ofTexts: ofTexts, place)
    }
  }

  /// A value that something may be equal to.
  private mutating func equal(
    _ value: MemberValue, ofTexts: Bool, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Alternative {
    try count(place)
    if value.kind.isText { return .text(try text(value, mayBeEmpty: true, place)) }
    if ofTexts { throw fault(place, "can never be equal to a text; write a text in quotes") }
    switch value.kind {
    case .integer, .number: return .number(try bound(.equal, value, place))
    case .null: try spell("null")
    default: try spell(value.bytes(in: line))
    }
    return value.kind == .null ? .null : .truth(value.kind == .true)
  }

  /// An object with one word.
  private mutating func test(
    _ value: MemberValue, ofTexts: Bool, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Alternative {
    var members = ObjectMembers(of: value, in: line)
    let words = Word.allCases.map(\.rawValue).sorted()
    guard let (name, operand) = members.next() else { throw fault(place, "is empty; it needs one of \(list(words))") }
    let said = String(decoding: textBytes(name).prefix(300), as: UTF8.self)
    let inner = place.member(said)
    guard let word = Word(rawValue: said) else {
      throw fault(inner, "is no test", nearest: said, among: words, others: "there are \(list(words))")
    }
    if members.next() != nil { throw fault(place, "has more than one member; each test is an object of its own") }
    try open("{", place)
    try spell(text: Array(said.utf8))
    try spell(":")
    let alternative = try test(word, operand, ofTexts: ofTexts, inner)
    try close("}")
    return alternative
  }

  private mutating func test(
    _ word: Word, _ operand: MemberValue, ofTexts: Bool, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Alternative {
    if word != .anythingBut { try count(place) }
    switch word {
    case .prefix: return .prefix(try text(operand, mayBeEmpty: false, place))
    case .suffix: return .suffix(try text(operand, mayBeEmpty: false, place))
    case .ignoringCase: return .ignoringCase(try text(operand, mayBeEmpty: false, place))
    case .exists:
      guard operand.kind == .true || operand.kind == .false else { throw fault(place, "must be true or false") }
      try spell(operand.bytes(in: line))
      return .exists(operand.kind == .true)
    case .numeric:
      if ofTexts { throw fault(place, "compares numbers, and this is always a text") }
      return try numeric(operand, place)
    case .anythingBut: return .anythingBut(try excluded(operand, ofTexts: ofTexts, place))
    }
  }

  // MARK: Numbers

  private mutating func numeric(
    _ value: MemberValue, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Alternative {
    let form = "must be a comparison, such as [\"<\",5], or a lower bound and a higher one, such as [\">=\",0,\"<\",5]"
    let parts = ArrayElements(of: value, in: line).prefix(5).map { $0 }
    guard parts.count == 2 || parts.count == 4 else { throw fault(place, form) }
    try open("[", place)
    var bounds: [Condition.Bound] = []
    for at in stride(from: 0, to: parts.count, by: 2) {
      if at > 0 { try spell(",") }
      let said = parts[at].kind.isText ? String(decoding: textBytes(parts[at]).prefix(8), as: UTF8.self) : ""
      let words = Condition.Bound.Relation.allCases.map(\.rawValue)
      guard let relation = Condition.Bound.Relation(rawValue: said) else {
        throw fault(place.element(at), "must be one of \(list(words))")
      }
      try spell(text: Array(said.utf8))
      try spell(",")
      bounds.append(try bound(relation, parts[at + 1], place.element(at + 1)))
    }
    try close("]")
    guard bounds.count == 2 else { return .numeric(bounds[0], nil) }
    guard bounds[0].relation.isLower, bounds[1].relation.isUpper else { throw fault(place, form) }
    let order = condition.texts.withUnsafeBytes { texts in
      bounds[0].number.decimal.compared(
        in: texts.part(bounds[0].written.range), to: bounds[1].number.decimal, in: texts.part(bounds[1].written.range))
    }
    let bothInclude = bounds[0].relation == .atLeast && bounds[1].relation == .atMost
    if order > 0 || order == 0 && !bothInclude { throw fault(place, "has no number between its bounds") }
    return .numeric(bounds[0], bounds[1])
  }

  private mutating func bound(
    _ relation: Condition.Bound.Relation, _ value: MemberValue, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Bound {
    guard value.kind == .integer || value.kind == .number else { throw fault(place, "must be a number") }
    let bytes = value.bytes(in: line)
    guard bytes.count <= ConditionReader.mostNumberBytes else {
      throw fault(place, "is a number of more than \(ConditionReader.mostNumberBytes) bytes")
    }
    let number = SeenNumber(bytes)
    guard number.double.isFinite, number.double != 0 || number.decimal.sign == 0 else {
      throw fault(place, "is a number that a double cannot hold")
    }
    try spell(bytes)
    return Condition.Bound(relation: relation, number: number, written: keep(bytes))
  }

  // MARK: anything-but

  private mutating func excluded(
    _ value: MemberValue, ofTexts: Bool, _ place: ConditionPlace
  ) throws(ConditionFault) -> [Condition.Alternative] {
    let form = "takes a text, a number, a list of texts alone or of numbers alone, or {\"prefix\":…}"
    switch value.kind {
    case .array:
      try open("[", place)
      var all: [Condition.Alternative] = []
      var first: MemberValue?
      for element in ArrayElements(of: value, in: line) {
        guard element.isTextOrNumber, first.map({ $0.kind.isText == element.kind.isText }) ?? true else {
          throw fault(place, form)
        }
        if first != nil { try spell(",") }
        first = element
        all.append(try equal(element, ofTexts: ofTexts, place.element(all.count)))
      }
      if all.isEmpty { throw fault(place, "is an empty list; \(form)") }
      try close("]")
      return all
    case .object:
      var members = ObjectMembers(of: value, in: line)
      guard let (name, operand) = members.next(), members.next() == nil, name.isText("prefix", in: line) else {
        throw fault(place, form)
      }
      try count(place)
      try open("{", place)
      try spell("\"prefix\":")
      let prefix = Condition.Alternative.prefix(try text(operand, mayBeEmpty: false, place.member("prefix")))
      try close("}")
      return [prefix]
    default:
      guard value.isTextOrNumber else { throw fault(place, form) }
      return [try equal(value, ofTexts: ofTexts, place)]
    }
  }

  // MARK: Texts and bounds

  private mutating func text(
    _ value: MemberValue, mayBeEmpty: Bool, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Part {
    guard value.kind.isText else { throw fault(place, "must be a text") }
    let bytes = textBytes(value)
    if bytes.isEmpty, !mayBeEmpty { throw fault(place, "is an empty text, which every text fits") }
    if bytes.count > ConditionReader.mostTextBytes {
      throw fault(place, "is a text of more than \(ConditionReader.mostTextBytes) bytes")
    }
    if bytes.contains(0) { throw fault(place, "contains U+0000, where some programs end a text") }
    try spell(text: bytes)
    return keep(bytes)
  }

  private mutating func count(_ place: ConditionPlace) throws(ConditionFault) {
    if alternatives == ConditionReader.mostAlternatives {
      throw fault(place, "is one alternative too many: a condition has at most \(ConditionReader.mostAlternatives)")
    }
    alternatives += 1
  }
}

extension Condition.Bound.Relation {
  fileprivate var isLower: Bool { self == .more || self == .atLeast }
  fileprivate var isUpper: Bool { self == .less || self == .atMost }
}

extension MemberValue {
  fileprivate var isTextOrNumber: Bool { kind.isText || kind == .integer || kind == .number }
}
