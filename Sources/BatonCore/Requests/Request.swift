// Requests: the way from a line to a request. It has ops, members, faults, nearest names, and the rules of names,
// topics and patterns. It owns the request that is carried out. It knows nothing of the router's tables.

/// A checked line of a peer: what it asks for, and where its members are.
///
/// The router has one request, and reads each line into it in place. The code that carries out a line uses the request
/// and nothing else of the line. The members are there until `forget`, which ends each line: the line's bytes may move then.
/// Texts with escapes are resolved once, into memory that does not move before that.
struct Request: ~Copyable {
  var scanner: LineScanner
  /// The op of the line.
  private(set) var op = Op.ping
  /// The line without its LF.
  private(set) var line = UnsafeRawBufferPointer.empty
  /// The offer that a plain verdict names; nil for other lines.
  private var plainOffer: Int?
  private var latestOp = LatestOp()
  /// The texts of members with escapes, one after the other. Each is resolved at most once per line. Together they are
  /// shorter than the line.
  private var resolved = OwnedBytes()
  private var resolvedEnd = 0
  /// The members whose texts are resolved, as a mask. Their ranges in `resolved` are in `resolvedTexts`, by member.
  private var isResolved: MemberSet = 0
  private var resolvedTexts = [Range<Int>](repeating: 0..<0, count: Member.allCases.count)
  /// The latest line that came with a CR between its tokens, without it.
  private var cleared = OwnedBytes()
  /// The latest text with escapes that is not the value of a member, such as an element of a list.
  private var element = OwnedBytes()
  /// The levels that a line may be nested.
  let maxDepth: Int
  /// How long topics and patterns may be.
  let limits: WordLimits
  /// Whether `hello` may have a token: the server asks who is there.
  private(set) var takesTokens = false
  /// The masks of allowed and of required members by op, computed once.
  private let allowed = Op.allCases.map(\.allowed)
  private let required = Op.allCases.map(\.required)

  /// A request before the first line. `maxDepth` is the number of levels that a line may be nested, from 1 to 10,000.
  init(maxDepth: Int, limits: WordLimits = WordLimits()) {
    self.maxDepth = maxDepth
    self.limits = limits
    scanner = LineScanner(maximumDepth: maxDepth)
  }

  /// Reads a line and checks its form, but not what it means. `line` is without its LF, and the LF must follow it in
  /// memory. Throws the first fault in the order of the contract (section 3).
  @inline(__always)
  mutating func read(_ line: UnsafeRawBufferPointer) throws(Fault) {
    guard let verdict = PlainVerdict(line) else { return try readAny(line) }
    self.line = line
    scanner.take(verdict)
    plainOffer = verdict.number
    op = verdict.op
  }

  /// The same, without the fast way for plain verdicts.
  mutating func readAny(_ line: UnsafeRawBufferPointer) throws(Fault) {
    try scan(line)
    op = try readOp()
    let present = scanner.present
    if scanner.repeated != 0 || scanner.hasUnknown || present & ~allowed[Int(op.rawValue)] != 0 {
      throw firstFault(of: op)
    }
    var rest = present & ~Request.neverWrong
    if isPlainlyRightID { rest &= ~Member.id.mask }
    if isPlainlyRightTopic { rest &= ~Member.topic.mask }
    while rest != 0 {
      let member = unsafeBitCast(UInt8(rest.trailingZeroBitCount), to: Member.self)
      rest &= rest - 1
      if complaint(about: member, of: op) != nil { throw firstFault(of: op) }
    }
    if required[Int(op.rawValue)] & ~present != 0, !isAboutEmptyPlaces { throw missing(from: op) }
  }

  mutating func takeTokens(_ takes: Bool) { takesTokens = takes }

  /// The line has been carried out. From now on no member is there, so that nothing is read where the line was.
  @inline(__always)
  mutating func forget() {
    scanner.forget()
    line = .empty
    plainOffer = nil
  }

