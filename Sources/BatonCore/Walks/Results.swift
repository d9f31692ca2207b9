/// The answers of the links to a message of mode `all`, in the spelling of the result. It knows no walk and no link,
/// only their bytes.
///
/// What cannot fit into the result's line is not kept: payloads are left out of the result, and then answers, the last
/// ones first (contract, section 4).
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
  /// Whether an answer was not kept. No later answer is kept then, but for the last one.
  private var isFull = false
  private var isTruncated: Bool { truncatedAt != nil || isFull }
  /// Whether the last answer stands for links that the sender may not see.
  private var isLastHidden = false

  var isEmpty: Bool { lastBy.isEmpty }
  /// The bytes that the answers take.
  var bytes: Int { text.count + lastPayload.count + entries.count * MemoryLayout<Entry>.stride }

  /// Adds an answer. `most` is the most bytes that the answers may take; where it is 0, the last answer may take no more than
  /// the one before it. `isHidden`: `by` is the mount that stands for links that the sender may not see; consecutive
  /// answers of theirs are one, the last one.
  mutating func append(by: UnsafeRawBufferPointer, isHidden: Bool, payload: UnsafeRawBufferPointer, most: Int) {
    let isSameAsLast = isHidden && isLastHidden && lastBy.bytes.equals(by)
    keepLast(by: by, isHidden: isHidden, payload: payload, hasRoom: most > 0)
    guard !isFull else { return }
    if isSameAsLast, let last = entries.popLast() {
      text.shorten(to: last.start)
      if truncatedAt == entries.count { truncatedAt = nil }
    } else if text.count + by.count + Results.aroundName > most {
      isFull = true
      return
    }
    let start = text.count
    text.append(Array("{\"by\":".utf8))
    text.append(by)
    if isHidden { text.append(Array(",\"hidden\":true".utf8)) }
    let nameEnd = text.count
    if !payload.isEmpty {
      if truncatedAt != nil || text.count + payload.count > most {
        truncatedAt = truncatedAt ?? entries.count
      } else {
        text.append(Array(",\"payload\":".utf8))
        text.append(payload)
      }
    }
    entries.append(Entry(start: start, nameEnd: nameEnd, end: text.count))
  }

  /// The most bytes that stand around a name.
  private static let aroundName = 24

  private mutating func keepLast(
    by: UnsafeRawBufferPointer, isHidden: Bool, payload: UnsafeRawBufferPointer, hasRoom: Bool
  ) {
    isLastHidden = isHidden
    lastBy = OwnedBytes(copying: by)
    if hasRoom || payload.count <= lastPayload.count {
      lastPayload = OwnedBytes(copying: payload)
    } else {
      lastPayload = OwnedBytes()
      isFull = true
    }
  }

  /// How many answers `,"results":[…]` has in `room` bytes, and how many of them keep their payloads: the first ones.
  private func fit(in room: Int) -> (answers: Int, payloads: Int) {
    var size = 13
    for (number, entry) in entries.enumerated() {
      size += entry.nameEnd - entry.start + (number > 0 ? 2 : 1)
      if size > room { return (number, 0) }
    }
    for (number, entry) in entries.enumerated() {
      size += entry.end - entry.nameEnd
      if size > room { return (entries.count, number) }
    }
    return (entries.count, entries.count)
  }

  /// The most bytes that `write` takes.
  var bound: Int { text.count + entries.count * 2 + 64 }

  /// Writes `,"results":[…]` within `room` bytes. If something is left out, writes that, too, and returns true.
  func write(to writer: inout LineWriter, room: Int) -> Bool {
    var fit = fit(in: room)
    let isWhole = !isTruncated && fit.payloads == entries.count
    if !isWhole { fit = self.fit(in: room - 17) }
    writer.literal(",\"results\":[")
    for (number, entry) in entries.prefix(fit.answers).enumerated() {
      if number > 0 { writer.literal(",") }
      writer.raw(text.bytes.part(entry.start, number < fit.payloads ? entry.end : entry.nameEnd))
      writer.literal("}")
    }
    writer.literal("]")
    if !isWhole { writer.literal(",\"truncated\":true") }
    return !isWhole
  }
}
