/// Bytes that are written into lines.
extension OwnedBytes {
  /// The text, with as many bytes behind it as `LineWriter.padded` may look at.
  init(padded text: String) {
    self.init(count: text.utf8.count + LineWriter.slack)
    mutable.initializeMemory(as: UInt8.self, repeating: 0)
    mutable.copyBytes(from: text.utf8)
    shorten(to: text.utf8.count)
  }

  /// A JSON string of decoded UTF-8, in the server's spelling.
  init(quoting text: UnsafeRawBufferPointer) {
    self.init(count: LineWriter.bound(text: text.count))
    var writer = LineWriter(at: start)
    writer.text(text)
    shorten(to: writer.cursor - start)
  }
}
