/// What a traced walk has met so far, in the spelling in which its result tells it (contract, section 8, `trace`).
struct Trace: ~Copyable {
  /// Whether the sender asked for it: then links that do not accept the topic are told, too. Those who watch all walks
  /// are spared them, or one watcher would make every message look at every link of its chain.
  let isAsked: Bool
  /// When the message came in.
  let began: Instant
  /// The first chain's version when the walk entered; nil before.
  var version: Int?
  /// Microseconds for which it waited for its key; nil where it did not have to.
  var keyWait: Int64?
  /// Since when it waits to be offered at its link.
  var waitsSince: Instant
  /// Entries, joined by commas.
  private(set) var text = OwnedBytes()
  /// Whether entries were left out for want of room.
  var isTruncated = false

  init(isAsked: Bool, at now: Instant) {
    self.isAsked = isAsked
    began = now
    waitsSince = now
  }

  /// Adds an entry.
  mutating func append(_ entry: String) {
    var entry = text.isEmpty ? entry : "," + entry
    entry.withUTF8 { text.append(UnsafeRawBufferPointer($0)) }
  }

  /// The most bytes that `write` takes.
  var bound: Int { text.count + 128 }

  /// Writes `,"version":…,"trace":[…]`, and says where entries were left out unless that `isSaid` already.
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
