import BatonCore

/// Gives one line to the scanner in both its forms and to the reference, and tells where they differ.
package struct ScannerTwins: ~Copyable {
  private let maximumDepth: Int
  private var scanner: LineScanner
  private let memory = GuardedLine()
  private var lines = 0

  package init(maximumDepth: Int = 128) {
    self.maximumDepth = maximumDepth
    scanner = LineScanner(maximumDepth: maximumDepth)
  }

  /// What the scanner says of a line, from memory that ends with its line feed.
  package mutating func outcome(of line: [UInt8]) -> ScanOutcome {
    memory.with(line) { bytes in
      let fault = scanner.scan(bytes)
      return ScanOutcome(fault, from: scanner)
    }
  }

  /// - Returns: nil if all agree, else what does not fit.
  package mutating func disagreement(over line: [UInt8]) -> String? {
    memory.with(line) { bytes in
      let checkedFault = scanner.scanChecked(bytes)
      let checked = ScanOutcome(checkedFault, from: scanner)
      let fault = scanner.scan(bytes)
      let outcome = ScanOutcome(fault, from: scanner)
      guard outcome == checked else { return "unchecked found \(outcome), checked \(checked)" }
      lines += 1
      // Making a scanner takes longer than ten lines do.
      if lines % 16 == 0, let disagreement = disagreementWithNew(outcome, over: bytes) { return disagreement }
      if let fault, !(0...line.count).contains(fault.offset) { return "a fault outside of the line: \(fault)" }
      let reference = ReferenceReader.read(line)
      guard let reference, reference.depth <= maximumDepth else {
        if fault == nil { return "accepted, against the reference" }
        if reference != nil, fault?.kind != .tooDeep { return "refused for another fault than depth: \(outcome)" }
        return nil
      }
      if let fault { return "refused (\(fault)), against the reference" }
      return difference(of: outcome, from: reference, in: bytes)
    }
  }

  /// A scanner expects members because of earlier lines. That must change nothing.
  private func disagreementWithNew(_ outcome: ScanOutcome, over line: UnsafeRawBufferPointer) -> String? {
    var scanner = LineScanner(maximumDepth: maximumDepth)
    let fault = scanner.scan(line)
    let new = ScanOutcome(fault, from: scanner)
    return new == outcome ? nil : "after other lines it found \(outcome), as the first \(new)"
  }

  /// Compares what was found in a line that all of them take as valid.
  private func difference(
    of outcome: ScanOutcome, from reference: ReferenceReader.Object, in line: UnsafeRawBufferPointer
  ) -> String? {
    var present: MemberSet = 0
    var repeated: MemberSet = 0
    var hasUnknown = false
    var index = 0
    for entry in LineScanner.membersAsTheyStand(in: line) {
      guard index < reference.names.count else { return "more members than the reference has" }
      let name = reference.names[index]
      guard Self.text(of: entry.name, in: line) == name else { return "member \(index) is not named \(name)" }
      guard Self.first(of: entry.value.kind) == reference.kinds[index] else {
        return "member \(index) is no \(reference.kinds[index])"
      }
      let member = Member.allCases.first { "\($0.spelling)".utf8.elementsEqual(name.utf8) }
      guard scanner.member(named: entry.name, in: line) == member else { return "\(name) is taken for another member" }
      if let member {
        let isFirst = present & member.mask == 0
        if isFirst, outcome[member] != entry.value { return "\(name) is at \(entry.value), not \(outcome[member])" }
        if !isFirst { repeated |= member.mask }
        present |= member.mask
      } else {
        hasUnknown = true
      }
      index += 1
    }
    guard index == reference.names.count else { return "fewer members than the reference has" }
    let agrees = (present, repeated, hasUnknown) == (outcome.present, outcome.repeated, outcome.hasUnknown)
    return agrees ? nil : "sets of members differ: \(outcome)"
  }

  /// The text of a string, or nil if its length was not right.
  private static func text(of value: MemberValue, in line: UnsafeRawBufferPointer) -> String? {
    let count = value.textCount(in: line)
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { target.deallocate() }
    guard value.copyText(in: line, into: target) == count else { return nil }
    return String(validating: target, as: UTF8.self)
  }

  private static func first(of kind: ValueKind) -> Character {
    switch kind {
    case .absent: " "
    case .text, .escapedText: "\""
    case .integer, .number: "0"
    case .true: "t"
    case .false: "f"
    case .null: "n"
    case .array: "["
    case .object: "{"
    }
  }
}
