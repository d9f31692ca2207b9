/// Bytes with one owner: a message's own copy, a label that is written often, a line that is not finished.
struct OwnedBytes: ~Copyable {
  private var base: UnsafeMutableRawPointer?
  private(set) var count: Int
  private var capacity: Int

  /// No bytes, and no memory.
  init() {
    base = nil
    count = 0
    capacity = 0
  }

  /// Room for exactly `count` bytes, which the caller fills through `mutable`.
  init(count: Int) {
    base = count == 0 ? nil : .allocate(byteCount: count, alignment: 1)
    self.count = count
    capacity = count
  }

  /// Memory of `MessagePool`, of which the first `count` bytes are used.
  init(memory: UnsafeMutableRawPointer, count: Int, capacity: Int) {
    base = memory
    self.count = count
    self.capacity = capacity
  }

  /// Gives up the memory, where it is of exactly `capacity` bytes; nil, and freed, where it is not.
  consuming func memory(of capacity: Int) -> UnsafeMutableRawPointer? {
    guard capacity == self.capacity, let memory = base else { return nil }
    base = nil
    return memory
  }

  init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count)
    if let from = bytes.baseAddress, let base { base.copyMemory(from: from, byteCount: bytes.count) }
  }

  init(_ text: String) {
    self.init(count: text.utf8.count)
    mutable.copyBytes(from: text.utf8)
  }

  deinit { base?.deallocate() }

  /// The bytes, as long as their owner lives: who takes them from a local owner says `extendLifetime` behind their use.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }
  var mutable: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: count) }
  /// Where the bytes begin. Traps where there is no memory.
  var start: UnsafeMutableRawPointer {
    guard let base else { preconditionFailure("no bytes have no address") }
    return base
  }
  var isEmpty: Bool { count == 0 }

  /// The text, for messages to people; bytes that are no UTF-8 are replaced.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Keeps the first bytes only.
  mutating func shorten(to count: Int) {
    precondition(count <= self.count, "a line outgrew its reservation")
    self.count = count
  }

  /// Adds bytes at the end, doubling the memory where it is too small.
  mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let from = more.baseAddress, more.count > 0 else { return }
    if count + more.count > capacity {
      let needed = max(count + more.count, capacity * 2, 256)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: needed, alignment: 1)
      if let base {
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
      }
      base = larger
      capacity = needed
    }
    base?.advanced(by: count).copyMemory(from: from, byteCount: more.count)
    count += more.count
  }

  /// Adds bytes at the end.
  mutating func append(_ more: [UInt8]) { more.withUnsafeBytes { append($0) } }
}
