/// Bytes in one piece that grows: lines that wait to be sent, or the beginning of one that is not whole yet.
struct LoadBuffer: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private(set) var count = 0

  deinit { memory.deallocate() }

  var isEmpty: Bool { count == 0 }
  /// The bytes, until the next change.
  var bytes: UnsafeRawBufferPointer { part(0, count) }

  /// The bytes from `start` up to `end`, until the next change.
  func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[start..<end])
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let from = bytes.baseAddress else { return }
    if count + bytes.count > memory.count { grow(by: bytes.count) }
    memory.baseAddress?.advanced(by: count).copyMemory(from: from, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Forgets the bytes and keeps the memory.
  mutating func clear() { count = 0 }

  /// Forgets the first bytes.
  mutating func removeFirst(_ bytes: Int) {
    guard let start = memory.baseAddress else { return }
    start.copyMemory(from: start + bytes, byteCount: count - bytes)
    count -= bytes
  }

  private mutating func grow(by more: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1024, 2 * memory.count, count + more), alignment: 16)
    larger.copyMemory(from: bytes)
    memory.deallocate()
    memory = larger
  }
}