  /// The members that have no wrong value, after `op` has been read.
  @inline(__always)
  private static var neverWrong: MemberSet { Member.op.mask | Member.payload.mask | Member.meta.mask }

  /// Finds out the op of a line, and nothing else: what a stranger asks for. Throws the fault of the JSON or of the op.
  mutating func readOp(of line: UnsafeRawBufferPointer) throws(Fault) {
    try scan(line)
    op = try readOp()
  }

  @inline(__always)
  private mutating func scan(_ line: UnsafeRawBufferPointer) throws(Fault) {
    self.line = line
    plainOffer = nil
    resolvedEnd = 0
    isResolved = 0
    let fault = scanner.scan(line)
    if scanner.hasReturn { clearReturns() }
    if let fault { throw describe(fault) }
  }

  /// Whoever reads lines may take a CR for the end of one. So each CR between tokens becomes a space, where values are
  /// passed on as they came (contract, section 2). In a string a CR is a fault.
  @inline(never)
  private mutating func clearReturns() {
    scanner.hasReturn = false
    let end = line.last == UInt8(ascii: "\r") ? line.count - 1 : line.count
    guard line.part(0, end).contains(UInt8(ascii: "\r")) else { return }
    // With its line feed, which has to stand behind it.
    cleared = OwnedBytes(copying: UnsafeRawBufferPointer(start: line.baseAddress, count: line.count + 1))
    for at in cleared.mutable.indices where cleared.mutable[at] == UInt8(ascii: "\r") {
      cleared.mutable[at] = UInt8(ascii: " ")
    }
    line = cleared.bytes.part(0, line.count)
  }

  /// Whether the `id` looks like those of nearly all messages. If not, `complaint` decides whether it is right.
  @inline(__always)
  private var isPlainlyRightID: Bool { scanner[.id].isInteger(in: line) }

