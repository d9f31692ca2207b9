import CScan

/// Puts values before the functions that look at 64 bytes at a time, and tells where they differ from the reference.
///
/// It sees the functions alone: behind the scanner, only what is long comes to them.
package struct BlockReader {
  /// The bodies that this processor has, but the one that does nothing; and those that it lacks.
  package static var bodies: (here: [String], missing: [String]) {
    let all = ["avx2", "avx512"]
    let before = chosen
    defer { _ = choose(before) }
    let here = all.filter(choose)
    return (here, all.filter { !here.contains($0) })
  }

  /// The body that is chosen.
  package static var chosen: String { String(cString: cscan_body()) }

  /// Chooses a body for all that is read from now on, on one thread. False if the processor lacks it.
  package static func choose(_ body: String) -> Bool { cscan_choose_body(body) }

  private let memory = GuardedLine()
  private static let head = Array("{\"\":".utf8)
  private static let nothingOpen: UInt64 = 1 << 63

  package init() {}

  /// Where the value in a line `{"":VALUE` ends by the body that is chosen; nil if that leaves it to others. The memory
  /// ends with the line, or begins with it.
  package func end(of value: [UInt8], beginsGuarded: Bool = false) -> Int? {
    read(Self.head + value, from: Self.head.count, open: Self.nothingOpen, beginsGuarded).map { $0 - Self.head.count }
  }

  /// The same from a value within it on. `open` is what is open there, the outermost first, true for an object.
  package func end(of value: [UInt8], resumedAt place: Int, open levels: [Bool]) -> Int? {
    let open = levels.reduce(Self.nothingOpen) { $0 >> 1 | ($1 ? Self.nothingOpen : 0) }
    return read(Self.head + value, from: Self.head.count + place, open: open, false).map { $0 - Self.head.count }
  }

  private func read(_ line: [UInt8], from start: Int, open: UInt64, _ beginsGuarded: Bool) -> Int? {
    memory.with(line, beginsGuarded: beginsGuarded) { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let end = cscan_value(base.assumingMemoryBound(to: UInt8.self), start, bytes.count, 127, open)
      return end == 0 ? nil : end
    }
  }

  /// What is wrong with the answer over a value that has no line feed; nil if nothing is.
  package func disagreement(over value: [UInt8]) -> String? {
    guard value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[") else { return nil }
    let end = end(of: value)
    if end != self.end(of: value, beginsGuarded: true) { return "another answer with other memory around the line" }
    if let end { return Self.isRight(value[..<end]) ? nil : "accepted up to \(end), against the reference" }
    return Self.isRight(value[...]) && !Self.isRare(value) ? "left to others" : nil
  }

  private static func isRight(_ value: ArraySlice<UInt8>) -> Bool {
    ReferenceReader.read(head + value + [UInt8(ascii: "}")]) != nil
  }

  /// Whether a value may be left to others though it is right: a CR, or much that is open.
  private static func isRare(_ value: [UInt8]) -> Bool {
    value.contains(UInt8(ascii: "\r")) || value.count { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } > 20
  }

  /// The places within a right value where values begin, each with what is open there.
  package static func places(in value: [UInt8]) -> [(place: Int, open: [Bool])] {
    var found: [(place: Int, open: [Bool])] = []
    var open: [Bool] = []
    var isNext = false
    var isInText = false
    var place = 0
    while place < value.count {
      let byte = value[place]
      if isInText {
        if byte == UInt8(ascii: "\\") { place += 1 } else if byte == UInt8(ascii: "\"") { isInText = false }
      } else {
        let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        if isNext, !isBlank, byte != UInt8(ascii: "]") { found.append((place, open)) }
        if !isBlank { isNext = false }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "{"): open.append(true)
        case UInt8(ascii: "["): (open, isNext) = (open + [false], true)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        case UInt8(ascii: ":"): isNext = true
        case UInt8(ascii: ","): isNext = open.last == false
        default: break
        }
      }
      place += 1
    }
    return found
  }
}
