/// What is recorded of one walk, in the spelling of the result (contract, section 8, `trace`): its steps, and the
/// failures that it passed.
struct Trace: ~Copyable {
  /// Why it is recorded.
  enum Kind: Equatable {
    /// The sender asked for the trace. It also has the links that do not accept the topic.
    case asked
    /// For subscribers only. It does not have those links. Otherwise one subscriber would make every message look at
    /// every link of its chain.
    case heard
    /// For `walks` only: something happened that may tell why the walk does not end well. `isPartial`: offers were made
    /// before.
    case steps(isPartial: Bool)
  }

  let kind: Kind
  /// The version of the first chain when the walk entered it; nil before that.
  var version: Int?
  /// Microseconds that the walk waited for its key; nil if it did not have to wait.
  var keyWait: Int64?
  /// When the walk began to wait for an offer at its link.
  var waitsSince: Instant
  /// The entries, joined by commas.
  private(set) var text = OwnedBytes()
  /// Whether the trace has ended before the walk, because there was no room, or because it was long enough.
  private(set) var isTruncated = false
  /// The number of entries, and the links that were looked at for them.
  private var entries = 0
  private var looked = 0
  /// Where the last entry ends that `walks` tells.
  private var rememberedEnd = 0
  /// The parts of `text` that the sender may not see, and the entry that stands in place of each; it is
  /// empty if it stands there before. A few traces have some.
  private var hidden: [(range: Range<Int>, entry: [UInt8])] = []
  /// The entries that stand for failures that are listed, of links that the sender may not see.
  private var hiddenFailures: [[UInt8]] = []
  /// The failures that the result lists, joined by commas, and their number. Beyond the most, they are only counted.
  private var failures = OwnedBytes()
  private var failureCount = 0
  /// The name of the link that the first of them is of, and its cause; nil if there is none.
  private(set) var firstFailed = OwnedBytes()
  private(set) var firstCause: Cause?
  /// The same as operators may know them, if they are kept, and whether that is more.
  private var wholeFailures = OwnedBytes()
  private var wholeCount = 0
  private(set) var hidesFailures = false
  /// What the record is told of it.
  var way = RecordedWay()
  /// What it is in a trace that goes beyond this server; nil if it is in none.
  var span: MessageSpan?

  /// The most entries of a trace, and the most links that are looked at to find those that do not accept the topic.
  private static let mostEntries = 1000
  private static let mostLooked = 4000
  /// The most entries of a walk that is kept.
  private static let mostSteps = 32
  /// The most of one that is recorded: the record itself says which it leaves out.
  private static let mostRecorded = 80
  /// The most failures that a result lists.
  private static let mostFailures = 8
  /// The most bytes of a handler's message that an entry or a failure has.
  static let mostSaid = 256
  /// What an entry that nobody asked for counts, with its failure.
  private static let stepBytes = 512

  init(_ kind: Kind, at now: Instant) {
    self.kind = kind
    waitsSince = now
  }

  /// Whether the sender asked for it.
  var isAsked: Bool { kind == .asked }
  private var mostEntries: Int {
    switch kind {
    case .asked, .heard: Trace.mostEntries
    case .steps: way.isOn ? Trace.mostRecorded : Trace.mostSteps
    }
  }

  /// How much it counts against the limits on open messages.
  var counted: Int {
    switch kind {
    case .asked, .heard: text.count + way.bytes + boundOfSpan
    case .steps: entries * Trace.stepBytes + way.bytes + boundOfSpan
    }
  }

  /// Whether one more entry may be added, or one more link be looked at.
  var goesOn: Bool { !isTruncated }

  /// Ends the trace before the walk.
  mutating func truncate() {
    isTruncated = true
    way.truncate()
  }

  /// Counts a link that is looked at.
  mutating func countLooked() {
    looked += 1
    if looked > Trace.mostLooked { isTruncated = true }
  }

  /// Adds an entry, unless there are enough. `veil` is the entry that the sender sees in place of it; empty if it may see
  /// this one.
  mutating func append(_ entry: UnsafeRawBufferPointer, veil: [UInt8]) {
    guard entries < mostEntries else { return isTruncated = true }
    entries += 1
    let start = text.count
    Trace.append(entry, to: &text)
    if !veil.isEmpty { hide(start..<text.count, behind: veil) }
    if entries <= Trace.mostSteps { rememberedEnd = text.count }
  }

