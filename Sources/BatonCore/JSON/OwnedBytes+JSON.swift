/// Bytes for lines of the server.
extension OwnedBytes {
  /// The UTF-8 of `text`. The memory after it is large enough for `LineWriter.padded`.
  init(padded text: String) {
    self.init(count: text.utf8.count + LineWriter.slack)
    mutable.initializeMemory(as: UInt8.self, repeating: 0)
    mutable.copyBytes(from: text.utf8)
    shorten(to: text.utf8.count)
  }

  /// A copy of `bytes`, with as much memory behind it as `LineWriter.padded` may read.
  init(padded bytes: [UInt8]) {
    self.init(count: bytes.count + LineWriter.slack)
    mutable.copyBytes(from: bytes)
    (start + bytes.count).initializeMemory(as: UInt8.self, repeating: 0, count: LineWriter.slack)
    shorten(to: bytes.count)
  }

  /// A JSON string of decoded UTF-8, in the server's spelling, with its quotes.
  init(quoting text: UnsafeRawBufferPointer) {
    self.init(count: LineWriter.bound(text: text.count))
    var writer = LineWriter(at: start, room: count)
    writer.text(text)
    shorten(to: writer.cursor - start)
  }

  /// The longest beginning of `text` as a JSON string that takes at most `most` bytes between its quotes.
  init(quoting text: UnsafeRawBufferPointer, atMost most: Int) {
    self.init(count: min(LineWriter.bound(text: text.count), most + 2))
    var writer = LineWriter(at: start, room: count)
    writer.text(text, atMost: most)
    shorten(to: writer.cursor - start)
  }

  /// The text of a JSON string, without its quotes and with its escapes resolved; empty if this is empty.
  var unquoted: String {
    guard count >= 2 else { return "" }
    let raw = bytes.part(1, count - 1)
    guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
    var text: [UInt8] = []
    var offset = 0
    while offset < raw.count {
      let step = TextEscape.next(in: raw, at: offset)
      offset += step.rawCount
      step.copyUTF8 { text.append($0) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
