import BatonCore
import FuzzKit
import Testing

/// What the scanner takes and what it refuses: lines that are whole, cut anywhere, or with other lines around them.
@Suite struct ScannerTests {
  @Test func takesWhatIsValid() {
    var twins = ScannerTwins()
    for line in ScannerCases.validLines {
      #expect(twins.outcome(of: line).fault == nil, "\(String(decoding: line, as: UTF8.self))")
    }
  }

  @Test(arguments: ScannerCases.refusals)
  func refuses(_ refusal: ScannerCases.Refusal) {
    var twins = ScannerTwins()
    let outcome = twins.outcome(of: refusal.line)
    #expect(outcome.fault == ScanFault(kind: .badJSON(refusal.reason), offset: refusal.offset))
    // Nothing that was found in a line with a fault may be used.
    #expect(outcome.present == 0 && outcome.repeated == 0 && !outcome.hasUnknown)
  }

  @Test func aLineBeginsWithABrace() {
    let lines = [
      ("", 0), (" ", 1), ("[]", 0), ("1", 0), ("null", 0), (#""{}""#, 0), ("  [{}]", 2), ("\u{feff}{}", 0),
      ("\u{0}{}", 0), ("#{}", 0), ("\n{}", 0), ("GET / HTTP/1.1\r", 0),
    ]
    var twins = ScannerTwins()
    for (line, offset) in lines {
      let fault = twins.outcome(of: Array(line.utf8)).fault
      #expect(fault == ScanFault(kind: .notAnObject, offset: offset), "\(line.debugDescription)")
    }
  }

  @Test func aLineWithoutMemoryIsRefused() {
    var scanner = LineScanner(maximumDepth: 1)
    let fault = scanner.scan(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(fault == ScanFault(kind: .notAnObject, offset: 0))
  }

  /// The beginning of an object is not an object, wherever it is cut. The memory behind it may not be touched.
  @Test func refusesEachLineCutAnywhere() {
    var twins = ScannerTwins()
    for line in ScannerCases.validLines {
      guard let brace = line.lastIndex(of: UInt8(ascii: "}")) else { continue }
      for end in 0...brace {
        let fault = twins.outcome(of: Array(line[..<end])).fault
        #expect(fault != nil, "\(String(decoding: line[..<end], as: UTF8.self))")
        #expect(fault.map { $0.offset <= end } ?? false)
      }
    }
  }

  @Test func allFormsAgreeOverAllCasesAndTheirPrefixes() {
    var twins = ScannerTwins()
    for line in ScannerCases.validLines + ScannerCases.refusals.map(\.line) {
      for end in 0...line.count {
        let cut = Array(line[..<end])
        if let disagreement = twins.disagreement(over: cut) {
          Issue.record("\(String(decoding: cut, as: UTF8.self)): \(disagreement)")
        }
      }
    }
  }

  /// Each line ends at its own line feed, whatever comes after that: the rest of a value, a quote, a bracket.
  @Test func readsEachOfManyLinesInOneBuffer() {
    let lines = ScannerCases.refusals.map(\.line).filter { !$0.contains(UInt8(ascii: "\n")) }
    let mixed = zip(ScannerCases.validLines, lines).flatMap { [$1, $0] } + ScannerCases.validLines
    let buffer = mixed.flatMap { $0 + [UInt8(ascii: "\n")] }
    var twins = ScannerTwins()
    var scanner = LineScanner(maximumDepth: 128)
    buffer.withUnsafeBytes { bytes in
      var start = 0
      for line in mixed {
        let fault = scanner.scan(UnsafeRawBufferPointer(rebasing: bytes[start..<start + line.count]))
        let outcome = ScanOutcome(fault, from: scanner)
        #expect(outcome == twins.outcome(of: line), "\(String(decoding: line, as: UTF8.self))")
        start += line.count + 1
      }
      #expect(start == buffer.count)
    }
  }

  @Test func agreesWithTheReferenceOverMutatedLines() {
    var twins = ScannerTwins()
    var mutator = LineMutator(seed: 20_26)
    var accepted = 0
    for number in 0..<20_000 {
      let line = mutator.next()
      if let disagreement = twins.disagreement(over: line) {
        Issue.record("line \(number), \(String(decoding: line, as: UTF8.self)): \(disagreement)")
        return
      }
      if twins.outcome(of: line).fault == nil { accepted += 1 }
    }
    // The lines must be useful: some valid, some not.
    #expect((4_000...16_000).contains(accepted))
  }
}
