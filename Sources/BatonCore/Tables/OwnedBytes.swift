/// Bytes in memory that has one owner, such as a message's own copy, a label that is written often, or an unfinished
/// line.
///
/// It knows nothing of what the bytes mean. `count` is never more than `capacity`.
struct OwnedBytes: ~Copyable {
  private var base: UnsafeMutableRawPointer?
  private(set) var count: Int
  private var capacity: Int

  /// No bytes and no memory.
  init() {
    base = nil
    count = 0
    capacity = 0
  }

  /// Memory for exactly `count` bytes. The caller fills it through `mutable`.
  init(count: Int) {
    base = count == 0 ? nil : .allocate(byteCount: count, alignment: 1)
    self.count = count
    capacity = count
  }

  /// Takes over `memory` of `capacity` bytes, of which the first `count` are used.
  init(memory: UnsafeMutableRawPointer, count: Int, capacity: Int) {
    base = memory
    self.count = count
    self.capacity = capacity
  }

  /// Gives up the memory if it has exactly `capacity` bytes. Otherwise the memory is freed and the result is nil.
  consuming func memory(of capacity: Int) -> UnsafeMutableRawPointer? {
    guard capacity == self.capacity, let memory = base else { return nil }
    base = nil
    return memory
  }

  /// A copy of `bytes`.
  init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count)
    if let from = bytes.baseAddress, let base { base.copyMemory(from: from, byteCount: bytes.count) }
  }

  /// A copy of `bytes`.
  init(copying bytes: [UInt8]) {
    self.init(count: bytes.count)
    mutable.copyBytes(from: bytes)
  }

  /// The UTF-8 of `text`.
  init(_ text: String) {
    self.init(count: text.utf8.count)
    mutable.copyBytes(from: text.utf8)
  }

  deinit { base?.deallocate() }

  /// The bytes. They are valid as long as their owner lives. If the owner is a local variable, the caller must call
  /// `extendLifetime` after the last use of the bytes.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
  var mutable: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: count) }
  /// The address of the first byte. Traps if there is no memory.
  var start: UnsafeMutableRawPointer {
    guard let base else { preconditionFailure("no bytes have no address") }
    return base
  }
  var isEmpty: Bool { count == 0 }

  /// The text, for messages to people. Bytes that are not UTF-8 are replaced.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Keeps only the first `count` bytes. The memory stays as large as it is.
  mutating func shorten(to count: Int) {
    precondition(count <= self.count, "a line outgrew its reservation")
    self.count = count
  }

  /// Adds bytes at the end. If the memory is too small, its size at least doubles.
  mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let from = more.baseAddress, more.count > 0 else { return }
    reserve(more.count).copyMemory(from: from, byteCount: more.count)
    count += more.count
  }

  /// Memory for `more` bytes behind the last one. `extend` makes them a part of the bytes. If the memory is too small,
  /// its size at least doubles.
  mutating func reserve(_ more: Int) -> UnsafeMutableRawPointer {
    if let base, count + more <= capacity { return base + count }
    let needed = max(count + more, capacity * 2, 256)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: needed, alignment: 1)
    if let base {
      larger.copyMemory(from: base, byteCount: count)
      base.deallocate()
    }
    base = larger
    capacity = needed
    return larger + count
  }

  /// Ends what `reserve` began: all bytes up to `end` belong to the bytes.
  mutating func extend(to end: UnsafeMutableRawPointer) {
    let extended = base.map { end - $0 } ?? -1
    precondition(extended >= count && extended <= capacity, "a line outgrew its reservation")
    count = extended
  }

  /// Adds bytes at the end.
  mutating func append(_ more: [UInt8]) { more.withUnsafeBytes { append($0) } }
}
