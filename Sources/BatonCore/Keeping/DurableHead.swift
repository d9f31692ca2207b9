package import BatonLasting

/// What a stored message says beside chain, key and payload: an object of JSON with `topic`, and perhaps `mode` and
/// `meta`. The same message has the same bytes.
struct DurableHead {
  /// Where the topic stands, as a JSON string in the server's spelling.
  private(set) var topicText = 0..<0
  /// Where the meta stands; empty if there is none.
  private(set) var meta = 0..<0
  private(set) var isAll = false

  private static let begin: StaticString = "{\"topic\":"

  init(_ head: UnsafeRawBufferPointer) {
    guard !head.isEmpty else { return }
    if let topic = DurableHead.onlyTopic(in: head) {
      topicText = topic
      return
    }
    let object = MemberValue(from: 0, to: head.count, kind: .object)
    for (name, value) in ObjectMembers(of: object, in: head) {
      if name.isText("topic", in: head) { topicText = value.range }
      if name.isText("mode", in: head) { isAll = true }
      if name.isText("meta", in: head) { meta = value.range }
    }
  }

  /// Where the topic stands if nothing stands beside it, as with most messages, and nothing is escaped. Otherwise nil.
  private static func onlyTopic(in head: UnsafeRawBufferPointer) -> Range<Int>? {
    let (start, end, quote) = (begin.utf8CodeUnitCount, head.count - 2, UInt8(ascii: "\""))
    let opening = UnsafeRawBufferPointer(start: begin.utf8Start, count: start)
    guard end > start, head.part(0, start).equals(opening), head[start] == quote, head[end] == quote else { return nil }
    for place in start + 1..<end where head[place] == quote || head[place] == UInt8(ascii: "\\") { return nil }
    return start..<end + 1
  }

  /// Whether bytes of a store say what a message says beside chain, key and payload.
  static func isSound(_ head: UnsafeRawBufferPointer) -> Bool {
    guard StoredText.isObject(head) else { return false }
    let text = OwnedBytes(copying: head.part(DurableHead(head).topicText))
    defer { extendLifetime(text) }
    guard StoredText.isText(text.bytes) else { return false }
    let topic = OwnedBytes(text.unquoted)
    defer { extendLifetime(topic) }
    return Words.complaint(topic: topic.bytes) == nil
  }

  static func write(
    topicText: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer, isAll: Bool, to text: inout [UInt8]
  ) {
    text += UnsafeRawBufferPointer(start: begin.utf8Start, count: begin.utf8CodeUnitCount)
    text += topicText
    if isAll { text += ",\"mode\":\"all\"".utf8 }
    if !meta.isEmpty {
      text += ",\"meta\":".utf8
      text += meta
    }
    text.append(UInt8(ascii: "}"))
  }
}

extension DurableContent {
  /// Whether this can be what a message says. A checksum keeps nobody from writing into the file of a store.
  package var isSound: Bool {
    bytes.withUnsafeBytes { bytes in
      DurableHead.isSound(bytes.part(0, headEnd))
        && DurableFrom.isSound(bytes.part(headEnd, fromEnd))
        && StoredText.isValueOrNothing(bytes.part(keyEnd, bytes.count))
    }
  }
}