  /// The same of the `topic`.
  @inline(__always)
  private var isPlainlyRightTopic: Bool {
    let value = scanner[.topic]
    guard value.kind == .text else { return false }
    let topic = line.found(Int(value.start) &+ 1, Int(value.end) &- 1)
    // The line feed after the line may be read, too.
    return Words.isPlain(topic: topic, readable: line.count &- Int(value.start))
      && ((topic.count + 1) / 2 <= limits.words || Words.count(topic) <= limits.words)
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

  /// Whether the line has one of these members.
  @inline(__always)
  func hasAny(of mask: MemberSet) -> Bool { scanner.present & mask != 0 }

  /// The value of the member; `.absent` if the line does not have it.
  @inline(__always)
  func value(_ member: Member) -> MemberValue { scanner[member] }

  /// The bytes of the value as they are in the line; empty if the line does not have the member.
  @inline(__always)
  func raw(_ member: Member) -> UnsafeRawBufferPointer {
    guard has(member) else { return .empty }
    let value = scanner[member]
    return line.found(Int(value.start), Int(value.end))
  }

  /// The text of a string, with escapes resolved; empty if the member is missing or not a string. It is valid until
  /// `forget`.
  @inline(__always)
  mutating func text(_ member: Member) -> UnsafeRawBufferPointer {
    let value = scanner[member]
    if value.kind == .text { return line.found(Int(value.start) &+ 1, Int(value.end) &- 1) }
    return resolve(member, value)
  }

  /// The text of a string that is not the value of a member; empty for values of other kinds. It is valid until the
  /// next call.
  mutating func text(_ value: MemberValue) -> UnsafeRawBufferPointer {
    if value.kind == .text { return line.found(Int(value.start) &+ 1, Int(value.end) &- 1) }
    guard value.kind == .escapedText else { return .empty }
    if element.count < value.count { element = OwnedBytes(count: value.count) }
    return element.bytes.part(0, value.copyText(in: line, into: element.mutable))
  }

  /// A copy of the text of a string. Nothing of it is kept for the next line.
  func copyText(_ member: Member) -> [UInt8] {
    let value = scanner[member]
    let count = value.textCount(in: line)
    return [UInt8](unsafeUninitializedCapacity: count) { room, used in
      used = value.copyText(in: line, into: UnsafeMutableRawBufferPointer(room))
    }
  }

  /// The value of a whole number; nil if the member is missing or another value.
  @inline(__always)
  func integer(_ member: Member) -> Int? { scanner[member].integer(in: line).map(Int.init) }

  /// The offer that a verdict names; nil if it names none.
  @inline(__always)
  var offer: Int? { plainOffer ?? integer(.id) }

  /// The value of a number; nil if the member is missing or another value.
  func double(_ member: Member) -> Double? { scanner[member].double(in: line) }

  /// The texts in a list, with escapes resolved; nil if the line does not have the member.
  mutating func texts(_ member: Member) -> [[UInt8]]? {
    guard has(member) else { return nil }
    var all: [[UInt8]] = []
    for element in ArrayElements(of: scanner[member], in: line) { all.append(Array(text(element))) }
    return all
  }

  /// The value of a flag; nil if the line does not have the member.
  @inline(__always)
  func flag(_ member: Member) -> Bool? { has(member) ? scanner[member].kind == .true : nil }

  /// Whether the peer wants a reply: false only if the line has `"reply":false`.
  @inline(__always)
  var wantsReply: Bool { scanner[.reply].kind != .false }

  /// The `id` of the line as it is spelled, if the line is valid JSON and has exactly one well-formed `id` (section 3);
  /// otherwise empty. For a verdict it is the id of an offer, and must be a whole number.
  @inline(__always)
  func id(isOffer: Bool) -> UnsafeRawBufferPointer {
    let value = scanner[.id]
    guard scanner.present & Member.id.mask != 0, scanner.repeated & Member.id.mask == 0,
      isOffer ? value.isInteger(in: line) : Request.isID(value, in: line)
    else { return .empty }
    return raw(.id)
  }

  /// Whether the line has the op of a verdict. If so, an error about the line has an `offer` instead of an `id`.
  var isVerdict: Bool {
    mutating get { scanner.repeated & Member.op.mask == 0 && Op(text(scanner[.op]))?.isVerdict == true }
  }

  /// Whether the value may be the `id` of a request: a whole number of 64 bits, or a string of at most 128 bytes.
  @inline(__always)
  static func isID(_ value: MemberValue, in line: UnsafeRawBufferPointer) -> Bool {
    value.isInteger(in: line) || (value.kind.isText && value.textCount(in: line) <= 128)
  }

  @inline(never)
  private mutating func resolve(_ member: Member, _ value: MemberValue) -> UnsafeRawBufferPointer {
    guard value.kind == .escapedText else { return .empty }
    if isResolved & member.mask == 0 {
      // An escape is longer than its text. So the memory that the first text of a line gets is enough for all of them.
      if isResolved == 0, resolved.count < line.count { resolved = OwnedBytes(count: line.count) }
      let target = UnsafeMutableRawBufferPointer(rebasing: resolved.mutable[resolvedEnd...])
      let end = resolvedEnd + value.copyText(in: line, into: target)
      resolvedTexts[Int(member.rawValue)] = resolvedEnd..<end
      resolvedEnd = end
      isResolved |= member.mask
    }
    return resolved.bytes.part(resolvedTexts[Int(member.rawValue)])
  }

  /// The name of the chain that the line is about, or `main`, where it stands. It is valid until the next line is read.
  @inline(__always)
  var chainText: UnsafeRawBufferPointer { mutating get { has(.chain) ? text(.chain) : Request.mainChain } }

  private static let main: StaticString = "main"
  private static var mainChain: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: main.utf8Start, count: main.utf8CodeUnitCount)
  }

  /// The name of the chain that the line is about; `main` if the line names none. It is a copy, because names are kept
  /// longer than the line.
  mutating func chainName() -> OwnedBytes { has(.chain) ? OwnedBytes(copying: text(.chain)) : OwnedBytes("main") }
}