  private mutating func hide(_ range: Range<Int>, behind veil: [UInt8]) {
    if let last = hidden.last, last.range.upperBound == range.lowerBound, last.entry == veil {
      hidden[hidden.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      // In a stage, steps of others may end in between: what stands for it has been told then.
      hidden.append((range, hidden.contains { $0.entry == veil } ? [] : veil))
    }
  }

  /// Whether the result lists failures, or says that it leaves them out.
  var hasFailures: Bool { failureCount > 0 }

  /// Whether the result lists one more failure.
  var mayList: Bool { failureCount < Trace.mostFailures }

  /// A failure comes that the result lists.
  mutating func noteFirst(_ cause: Cause, of link: UnsafeRawBufferPointer) {
    guard firstCause == nil else { return }
    firstFailed = OwnedBytes(copying: link)
    firstCause = cause
  }

  /// Adds a failure to those that the result lists.
  /// Those of links that the sender may not see are one for each mount, which `veil` names; it is empty for others.
  mutating func list(_ failure: UnsafeRawBufferPointer, veil: [UInt8]) {
    guard !hiddenFailures.contains(veil) else { return }
    if !veil.isEmpty { hiddenFailures.append(veil) }
    failureCount += 1
    Trace.append(failure, to: &failures)
  }

  /// Adds a failure to those that operators are told. `isHidden`: the result does not tell all of it.
  mutating func listWhole(_ failure: UnsafeRawBufferPointer, isHidden: Bool) {
    if isHidden { hidesFailures = true }
    wholeCount += 1
    if wholeCount <= Trace.mostFailures { Trace.append(failure, to: &wholeFailures) }
  }

  /// A failure is not listed, because there are enough, or no room.
  mutating func leaveOutFailure() { failureCount = Trace.mostFailures + 1 }

  private static func append(_ entry: UnsafeRawBufferPointer, to bytes: inout OwnedBytes) {
    if entry.isEmpty { return }
    if !bytes.isEmpty { bytes.append([UInt8(ascii: ",")]) }
    bytes.append(entry)
  }

  /// The most bytes that `write`, `writeFailures` and `writeTraceparent` take.
  var bound: Int { text.count + hidden.reduce(128) { $0 + $1.entry.count + 1 } + boundOfFailures + boundOfSpan }
  /// The most bytes that `writeTraceparent` takes. It counts as much.
  var boundOfSpan: Int { span == nil ? 0 : 128 }
  var boundOfFailures: Int {
    (failures.isEmpty ? 0 : 14 + failures.count) + (failureCount > Trace.mostFailures ? 21 : 0)
  }

  /// The most bytes that `writeWholeFailures` takes.
  var boundOfWhole: Int { 64 + wholeFailures.count }

  /// Writes `,"failures":[…]`, if there are some.
  func writeFailures(to writer: inout LineWriter) { Trace.write(failures, failureCount, to: &writer) }

  /// The same as operators are told them.
  func writeWholeFailures(to writer: inout LineWriter) { Trace.write(wholeFailures, wholeCount, to: &writer) }

  private static func write(_ failures: borrowing OwnedBytes, _ count: Int, to writer: inout LineWriter) {
    guard count > 0 else { return }
    if !failures.isEmpty {
      writer.literal(",\"failures\":[")
      writer.raw(failures.bytes)
      writer.literal("]")
    }
    if count > mostFailures { writer.literal(",\"more_failures\":true") }
  }

  /// Writes `,"traceparent":"…"`, if there is one.
  func writeTraceparent(to writer: inout LineWriter) {
    if let span { writer.traceparent(span.own.trace, span: span.own.span) }
  }

  /// Writes `,"version":…,"trace":[…]`, and `"truncated":true` if entries were left out, unless `isSaid` is true.
  func write(to writer: inout LineWriter, isTruncationSaid isSaid: Bool = false) {
    write(text.bytes, to: &writer, isTruncated: isTruncated && !isSaid)
  }

  /// The same for the sender, who may not see all of it.
  func writeShown(to writer: inout LineWriter, isTruncationSaid isSaid: Bool) {
    if hidden.isEmpty { return write(to: &writer, isTruncationSaid: isSaid) }
    var shown = OwnedBytes()
    var told = 0
    for (range, entry) in hidden {
      Trace.append(part(told, range.lowerBound), to: &shown)
      entry.withUnsafeBytes { Trace.append($0, to: &shown) }
      told = range.upperBound
    }
    Trace.append(part(told, text.count), to: &shown)
    write(shown.bytes, to: &writer, isTruncated: isTruncated && !isSaid)
    extendLifetime(shown)
  }

  /// Some of the entries, without the comma in front of them.
  private func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    start < end && text.bytes[start] == UInt8(ascii: ",")
      ? text.bytes.part(start + 1, end) : text.bytes.part(start, end)
  }

  /// The same for `walks`, with fewer entries; and `"partial":true` if offers were made before the first.
  func writeRemembered(to writer: inout LineWriter) {
    writeTraceparent(to: &writer)
    if kind == .steps(isPartial: true) { writer.literal(",\"partial\":true") }
    // A message that came to a chain without links has met nothing.
    if version == nil, keyWait == nil { return }
    write(text.bytes.part(0, rememberedEnd), to: &writer, isTruncated: isTruncated || rememberedEnd < text.count)
  }

  private func write(_ entries: UnsafeRawBufferPointer, to writer: inout LineWriter, isTruncated: Bool) {
    if let version {
      writer.literal(",\"version\":")
      writer.integer(version)
    }
    if let keyWait {
      writer.literal(",\"key_wait_us\":")
      writer.integer(Int(keyWait))
    }
    writer.literal(",\"trace\":[")
    writer.raw(entries)
    writer.literal("]")
    if isTruncated { writer.literal(",\"truncated\":true") }
  }
}
