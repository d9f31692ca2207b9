internal import CScan

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
  fileprivate init(memory: UnsafeMutableRawPointer, count: Int, capacity: Int) {
    base = memory
    self.count = count
    self.capacity = capacity
  }

  /// Gives up the memory, where it is of exactly `capacity` bytes; nil, and freed, where it is not.
  fileprivate consuming func memory(of capacity: Int) -> UnsafeMutableRawPointer? {
    guard capacity == self.capacity, let memory = base else { return nil }
    base = nil
    return memory
  }

  init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count)
    if let from = bytes.baseAddress, let base { base.copyMemory(from: from, byteCount: bytes.count) }
  }

  /// The text, with as many bytes behind it as `LineWriter.padded` may look at.
  init(padded text: String) {
    self.init(count: text.utf8.count + LineWriter.slack)
    mutable.initializeMemory(as: UInt8.self, repeating: 0)
    mutable.copyBytes(from: text.utf8)
    shorten(to: text.utf8.count)
  }

  init(_ text: String) {
    self.init(count: text.utf8.count)
    mutable.copyBytes(from: text.utf8)
  }

  /// A JSON string of decoded UTF-8, in the server's spelling.
  init(quoting text: UnsafeRawBufferPointer) {
    self.init(count: LineWriter.bound(text: text.count))
    guard let base else { return }
    var writer = LineWriter(at: base)
    writer.text(text)
    shorten(to: writer.cursor - base)
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
}

/// Memory of messages that is used again, so that steady traffic of small ones allocates none.
///
/// With mixed peers: 13,503 instead of 13,633 instructions a request; chain of three: 6,228 instead of 6,630 a message
/// (`Benchmarks/compare --instructions`).
struct MessagePool: ~Copyable {
  /// Bytes of one piece: what nearly every message fits in.
  private static let pieceBytes = 512
  /// Pieces kept for later at most: 2 MiB.
  private static let most = 4096
  /// The piece to be used next; each holds the address of the one behind it.
  private var first: UnsafeMutableRawPointer?
  private var count = 0

  deinit {
    var piece = first
    while let this = piece {
      piece = this.load(as: UnsafeMutableRawPointer?.self)
      this.deallocate()
    }
  }

  /// Room for `count` bytes, which the caller fills.
  @inline(__always)
  mutating func take(_ count: Int) -> OwnedBytes {
    guard count <= MessagePool.pieceBytes else { return OwnedBytes(count: count) }
    guard let piece = first else {
      return OwnedBytes(
        memory: .allocate(byteCount: MessagePool.pieceBytes, alignment: 16), count: count,
        capacity: MessagePool.pieceBytes)
    }
    first = piece.load(as: UnsafeMutableRawPointer?.self)
    self.count -= 1
    return OwnedBytes(memory: piece, count: count, capacity: MessagePool.pieceBytes)
  }

  /// Takes back what a message no longer needs.
  @inline(__always)
  mutating func give(_ bytes: consuming OwnedBytes) {
    guard count < MessagePool.most, let piece = bytes.memory(of: MessagePool.pieceBytes) else { return }
    piece.storeBytes(of: first, as: UnsafeMutableRawPointer?.self)
    first = piece
    count += 1
  }
}

extension UnsafeRawBufferPointer {
  /// No bytes: what a member is that is not there.
  static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// The bytes from `start` up to `end`.
  @inline(__always)
  func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    // As numbers without a sign, what is below 0 is too much, too.
    precondition(UInt(bitPattern: start) <= UInt(bitPattern: end))
    precondition(UInt(bitPattern: end) <= UInt(bitPattern: count))
    return UnsafeRawBufferPointer(start: baseAddress.map { $0 + start }, count: end &- start)
  }

  /// Whether both hold the same bytes.
  @inline(__always)
  func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let left = baseAddress, let right = other.baseAddress else { return true }
    return cscan_equal(left, right, count)
  }

  /// The text, for messages to people and for tables of names.
  var string: String { String(decoding: self, as: UTF8.self) }
}
