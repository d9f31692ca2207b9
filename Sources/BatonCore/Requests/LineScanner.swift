/// Finds out whether a line is a JSON object, and where the values of its members are.
///
/// It validates the whole line against RFC 8259 and UTF-8, including values inside of values. It knows the names of the
/// members. It does not know which members a request takes or what their values mean. One scanner serves any number of
/// lines, and scanning allocates nothing.
package struct LineScanner: ~Copyable {
  /// The members on the top level of the latest line, as a mask; empty if the line had a fault.
  package private(set) var present: MemberSet = 0
  /// The members in `present` that are there more than once, in any spelling.
  package private(set) var repeated: MemberSet = 0
  /// Whether a name on the top level is not the name of a `Member`.
  package private(set) var hasUnknown = false
  /// Whether a CR stands between tokens of a line that was scanned since this was set to false.
  package var hasReturn: Bool {
    get { returns.pointee }
    nonmutating set { returns.pointee = newValue }
  }

  /// The first value of each member in `present`. The other entries are left over from earlier lines.
  private let values: UnsafeMutablePointer<MemberValue>
  /// The bytes before the values of members that came lately.
  private let known: UnsafeMutablePointer<KnownMember>
  private let returns: UnsafeMutablePointer<Bool>
  /// The members of the line that is read, as `present` will have them: the lower half first. In memory, because registers
  /// are few where members are read.
  private let seen: UnsafeMutablePointer<UInt64>
  let members: MemberTable
  let nesting: Nesting

  /// - Parameter maximumDepth: levels that a line may be nested, 1 to 10,000. The line's own object counts as 1.
  package init(maximumDepth: Int) {
    values = .allocate(capacity: Member.allCases.count)
    values.initialize(repeating: .absent, count: Member.allCases.count)
    known = .allocate(capacity: KnownMember.places)
    known.initialize(repeating: .impossible, count: KnownMember.places)
    returns = .allocate(capacity: 1)
    returns.initialize(to: false)
    seen = .allocate(capacity: 2)
    members = MemberTable()
    nesting = Nesting(maximumDepth: maximumDepth)
  }

  deinit {
    values.deallocate()
    known.deallocate()
    returns.deallocate()
    seen.deallocate()
  }

  /// The first value of a member; `.absent` if the line does not have it.
  package subscript(member: Member) -> MemberValue {
    @inline(__always) get { present & member.mask == 0 ? .absent : values[Int(member.rawValue)] }
  }

  /// Scans a line, which is given without its line feed. It must be shorter than 4 GiB. The byte after it in memory
  /// must be readable and must be the line feed.
  ///
  /// - Returns: nil if the line is one valid JSON object, otherwise its first fault.
  package mutating func scan(_ line: UnsafeRawBufferPointer) -> ScanFault? {
    guard let base = line.baseAddress else { return scanChecked(line) }
    return read(TokenReader(UncheckedBytes(line, at: base, noting: returns)))
  }

  /// The same with each read checked. It traps where `scan` would read outside of the line. It is for tests and
  /// fuzzing, and for a line without memory.
  package mutating func scanChecked(_ line: UnsafeRawBufferPointer) -> ScanFault? {
    read(TokenReader(CheckedBytes(line, noting: returns)))
  }

  /// Sets what `scan` would have found in a line that is a plain verdict.
  @inline(__always)
  mutating func take(_ verdict: PlainVerdict) {
    present = Member.op.mask | Member.id.mask
    repeated = 0
    hasUnknown = false
    values[Int(Member.op.rawValue)] = verdict.opText
    values[Int(Member.id.rawValue)] = verdict.id
  }

  /// No member is there any more.
  @inline(__always)
  mutating func forget() { present = 0 }

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

  /// Reads `"name":value` pairs, each after the brace or a comma, up to the closing brace. Returns the offset of the
  /// closing brace.
  @inline(__always)
  private mutating func readMembers(
    _ reader: TokenReader<some ByteSource>, from brace: Int
  ) throws(ScanFault) -> Int {
    let source = reader.source
    var offset = brace
    seen[0] = 0
    seen[1] = 0
    while true {
      let member: Member?
      if let words = source.words(at: offset), case let place = KnownMember.place(of: words), known[place].begins(words)
      {
        member = known[place].member
        offset = reader.skipSpace(from: offset &+ known[place].count)
      } else {
        (member, offset) = try readName(reader, from: offset)
      }
      let value = try value(reader, from: offset)
      if let member {
        let word = Int(member.rawValue &>> 6)
        let bit: UInt64 = 1 &<< UInt64(member.rawValue)
        if seen[word] & bit == 0 {
          seen[word] |= bit
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
    present = MemberSet(seen[1]) &<< 64 | MemberSet(seen[0])
    return offset
  }

  /// Reads from the brace or comma at `start` up to the value, and knows these bytes from now on. Returns the member, or
  /// nil if the name is unknown, and the offset of the value.
  @inline(never)
  private func readName(
    _ reader: TokenReader<some ByteSource>, from start: Int
  ) throws(ScanFault) -> (Member?, Int) {
    let source = reader.source
    let offset = reader.skipSpace(from: start &+ 1)
    if source[offset] == UInt8(ascii: "}") { throw reader.fault(.trailingComma, at: start) }
    let name = try reader.name(from: offset)
    let member = member(in: source, from: offset, to: name.end, escaped: name.escaped)
    if let member, let words = source.words(at: start),
      let found = KnownMember(words, first: name.value &- start, of: member)
    {
      known[KnownMember.place(of: words)] = found
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

  /// The member whose name is in `start..<end`, with its quotes; nil if the name is unknown.
  @inline(__always)
  private func member(in source: some ByteSource, from start: Int, to end: Int, escaped: Bool) -> Member? {
    if escaped { return self.member(named: MemberValue(from: start, to: end, kind: .escapedText), in: source.line) }
    guard let key = source.key(from: start &+ 1, to: end &- 1) else { return nil }
    return members[key]
  }
}
