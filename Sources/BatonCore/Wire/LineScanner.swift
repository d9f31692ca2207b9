/// Finds out whether a line is a JSON object, and where its members stand.
///
/// It validates the whole line, values inside of values included, against RFC 8259 and UTF-8. It knows the names of the
/// members but neither which of them a request takes nor what their values mean. One scanner serves any number of lines;
/// scanning allocates nothing.
package struct LineScanner: ~Copyable {
  /// The members that stand on the top level of the line scanned last; none if it had a fault.
  package private(set) var present: UInt64 = 0
  /// Those of them that stand there more than once, however they are spelled.
  package private(set) var repeated: UInt64 = 0
  /// True if a name stands on the top level that is no `Member`'s.
  package private(set) var hasUnknown = false

  /// Where the value of each member in `present` was found first; the others are left over from earlier lines.
  private let values: UnsafeMutablePointer<MemberValue>
  /// What has introduced members lately.
  private let known: UnsafeMutablePointer<Introduction>
  let members: MemberTable
  let nesting: Nesting

  /// - Parameter maximumDepth: levels that a line may be nested, its own object counting as 1; 1 to 10,000.
  package init(maximumDepth: Int) {
    precondition(Member.allCases.count <= 64, "sets of members are masks of 64 bits")
    values = .allocate(capacity: Member.allCases.count)
    values.initialize(repeating: .absent, count: Member.allCases.count)
    known = .allocate(capacity: Introduction.slots)
    known.initialize(repeating: .impossible, count: Introduction.slots)
    members = MemberTable()
    nesting = Nesting(maximumDepth: maximumDepth)
  }

  deinit {
    values.deallocate()
    known.deallocate()
  }

  /// The value of a member where it stands first, `.absent` if it does not.
  package subscript(member: Member) -> MemberValue {
    @inline(__always) get { present & member.mask == 0 ? .absent : values[Int(member.rawValue)] }
  }

  /// Scans a line without its line feed, of less than 4 GiB. The byte behind it must be readable and be the line feed.
  ///
  /// - Returns: nil if the line is one valid JSON object, else its first fault.
  package mutating func scan(_ line: UnsafeRawBufferPointer) -> ScanFault? {
    guard let base = line.baseAddress else { return scanChecked(line) }
    return read(TokenReader(UncheckedBytes(line, at: base)))
  }

  /// The same with every read checked: it traps where `scan` would read outside of the line. For tests and fuzzing.
  package mutating func scanChecked(_ line: UnsafeRawBufferPointer) -> ScanFault? {
    read(TokenReader(CheckedBytes(line)))
  }

  /// Takes over what `scan` would have found in a line that is a plain verdict.
  @inline(__always)
  mutating func take(_ verdict: PlainVerdict) {
    present = Member.op.mask | Member.id.mask
    repeated = 0
    hasUnknown = false
    values[Int(Member.op.rawValue)] = verdict.opText
    values[Int(Member.id.rawValue)] = verdict.id
  }

  private mutating func read(_ reader: TokenReader<some ByteSource>) -> ScanFault? {
    precondition(reader.source.count < UInt32.max)
    present = 0
    repeated = 0
    hasUnknown = false
    do {
      try readLine(reader)
      return nil
    } catch {
      present = 0
      repeated = 0
      hasUnknown = false
      return error
    }
  }

  @inline(__always)
  private mutating func readLine(_ reader: TokenReader<some ByteSource>) throws(ScanFault) {
    let source = reader.source
    var offset = reader.skipSpace(from: 0)
    guard source[offset] == UInt8(ascii: "{") else { throw ScanFault(kind: .notAnObject, offset: offset) }
    let brace = offset
    offset = reader.skipSpace(from: brace &+ 1)
    if source[offset] != UInt8(ascii: "}") {
      offset = try readMembers(reader, from: brace)
    }
    offset = reader.skipSpace(from: offset &+ 1)
    guard offset == source.count else { throw reader.fault(.behindObject, at: offset) }
  }

  /// Reads `"name":value` pairs, each behind the brace or a comma, up to the closing brace and returns its offset.
  @inline(__always)
  private mutating func readMembers(
    _ reader: TokenReader<some ByteSource>, from brace: Int
  ) throws(ScanFault) -> Int {
    let source = reader.source
    var offset = brace
    var seen: UInt64 = 0
    while true {
      let member: Member?
      if let words = source.words(at: offset), case let slot = Introduction.slot(of: words), known[slot].begins(words) {
        member = known[slot].member
        offset = reader.skipSpace(from: offset &+ known[slot].count)
      } else {
        (member, offset) = try readIntroduction(reader, from: offset)
      }
      let value = try value(reader, from: offset)
      if let member {
        if seen & member.mask == 0 {
          seen |= member.mask
          values[Int(member.rawValue)] = value
        } else {
          repeated |= member.mask
        }
      } else {
        hasUnknown = true
      }
      offset = reader.skipSpace(from: Int(value.end))
      if source[offset] == UInt8(ascii: "}") { break }
      guard source[offset] == UInt8(ascii: ",") else { throw reader.fault(.missingComma, at: offset) }
    }
    present = seen
    return offset
  }

  /// Reads what stands between the brace or comma at `start` and the value, and knows it from now on. Returns the
  /// member, nil where it is none, and where its value begins.
  @inline(never)
  private func readIntroduction(
    _ reader: TokenReader<some ByteSource>, from start: Int
  ) throws(ScanFault) -> (Member?, Int) {
    let source = reader.source
    let offset = reader.skipSpace(from: start &+ 1)
    if source[offset] == UInt8(ascii: "}") { throw reader.fault(.trailingComma, at: start) }
    let name = try reader.name(from: offset)
    let member = member(in: source, from: offset, to: name.end, escaped: name.escaped)
    if let member, let words = source.words(at: start),
      let found = Introduction(words, first: name.value &- start, of: member)
    {
      known[Introduction.slot(of: words)] = found
    }
    return (member, name.value)
  }

  @inline(__always)
  private func value(
    _ reader: TokenReader<some ByteSource>, from start: Int
  ) throws(ScanFault) -> MemberValue {
    let first = reader.source[start]
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      let end = try nesting.skip(reader, from: start)
      return MemberValue(from: start, to: end, kind: first == UInt8(ascii: "{") ? .object : .array)
    }
    let scalar = try reader.scalar(first, from: start)
    return MemberValue(from: start, to: scalar.end, kind: scalar.kind)
  }

  /// The member that the name in `start..<end`, quotes included, is.
  @inline(__always)
  private func member(in source: some ByteSource, from start: Int, to end: Int, escaped: Bool) -> Member? {
    if escaped { return self.member(named: MemberValue(from: start, to: end, kind: .escapedText), in: source.line) }
    guard let key = source.key(from: start &+ 1, to: end &- 1) else { return nil }
    return members[key]
  }
}
