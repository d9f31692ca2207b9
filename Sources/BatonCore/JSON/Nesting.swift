/// Skips and validates objects and arrays inside of a line's object, up to a limited depth and without recursion. Each
/// open bracket takes two bytes here. The memory for them is allocated once.
struct Nesting: ~Copyable {
  /// An open bracket.
  private struct Level {
    /// Whether the level is an object, not an array.
    var isObject = true
    /// The position of the next member in its object. It is not counted beyond `placesExpected` - 1.
    var place: UInt8 = 0
  }

  private let maximumDepth: Int
  /// The open levels, by depth. Entries above the current depth are left over from earlier lines.
  private let levels: UnsafeMutablePointer<Level>
  /// The bytes before the last members, by level and position. Levels beyond `levelsExpected` and positions beyond
  /// `placesExpected` share these entries.
  private let expected: UnsafeMutablePointer<ExpectedMember>
  private static let levelsExpected = 8
  private static let placesExpected = 8

  init(maximumDepth: Int) {
    precondition((1...10_000).contains(maximumDepth))
    self.maximumDepth = maximumDepth
    levels = .allocate(capacity: maximumDepth + 1)
    levels.initialize(repeating: Level(), count: maximumDepth + 1)
    let count = Nesting.levelsExpected * Nesting.placesExpected
    expected = .allocate(capacity: count)
    expected.initialize(repeating: .impossible, count: count)
  }

  deinit {
    levels.deallocate()
    expected.deallocate()
  }

  /// Validates the object or array that begins at `start`, the offset of its opening bracket. It is on level 2.
  ///
  /// - Returns: the offset after its closing bracket.
  @inline(never)
  func skip(_ reader: TokenReader<some ByteSource>, from start: Int) throws(ScanFault) -> Int {
    let source = reader.source
    var offset = start
    var depth = 1
    var level = Level()
    while true {
      let first = source[offset]
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        guard depth < maximumDepth else { throw ScanFault(kind: .tooDeep, offset: offset) }
        levels[depth] = level
        depth &+= 1
        level = Level(isObject: first == UInt8(ascii: "{"))
        let bracket = offset
        offset = reader.skipSpace(from: bracket &+ 1)
        if source[offset] != Self.closing(level) {
          if level.isObject { offset = try name(reader, from: offset, behind: bracket, depth, level) }
          continue
        }
      } else {
        offset = reader.skipSpace(from: try reader.scalar(first, from: offset).end)
      }
      // An entry ends here. The loop closes all brackets that end here, too.
      while source[offset] == Self.closing(level) {
        offset &+= 1
        depth &-= 1
        if depth == 1 { return offset }
        level = levels[depth]
        offset = reader.skipSpace(from: offset)
      }
      guard source[offset] == UInt8(ascii: ",") else { throw reader.fault(.missingComma, at: offset) }
      let comma = offset
      offset = reader.skipSpace(from: comma &+ 1)
      if source[offset] == Self.closing(level) { throw reader.fault(.trailingComma, at: comma) }
      if level.isObject {
        level.place = min(level.place &+ 1, UInt8(Self.placesExpected &- 1))
        offset = try name(reader, from: offset, behind: comma, depth, level)
      }
    }
  }

  /// Reads a member's name and its colon, and returns the offset of its value. The name is at `start`, after the brace
  /// or comma at `delimiter`.
  @inline(__always)
  private func name(
    _ reader: TokenReader<some ByteSource>, from start: Int, behind delimiter: Int, _ depth: Int, _ level: Level
  ) throws(ScanFault) -> Int {
    let expected = expected + ((depth & (Self.levelsExpected &- 1)) &* Self.placesExpected &+ Int(level.place))
    if expected.pointee.stands(in: reader.source, at: delimiter) {
      return reader.skipSpace(from: delimiter &+ expected.pointee.count)
    }
    return try readName(reader, from: start, behind: delimiter, expected)
  }

  @inline(never)
  private func readName(
    _ reader: TokenReader<some ByteSource>, from start: Int, behind delimiter: Int,
    _ expected: UnsafeMutablePointer<ExpectedMember>
  ) throws(ScanFault) -> Int {
    let value = try reader.name(from: start).value
    if let found = ExpectedMember(in: reader.source, from: delimiter, to: value) { expected.pointee = found }
    return value
  }

  @inline(__always)
  private static func closing(_ level: Level) -> UInt8 {
    level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
  }
}
