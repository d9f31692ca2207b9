/// The answers of the links to a message of mode `all`, in the spelling of the result. It knows no walk and no link,
/// only their bytes.
///
/// A payload that cannot fit into the result's line is not kept: payloads are left out of the result, the last ones
/// first (contract, section 4).
struct Results: ~Copyable {
  private struct Entry {
    /// Where the answer `{"by":…` begins, where it ends without its payload, and where it ends with it.
    var start: Int
    var nameEnd: Int
    var end: Int
  }

  private var text = OwnedBytes()
  private var entries: [Entry] = []
  /// The handler of the last answer, as a JSON string, and its payload.
  private(set) var lastBy = OwnedBytes()
  private(set) var lastPayload = OwnedBytes()
  /// The first answer whose payload was not kept. No later payload is kept then.
  private var truncatedAt: Int?
  private var isTruncated: Bool { truncatedAt != nil }
  /// Whether the last answer stands for links that the sender may not see.
  private var isLastHidden = false

  var isEmpty: Bool { entries.isEmpty }
  /// The bytes that the answers take.
  var bytes: Int { text.count + lastPayload.count + entries.count * MemoryLayout<Entry>.stride }

  /// Adds an answer. `most` is the most bytes that the answers may take. `isHidden`: `by` is the mount that stands for
  /// links that the sender may not see; consecutive answers of theirs are one, the last one.
  mutating func append(by: UnsafeRawBufferPointer, isHidden: Bool, payload: UnsafeRawBufferPointer, most: Int) {
    if isHidden, isLastHidden, lastBy.bytes.equals(by), let last = entries.popLast() {
      text.shorten(to: last.start)
      if truncatedAt == entries.count { truncatedAt = nil }
    }
    isLastHidden = isHidden
    lastBy = OwnedBytes(copying: by)
    lastPayload = OwnedBytes(copying: payload)
    let start = text.count
    text.append(Array("{\"by\":".utf8))
    text.append(by)
    if isHidden { text.append(Array(",\"hidden\":true".utf8)) }
    let nameEnd = text.count
    if !payload.isEmpty {
      if isTruncated || text.count + payload.count > most {
        truncatedAt = truncatedAt ?? entries.count
      } else {
        text.append(Array(",\"payload\":".utf8))
        text.append(payload)
      }
    }
    entries.append(Entry(start: start, nameEnd: nameEnd, end: text.count))
  }

  /// How many answers, from the first on, keep their payloads if `,"results":[…]` may take `room` bytes.
  private func kept(in room: Int) -> Int {
    var size = 13 + max(0, entries.count - 1)
    for entry in entries { size += entry.nameEnd - entry.start + 1 }
    for (number, entry) in entries.enumerated() {
      size += entry.end - entry.nameEnd
      if size > room { return number }
    }
    return entries.count
  }

  /// The most bytes that `write` takes.
  var bound: Int { text.count + entries.count * 2 + 64 }

  /// Writes `,"results":[…]` within `room` bytes, as far as the names allow. If payloads are left out, writes that,
  /// too, and returns true.
  func write(to writer: inout LineWriter, room: Int) -> Bool {
    var kept = kept(in: room)
    if isTruncated || kept < entries.count { kept = self.kept(in: room - 17) }
    writer.literal(",\"results\":[")
    for (number, entry) in entries.enumerated() {
      if number > 0 { writer.literal(",") }
      writer.raw(text.bytes.part(entry.start, number < kept ? entry.end : entry.nameEnd))
      writer.literal("}")
    }
    writer.literal("]")
    guard isTruncated || kept < entries.count else { return false }
    writer.literal(",\"truncated\":true")
    return true
  }
}
