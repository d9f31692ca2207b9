/// The trace of one walk, in the spelling of the result (contract, section 8, `trace`).
struct Trace: ~Copyable {
  /// Whether the sender asked for the trace. Such a trace also has the links that do not accept the topic. A trace for
  /// subscribers only does not have them. Otherwise one subscriber would make every message look at every link of its
  /// chain.
  let isAsked: Bool
  /// When the message came in.
  let began: Instant
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

  /// The most entries of a trace, and the most links that are looked at to find those that do not accept the topic.
  private static let mostEntries = 1000
  private static let mostLooked = 4000

  init(isAsked: Bool, at now: Instant) {
    self.isAsked = isAsked
    began = now
    waitsSince = now
  }

  /// Whether one more entry may be added, or one more link be looked at.
  var goesOn: Bool { !isTruncated }

  /// Ends the trace before the walk.
  mutating func truncate() { isTruncated = true }

  /// Counts a link that is looked at.
  mutating func countLooked() {
    looked += 1
    if looked > Trace.mostLooked { isTruncated = true }
  }

  /// Adds an entry, unless there are enough.
  mutating func append(_ entry: String) {
    guard entries < Trace.mostEntries else { return isTruncated = true }
    entries += 1
    var entry = text.isEmpty ? entry : "," + entry
    entry.withUTF8 { text.append(UnsafeRawBufferPointer($0)) }
  }

  /// The most bytes that `write` takes.
  var bound: Int { text.count + 128 }

  /// Writes `,"version":…,"trace":[…]`, and `"truncated":true` if entries were left out, unless `isSaid` is true.
  func write(to writer: inout LineWriter, isTruncationSaid isSaid: Bool = false) {
    if let version {
      writer.literal(",\"version\":")
      writer.integer(version)
    }
    if let keyWait {
      writer.literal(",\"key_wait_us\":")
      writer.integer(Int(keyWait))
    }
    writer.literal(",\"trace\":[")
    writer.raw(text.bytes)
    writer.literal("]")
    if isTruncated, !isSaid { writer.literal(",\"truncated\":true") }
  }
}
