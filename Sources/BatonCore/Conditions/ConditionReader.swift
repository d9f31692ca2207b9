/// Reads a condition, and refuses what is none.
struct ConditionReader {
  /// The bounds of the contract (`when`).
  static var mostAlternatives: Int { 64 }
  static var mostDepth: Int { 16 }
  static var mostTextBytes: Int { 256 }
  static var mostNumberBytes: Int { 32 }
  static var mostBranches: Int { 16 }
  /// What is longer than this as written is not read. It is what the longest condition takes if all of it is escaped, and more.
  private static var mostWritten: Int { 1 << 16 }

  let line: UnsafeRawBufferPointer
  /// Whether a condition may speak of the sender's identity.
  private let identity: Bool
  var condition = Condition()
  /// How many alternatives there are, and how many objects and lists are open.
  var alternatives = 0
  private var depth = 0

  private init(_ line: UnsafeRawBufferPointer, identity: Bool) { (self.line, self.identity) = (line, identity) }

  /// - Parameter identity: whether a condition may speak of the sender's identity.
  static func read(
    _ value: MemberValue, in line: UnsafeRawBufferPointer, identity: Bool
  ) throws(ConditionFault) -> Condition {
    guard value.kind == .object else {
      throw ConditionFault(place: "", text: "must be an object, such as {\"payload\":{\"tool\":[\"shell\"]}}")
    }
    if value.count > mostWritten { throw tooLong }
    var reader = ConditionReader(line, identity: identity)
    reader.condition.spots = [Condition.Spot(part: .payload, parent: 0, name: reader.none, folded: reader.none)]
    let level = Level(spot: 0, demand: nil, place: ConditionPlace())
    if ObjectMembers(of: value, in: line).first(where: { _ in true }) == nil {
      try reader.spell("{}")
    } else {
      reader.condition.whole = try reader.object(value, level)
    }
    reader.condition.order()
    return reader.condition
  }

  /// Where an object of the condition stands.
  struct Level {
    var spot: UInt16
    var demand: UInt16?
    var place: ConditionPlace
    var isWhole: Bool { spot == 0 }
  }

  private static var tooLong: ConditionFault {
    ConditionFault(place: "", text: "takes more than \(Condition.mostBytes) bytes; ask for less")
  }

  private var none: Condition.Part { Condition.Part(start: 0, count: 0) }

  // MARK: Objects

  mutating func object(_ value: MemberValue, _ level: Level) throws(ConditionFault) -> Condition.Formula {
    try open("{", level.place)
    var terms: [Condition.Formula] = []
    var seen: [[UInt8]] = []
    for (name, value) in ObjectMembers(of: value, in: line) {
      if !terms.isEmpty { try spell(",") }
      let bytes = try nameBytes(name, level.place)
      let place = level.place.member(String(decoding: bytes, as: UTF8.self))
      let folded = bytes.map(NameFolding.small)
      if seen.contains(folded) {
        throw fault(place, "stands here twice, also if it differs only in upper and lower case")
      }
      seen.append(folded)
      try spell(text: bytes)
      try spell(":")
      if bytes.first == UInt8(ascii: "$") {
        guard bytes.elementsEqual("$or".utf8) else {
          throw fault(place, "begins with $, which only $or may")
        }
        terms.append(try branches(value, level, place))
      } else {
        if level.isWhole { try checkPart(bytes, place) }
        terms.append(try member(bytes, folded, value, level, place))
      }
    }
    if terms.isEmpty { throw fault(level.place, "is an empty object; name a member, or leave it out") }
    try close("}")
    return .all(terms)
  }

  private func checkPart(_ name: [UInt8], _ place: ConditionPlace) throws(ConditionFault) {
    let parts = Condition.MessagePart.allCases.map { "\($0)" }
    let name = String(decoding: name, as: UTF8.self)
    guard parts.contains(name) else {
      throw fault(
        place, "is no part of a message", nearest: name, among: parts + ["$or"], others: "there are \(list(parts))")
    }
    if name == "identity", !identity {
      throw fault(place, "says nothing where the server asks nobody who is there: whoever says hello chooses it")
    }
  }

