// Requests: from a line to a request: ops, members, faults, nearest names, the rules of names, topics and patterns. It
// owns the request that is being carried out, and knows nothing of the router's tables.

/// One line that a peer sent, checked: what it asks for, and where its members stand.
///
/// There is one, in the router, and each line is read into it in place. What is to be done for a line reads it and
/// nothing else of the line. Its members hold until the next line is read: texts with escapes are resolved once, into
/// memory that does not move before then.
struct Request: ~Copyable {
  var scanner: LineScanner
  /// What the line asks for.
  private(set) var op = Op.ping
  private(set) var line = UnsafeRawBufferPointer.empty
  /// The offer that a plain verdict names.
  private var plainOffer: Int?
  private var latestOp = LatestOp()
  /// The texts of members with escapes, resolved once a line and one behind the other: they take less than the line.
  private var resolved = OwnedBytes()
  private var resolvedEnd = 0
  private var isResolved: UInt64 = 0
  private var resolvedTexts = [Range<Int>](repeating: 0..<0, count: Member.allCases.count)
  /// The text with escapes that was read last and is no member's, such as an element of a list.
  private var element = OwnedBytes()
  let maxDepth: Int
  /// The sets of members by op, worked out once.
  private let allowed = Op.allCases.map(\.allowed)
  private let required = Op.allCases.map(\.required)

  /// No line yet. `maxDepth` is in levels, 1 to 10,000.
  init(maxDepth: Int) {
    self.maxDepth = maxDepth
    scanner = LineScanner(maximumDepth: maxDepth)
  }

  /// Reads a line (its LF aside, which must stand behind it in memory) up to and without its meaning.
  @inline(__always)
  mutating func read(_ line: UnsafeRawBufferPointer) throws(Fault) {
    guard let verdict = PlainVerdict(line) else { return try readAny(line) }
    self.line = line
    scanner.take(verdict)
    plainOffer = verdict.number
    op = verdict.op
  }

  /// The same without looking for a plain verdict first.
  mutating func readAny(_ line: UnsafeRawBufferPointer) throws(Fault) {
    self.line = line
    plainOffer = nil
    resolvedEnd = 0
    isResolved = 0
    if let fault = scanner.scan(line) { throw describe(fault) }
    op = try readOp()
    let present = scanner.present
    if scanner.repeated != 0 || scanner.hasUnknown || present & ~allowed[Int(op.rawValue)] != 0 {
      throw firstFault(of: op)
    }
    var rest = present & ~Request.neverWrong
    while rest != 0 {
      let member = unsafeBitCast(UInt8(rest.trailingZeroBitCount), to: Member.self)
      rest &= rest - 1
      if !isPlainlyRight(member), complaint(about: member, of: op) != nil { throw firstFault(of: op) }
    }
    if required[Int(op.rawValue)] & ~present != 0 { throw missing(from: op) }
  }

  /// Members that are right whatever they hold, once `op` has been read.
  @inline(__always)
  private static var neverWrong: UInt64 { Member.op.mask | Member.payload.mask | Member.meta.mask }

  /// True for what nearly every message's members look like, and nothing that is wrong; `complaint` judges the rest.
  @inline(__always)
  private func isPlainlyRight(_ member: Member) -> Bool {
    let value = scanner[member]
    switch member {
    case .id: return value.isInteger(in: line)
    case .topic:
      // The line feed behind the line may be looked at, too.
      return value.kind == .text
        && Words.isPlain(topic: value.rawText(in: line), readable: line.count &- Int(value.start))
    default: return false
    }
  }

  @inline(__always)
  private mutating func readOp() throws(Fault) -> Op {
    let value = scanner[.op]
    if scanner.repeated & Member.op.mask == 0 {
      if value.kind == .text, let op = latestOp.read(value, in: line) { return op }
      if value.kind == .escapedText, let op = Op(text(.op)) { return op }
    }
    throw opFault()
  }

  /// Whether the line has the member.
  @inline(__always)
  func has(_ member: Member) -> Bool { scanner.present & member.mask != 0 }

  /// Where the member's value stands; `.absent` where there is none.
  @inline(__always)
  func value(_ member: Member) -> MemberValue { scanner[member] }

