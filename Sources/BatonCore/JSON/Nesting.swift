/// Skips and validates objects and arrays inside of a line's object, up to a limited depth and without recursion. Each
/// open bracket takes one byte here. The memory for them is allocated once.
struct Nesting: ~Copyable {
  private let maximumDepth: Int
  /// Whether each open level is an object, not an array, by depth. Entries above the current depth are left over from
  /// earlier lines.
  private let isObject: UnsafeMutablePointer<Bool>

  init(maximumDepth: Int) {
    precondition((1...10_000).contains(maximumDepth))
    self.maximumDepth = maximumDepth
    isObject = .allocate(capacity: maximumDepth + 1)
    isObject.initialize(repeating: true, count: maximumDepth + 1)
  }

  deinit {
    isObject.deallocate()
  }

  /// Validates the object or array that begins at `start`, the offset of its opening bracket. It is on level 2.
  ///
  /// - Returns: the offset after its closing bracket.
  @inline(never)
  func skip(_ reader: TokenReader<some ByteSource>, from start: Int) throws(ScanFault) -> Int {
    let source = reader.source
    var offset = start
    var depth = 1
    var isObject = true
    while true {
      let first = source[offset]
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        guard depth < maximumDepth else { throw ScanFault(kind: .tooDeep, offset: offset) }
        self.isObject[depth] = isObject
        depth &+= 1
        isObject = first == UInt8(ascii: "{")
        offset = reader.skipSpace(from: offset &+ 1)
        if source[offset] != Self.closing(isObject) {
          if isObject { offset = try reader.name(from: offset).value }
          continue
        }
      } else {
        offset = reader.skipSpace(from: try reader.scalar(first, from: offset).end)
      }
      // An entry ends here; close all brackets that do.
      while source[offset] == Self.closing(isObject) {
        offset &+= 1
        depth &-= 1
        if depth == 1 { return offset }
        isObject = self.isObject[depth]
        offset = reader.skipSpace(from: offset)
      }
      guard source[offset] == UInt8(ascii: ",") else { throw reader.fault(.missingComma, at: offset) }
      let comma = offset
      offset = reader.skipSpace(from: comma &+ 1)
      if source[offset] == Self.closing(isObject) { throw reader.fault(.trailingComma, at: comma) }
      if isObject { offset = try reader.name(from: offset).value }
    }
  }

  @inline(__always)
  private static func closing(_ isObject: Bool) -> UInt8 {
    isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
  }
}
