/// The answers of the links to a message of mode `all`, in the spelling of the result. It knows no walk and no link,
/// only their bytes.
///
/// What cannot fit into the result's line is not kept: payloads are left out of the result, and then answers, the last
/// ones first (contract, section 4).
struct Results: ~Copyable {
  private struct Entry {
    /// Where its name `{"by":…` begins, and where its payload `,"payload":…`.
    var name: Int
    var payload: Int
  }

  private var names = OwnedBytes()
  private var payloads = OwnedBytes()
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
  var bytes: Int { textBytes + lastPayload.count + entries.count * MemoryLayout<Entry>.stride }
  private var textBytes: Int { names.count + payloads.count }

  /// Adds an answer. `most` is the most bytes that the answers may take; where it is 0, the last answer may take no more than
  /// the one before it. `isHidden`: `by` is the mount that stands for links that the sender may not see; consecutive
  /// answers of theirs are one, the last one.
  mutating func append(by: UnsafeRawBufferPointer, isHidden: Bool, payload: UnsafeRawBufferPointer, most: Int) {
    let isSameAsLast = isHidden && isLastHidden && lastBy.bytes.equals(by)
    keepLast(by: by, isHidden: isHidden, payload: payload, hasRoom: most > 0)
    guard !isFull else { return }
    if isSameAsLast, let last = entries.popLast() {
      names.shorten(to: last.name)
      payloads.shorten(to: min(last.payload, payloads.count))
      if truncatedAt == entries.count { truncatedAt = nil }
    } else if !makeRoom(for: by.count + Results.aroundName, most: most) {
      isFull = true
      return
    }
    entries.append(Entry(name: names.count, payload: payloads.count))
    names.append(Array("{\"by\":".utf8))
    names.append(by)
    if isHidden { names.append(Array(",\"hidden\":true".utf8)) }
    guard !payload.isEmpty else { return }
    if truncatedAt != nil || textBytes + payload.count > most {
      truncatedAt = truncatedAt ?? entries.count - 1
    } else {
      payloads.append(Array(",\"payload\":".utf8))
      payloads.append(payload)
    }
  }

  /// Leaves payloads out, the last ones first, until a name of so many bytes has room. Returns false if it has none. Each
  /// answer is passed once.
  private mutating func makeRoom(for name: Int, most: Int) -> Bool {
    guard names.count + name <= most else { return false }
    while textBytes + name > most {
      let last = (truncatedAt ?? entries.count) - 1
      truncatedAt = last
      payloads.shorten(to: entries[last].payload)
    }
    return true
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

  private func name(_ number: Int) -> Range<Int> {
    entries[number].name..<(number + 1 < entries.count ? entries[number + 1].name : names.count)
  }

  private func payload(_ number: Int) -> Range<Int> {
    entries[number].payload..<(number + 1 < entries.count ? entries[number + 1].payload : payloads.count)
  }

  /// How many answers `,"results":[…]` has in `room` bytes, and how many of them keep their payloads: the first ones.
  private func fit(in room: Int) -> (answers: Int, payloads: Int) {
    var size = 13
    for number in entries.indices {
      size += name(number).count + (number > 0 ? 2 : 1)
      if size > room { return (number, 0) }
    }
    let kept = truncatedAt ?? entries.count
    for number in 0..<kept {
      size += payload(number).count
      if size > room { return (entries.count, number) }
    }
    return (entries.count, kept)
  }

  /// The most bytes that `write` takes.
  var bound: Int { textBytes + entries.count * 2 + 64 }

  /// Writes `,"results":[…]` within `room` bytes. If something is left out, writes that, too, and returns true.
  func write(to writer: inout LineWriter, room: Int) -> Bool {
    var fit = fit(in: room)
    let isWhole = !isTruncated && fit.payloads == entries.count
    if !isWhole { fit = self.fit(in: room - 17) }
    writer.literal(",\"results\":[")
    for number in 0..<fit.answers {
      if number > 0 { writer.literal(",") }
      writer.raw(names.bytes.part(name(number)))
      if number < fit.payloads { writer.raw(payloads.bytes.part(payload(number))) }
      writer.literal("}")
    }
    writer.literal("]")
    if !isWhole { writer.literal(",\"truncated\":true") }
    return !isWhole
  }
}