  /// The value's bytes as they stand in the line; empty where there is none.
  @inline(__always)
  func raw(_ member: Member) -> UnsafeRawBufferPointer {
    guard has(member) else { return .empty }
    let value = scanner[member]
    return line.part(Int(value.start), Int(value.end))
  }

  /// The text of a string, escapes resolved; empty where there is none. It holds until the next line is read.
  @inline(__always)
  mutating func text(_ member: Member) -> UnsafeRawBufferPointer {
    let value = scanner[member]
    if value.kind == .text { return line.part(Int(value.start) + 1, Int(value.end) - 1) }
    return resolve(member, value)
  }

  /// The text of a string that is no member's value. It holds until the next one is asked for.
  mutating func text(_ value: MemberValue) -> UnsafeRawBufferPointer {
    if value.kind == .text { return line.part(Int(value.start) + 1, Int(value.end) - 1) }
    guard value.kind == .escapedText else { return .empty }
    if element.count < value.count { element = OwnedBytes(count: value.count) }
    return element.bytes.part(0, value.copyText(in: line, into: element.mutable))
  }

  /// A whole number; nil where there is none.
  func integer(_ member: Member) -> Int? { scanner[member].integer(in: line).map(Int.init) }

  /// The offer that a verdict names; nil where it names none.
  @inline(__always)
  var offer: Int? { plainOffer ?? integer(.id) }

  /// A number; nil where there is none.
  func double(_ member: Member) -> Double? { scanner[member].double(in: line) }

  /// A list of texts, escapes resolved; nil where there is none.
  mutating func texts(_ member: Member) -> [[UInt8]]? {
    guard has(member) else { return nil }
    var all: [[UInt8]] = []
    for element in ArrayElements(of: scanner[member], in: line) { all.append(Array(text(element))) }
    return all
  }

  /// What a flag says; nil where there is none.
  func flag(_ member: Member) -> Bool? { has(member) ? scanner[member].kind == .true : nil }

  /// False only where `reply` says so.
  var wantsReply: Bool { scanner[.reply].kind != .false }

  /// The one well-formed `id` of a line that is valid JSON, as it is spelled (section 3); empty otherwise. For a
  /// verdict it is the offer's and must be a whole number.
  @inline(__always)
  func id(isOffer: Bool) -> UnsafeRawBufferPointer {
    let value = scanner[.id]
    guard scanner.present & Member.id.mask != 0, scanner.repeated & Member.id.mask == 0,
      isOffer ? value.isInteger(in: line) : Request.isID(value, in: line)
    else { return .empty }
    return raw(.id)
  }

  /// Whether the line names a verdict's op: then what is wrong with it is told with `offer` instead of `id`.
  var isVerdict: Bool {
    mutating get { scanner.repeated & Member.op.mask == 0 && Op(text(scanner[.op]))?.isVerdict == true }
  }

  @inline(__always)
  static func isID(_ value: MemberValue, in line: UnsafeRawBufferPointer) -> Bool {
    value.isInteger(in: line) || (value.kind.isText && value.textCount(in: line) <= 128)
  }

  @inline(never)
  private mutating func resolve(_ member: Member, _ value: MemberValue) -> UnsafeRawBufferPointer {
    guard value.kind == .escapedText else { return .empty }
    if isResolved & member.mask == 0 {
      // An escape is longer than what it stands for: the first text of a line makes room for all.
      if isResolved == 0, resolved.count < line.count { resolved = OwnedBytes(count: line.count) }
      let target = UnsafeMutableRawBufferPointer(rebasing: resolved.mutable[resolvedEnd...])
      let end = resolvedEnd + value.copyText(in: line, into: target)
      resolvedTexts[Int(member.rawValue)] = resolvedEnd..<end
      resolvedEnd = end
      isResolved |= member.mask
    }
    return resolved.bytes.part(resolvedTexts[Int(member.rawValue)])
  }

  /// The name of the chain that the line is about: `main` where it names none. A copy, since names outlive the line.
  mutating func chainName() -> OwnedBytes { has(.chain) ? OwnedBytes(copying: text(.chain)) : OwnedBytes("main") }
}