  private mutating func branches(
    _ value: MemberValue, _ level: Level, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Formula {
    guard value.kind == .array else { throw fault(place, "must be a list of objects, of which one must fit") }
    try open("[", place)
    var terms: [Condition.Formula] = []
    for element in ArrayElements(of: value, in: line) {
      let place = place.element(terms.count)
      guard element.kind == .object else { throw fault(place, "must be an object") }
      if terms.count == ConditionReader.mostBranches {
        throw fault(place, "is one object too many: $or takes at most \(ConditionReader.mostBranches)")
      }
      if !terms.isEmpty { try spell(",") }
      var below = level
      below.place = place
      terms.append(try object(element, below))
    }
    if terms.isEmpty { throw fault(place, "is an empty list; it needs an object that must fit") }
    try close("]")
    return .any(terms)
  }

  private mutating func member(
    _ name: [UInt8], _ folded: [UInt8], _ value: MemberValue, _ level: Level, _ place: ConditionPlace
  ) throws(ConditionFault) -> Condition.Formula {
    let spot = spot(name, folded, level)
    let part = condition.spots[Int(spot)].part
    let number = UInt16(condition.demands.count)
    switch value.kind {
    case .array:
      condition.demands.append(.init(spot: spot, parent: level.demand, kind: .alternatives(0..<0, looks: false)))
      condition.demands[Int(number)].kind = try list(value, ofTexts: part.isText, place)
    case .object:
      if part.isText { throw fault(place, "is a text; it takes a list of texts, such as [\"a\"]") }
      condition.demands.append(.init(spot: spot, parent: level.demand, kind: .object(.all([]))))
      let below = Level(spot: spot, demand: number, place: place)
      condition.demands[Int(number)].kind = .object(try object(value, below))
    default:
      throw fault(place, "must be a list of alternatives, such as [\(shown(value))], or an object")
    }
    return .member(number)
  }

  /// The spot of a member of an object, which may be there already.
  private mutating func spot(_ name: [UInt8], _ folded: [UInt8], _ level: Level) -> UInt16 {
    for (number, spot) in condition.spots.enumerated().dropFirst() where spot.parent == level.spot {
      if condition.texts[spot.name.range].elementsEqual(name) { return UInt16(number) }
    }
    let part = Condition.MessagePart.allCases.first { name.elementsEqual("\($0)".utf8) }
    let above = condition.spots[Int(level.spot)].part
    condition.spots.append(
      Condition.Spot(
        part: level.isWhole ? part ?? above : above, parent: level.spot, name: keep(name), folded: keep(folded)))
    return UInt16(condition.spots.count - 1)
  }

  // MARK: Names and texts

  private func nameBytes(_ name: MemberValue, _ place: ConditionPlace) throws(ConditionFault) -> [UInt8] {
    let bytes = textBytes(name)
    let shown = place.member(String(decoding: bytes.prefix(300), as: UTF8.self))
    if bytes.count > ConditionReader.mostTextBytes {
      throw fault(shown, "is a name of more than \(ConditionReader.mostTextBytes) bytes")
    }
    if !bytes.allSatisfy({ $0 < 0x80 }) {
      throw fault(shown, "is a name beyond ASCII, which has several spellings; look at another member")
    }
    if bytes.contains(0) { throw fault(shown, "contains U+0000, where some programs end a name") }
    return bytes
  }

  /// The text of a string; of one that is far too long, only that it is too long.
  func textBytes(_ value: MemberValue) -> [UInt8] {
    let count = value.textCount(in: line)
    return [UInt8](unsafeUninitializedCapacity: count) { target, taken in
      taken = value.copyText(in: line, into: UnsafeMutableRawBufferPointer(target))
    }
  }

  mutating func keep(_ bytes: some Collection<UInt8>) -> Condition.Part {
    let part = Condition.Part(start: UInt16(condition.texts.count), count: UInt16(bytes.count))
    condition.texts += bytes
    return part
  }

  // MARK: Spelling

  mutating func spell(_ text: StaticString) throws(ConditionFault) {
    try spell(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func spell(text: [UInt8]) throws(ConditionFault) {
    let decoded = OwnedBytes(copying: text)
    let quoted = OwnedBytes(quoting: decoded.bytes)
    defer {
      extendLifetime(decoded)
      extendLifetime(quoted)
    }
    try spell(quoted.bytes)
  }

  mutating func spell(_ bytes: UnsafeRawBufferPointer) throws(ConditionFault) {
    condition.spelling += bytes
    if condition.spelling.count > Condition.mostBytes { throw ConditionReader.tooLong }
  }

  /// Begins an object or a list.
  mutating func open(_ bracket: StaticString, _ place: ConditionPlace) throws(ConditionFault) {
    depth += 1
    if depth > ConditionReader.mostDepth {
      throw fault(place, "lies too deep: at most \(ConditionReader.mostDepth) objects and lists stand in each other")
    }
    try spell(bracket)
  }

  mutating func close(_ bracket: StaticString) throws(ConditionFault) {
    depth -= 1
    try spell(bracket)
  }

  // MARK: Words

  func fault(_ place: ConditionPlace, _ text: String) -> ConditionFault {
    ConditionFault(place: place.text, text: text)
  }

  /// With the word that may have been meant; otherwise with the words that there are.
  func fault(
    _ place: ConditionPlace, _ text: String, nearest word: String, among words: [String], others: String
  ) -> ConditionFault {
    let hint = nearestName(to: word, among: words).map { "did you mean \"\($0)\"?" } ?? others
    return fault(place, "\(text); \(hint)")
  }

  func list(_ words: [String]) -> String { words.map { "\"\($0)\"" }.joined(separator: ", ") }

  /// The beginning of a value, for an example.
  private func shown(_ value: MemberValue) -> String {
    value.count <= 40 ? seenJSON(value.bytes(in: line)) : "…"
  }
}

extension Condition.MessagePart {
  /// Whether it is always a text.
  var isText: Bool { self == .topic || self == .key || self == .identity }
}
