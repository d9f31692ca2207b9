/// Why nothing could be measured, in one line that says what to do.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// The server wrote something that the load does not expect.
  init(unexpected line: UnsafeRawBufferPointer) {
    description = "the server wrote something unexpected: " + String(decoding: line.prefix(300), as: UTF8.self)
  }
}
