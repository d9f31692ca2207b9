/// Skips and validates objects and arrays inside of a line's object, up to a limited depth and without recursion. Each
/// open bracket takes one byte here. The memory for them is allocated once.
struct Nesting: ~Copyable {
  /// How far an object or array has been read: the value at `offset` comes next. With the levels that are open, that is
  /// all there is to know.
  struct Place {
    var offset: Int
    /// The levels that are open, with the line's own object.
    fileprivate var depth = 1
    fileprivate var isObject = true

    /// Before the object or array that begins at `offset`, its opening bracket. It is on level 2.
    init(offset: Int) { self.offset = offset }
  }

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
    var place = Place(offset: start)
    _ = try skip(reader, &place, until: nil)
    return place.offset
  }

  /// The same in pieces: it stops before the first value at or behind `limit`. Nothing else may be read by this value
  /// meanwhile.
  ///
  /// - Returns: whether the closing bracket has come. Then `place` is behind it.
  @inline(never)
  func skip(
    _ reader: TokenReader<some ByteSource>, from place: inout Place, until limit: Int
  ) throws(ScanFault) -> Bool {
    try skip(reader, &place, until: limit)
  }

  // It is inlined so that lines, which have no limit, do not compare with one.
  @inline(__always)
  private func skip(
    _ reader: TokenReader<some ByteSource>, _ place: inout Place, until limit: Int?
  ) throws(ScanFault) -> Bool {
    let source = reader.source
    var (offset, depth, isObject) = (place.offset, place.depth, place.isObject)
    // Where the rest is read in blocks, if it is long.
    var handOver = limit == nil && source.count &- offset > Self.long ? offset &+ Self.few : .max
    while true {
      if let limit, offset >= limit {
        (place.offset, place.depth, place.isObject) = (offset, depth, isObject)
        return false
      }
      if offset >= handOver {
        handOver = .max
        let end = endOfValue(source, from: offset, depth, isObject)
        if end != 0 {
          place.offset = end
          return true
        }
      }
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
        if depth == 1 {
          place.offset = offset
          return true
        }
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

  /// Bytes that are read one by one before the rest is read in blocks: a lone text or a small object is over by then.
  private static var few: Int { 24 }
  /// Behind fewer bytes than these, blocks save nothing.
  private static var long: Int { few + 100 }
  /// With more levels open, the rest would hardly fit into one word.
  private static var mostHandedOver: Int { 40 }

  /// Reads the rest of the outermost object or array in blocks, from a value at `offset` on (`ByteSource.endOfValue`).
  @inline(never)
  private func endOfValue(_ source: some ByteSource, from offset: Int, _ depth: Int, _ isObject: Bool) -> Int {
    guard depth < Self.mostHandedOver else { return 0 }
    let top: UInt64 = 1 << 63
    var open = top
    // The line's own object is level 1, and no part of the value.
    for level in 2..<depth { open = open >> 1 | (self.isObject[level] ? top : 0) }
    open = open >> 1 | (isObject ? top : 0)
    return source.endOfValue(from: offset, most: maximumDepth &- 1, open: open)
  }

  @inline(__always)
  private static func closing(_ isObject: Bool) -> UInt8 {
    isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
  }
}
