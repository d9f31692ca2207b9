/// A dead letter, as `dead` tells it.
package struct KeptLetter: Sendable {
  package var stored: [UInt8]
  package var chain: [UInt8]
  package var tries: Int
  package var agoMilliseconds: Int
  /// Nil if its bytes are damaged, or the disk does not give them.
  package var head: [UInt8]?
  package var key: [UInt8]?
  /// Nil if it is not told, empty if there is none.
  package var payload: [UInt8]?
  package var result: [UInt8]?
  /// Whether the disk does not give what it says now.
  package var isUnreadable = false

  package init(stored: [UInt8], chain: [UInt8], tries: Int, agoMilliseconds: Int) {
    (self.stored, self.chain, self.tries) = (stored, chain, tries)
    self.agoMilliseconds = agoMilliseconds
  }

  /// Its entry. Who does not see all chains is told the status alone, if the message went through a mount.
  func text(seesAll: Bool) -> [UInt8] {
    var text: [UInt8] = []
    func add(_ name: String, _ value: some Sequence<UInt8>) {
      text += "\(text.isEmpty ? "{" : ",")\"\(name)\":".utf8
      text += value
    }
    add("stored", quoted(stored))
    let head = head ?? []
    let parts = head.withUnsafeBytes { KeptHead($0) }
    if !parts.topicText.isEmpty { add("topic", head[parts.topicText]) }
    add("chain", quoted(chain))
    if let key { add("key", quoted(key)) }
    if let payload {
      if !payload.isEmpty { add("payload", payload) }
      if !parts.meta.isEmpty { add("meta", head[parts.meta]) }
    }
    if isUnreadable { add("unreadable", "true".utf8) }
    add("tries", "\(tries)".utf8)
    add("ago_ms", "\(agoMilliseconds)".utf8)
    add("result", toldResult(seesAll: seesAll))
    return text + [UInt8(ascii: "}")]
  }

  private func quoted(_ text: [UInt8]) -> [UInt8] {
    let plain = OwnedBytes(copying: text)
    let owned = OwnedBytes(quoting: plain.bytes)
    defer {
      extendLifetime(plain)
      extendLifetime(owned)
    }
    return Array(owned.bytes)
  }

  private func toldResult(seesAll: Bool) -> [UInt8] {
    guard head != nil || isUnreadable else { return KeptResult.damaged }
    guard let result else { return Array("{\(KeptResult.none)}".utf8) }
    return KeptResult.hasGoneThroughMounts(result) && !seesAll
      ? KeptResult.statusOnly(result) : KeptResult.short(result)
  }
}

/// What a stored message says beside chain, key and payload: an object of JSON with `topic`, and perhaps `mode` and
/// `meta`. The same message has the same bytes.
struct KeptHead {
  /// Where the topic stands, as a JSON string in the server's spelling.
  private(set) var topicText = 0..<0
  /// Where the meta stands; empty if there is none.
  private(set) var meta = 0..<0
  private(set) var isAll = false

  private static let begin: StaticString = "{\"topic\":"

  init(_ head: UnsafeRawBufferPointer) {
    guard !head.isEmpty else { return }
    if let topic = KeptHead.onlyTopic(in: head) {
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
    let text = OwnedBytes(copying: head.part(KeptHead(head).topicText))
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
