import BatonCore
import CScan
import FuzzKit
import Testing

/// What looks at values 64 bytes at a time, with each body that this processor has, one after the other.
@Suite(.serialized) struct BlockReaderTests {
  /// Calls `test` with each body; tells which ones the processor lacks.
  private func withEachBody(_ test: (String) throws -> Void) rethrows {
    let before = BlockReader.chosen
    defer { _ = BlockReader.choose(before) }
    let bodies = BlockReader.bodies
    for body in bodies.missing { print("skipped: this processor does not have \(body)") }
    for body in bodies.here {
      _ = BlockReader.choose(body)
      try test(body)
    }
  }

  /// Every so many of all short values; `baton-fuzz lists` takes all of them.
  @Test func agreesWithTheReferenceOverShortValues() {
    withEachBody { body in
      let reader = BlockReader()
      for list in ValueList.all {
        for number in stride(from: 0, to: list.count, by: (list.count / 150) | 1) {
          let value = list.value(number)
          if let disagreement = reader.disagreement(over: value) {
            Issue.record("\(body), \(list.name) \(number): \(disagreement): \(String(decoding: value, as: UTF8.self))")
          }
        }
      }
    }
  }

  /// Whatever was read before: from each value within a right one, with what is open there, the end is the same.
  @Test(arguments: PayloadKind.allCases)
  func goesOnFromEachValueWithin(_ kind: PayloadKind) {
    var maker = PayloadMaker(seed: 7)
    withEachBody { body in
      let reader = BlockReader()
      for bytes in [60, 130, 700] {
        let value = maker.payload(kind, bytes: bytes)
        for (place, open) in BlockReader.places(in: value) where !open.isEmpty && open.count < 40 {
          let behind = value + Array("\",{]}".utf8)
          #expect(reader.end(of: value, resumedAt: place, open: open) == value.count, "\(body), \(place)")
          #expect(reader.end(of: behind, resumedAt: place, open: open) == value.count, "\(body), \(place)")
        }
      }
    }
  }

  /// What is open counts: with another kind of bracket below, the closing one is wrong.
  @Test func whatIsOpenDecides() {
    withEachBody { body in
      let reader = BlockReader()
      let value = Array(
        #"{"a":[{"b":[1,{"c":2}]}],"d":"so long that it is read in more than one block of bytes"}"#.utf8)
      for (place, open) in BlockReader.places(in: value) where !open.isEmpty {
        for level in open.indices {
          var other = open
          other[level].toggle()
          #expect(reader.end(of: value, resumedAt: place, open: other) == nil, "\(body), \(place), level \(level)")
        }
      }
    }
  }

  /// Lines of all kinds with a byte changed, through the scanner: verdict, reason and offset are those of its twin.
  @Test func faultsAreThoseOfTheReaderOfTokens() {
    withEachBody { body in
      var twins = ScannerTwins()
      var mutator = LineMutator(seed: 3, lines: LineMutator.longSeeds)
      for _ in 0..<300 {
        let line = mutator.next()
        if let disagreement = twins.disagreement(over: line) { Issue.record("\(body): \(disagreement)") }
      }
    }
  }

  /// A return between tokens is noted, wherever it stands.
  @Test func returnsAreNoted() {
    let long = String(repeating: "[1,{\"a\":\"b\"}],", count: 40)
    withEachBody { _ in
      for place in [0, 3, 200, 400] {
        var line = Array("{\"payload\":[\(long)0]}".utf8)
        let comma = line[(place + 12)...].firstIndex(of: UInt8(ascii: ",")) ?? 0
        for hasReturn in [false, true] {
          if hasReturn { line.insert(UInt8(ascii: "\r"), at: comma) }
          var scanner = LineScanner(maximumDepth: 128)
          let fault = (line + [10]).withUnsafeBytes { scanner.scan(UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
          #expect(fault == nil && scanner.hasReturn == hasReturn)
        }
      }
    }
  }

  /// A text is skipped up to what is none, or to a character before what is wrong; nothing outside of the line is read.
  @Test func skipsTextUpToWhatIsNone() throws {
    let fillings = ["x", "é", "京", "😀", "aé京😀"].map { Array($0.utf8) }
    let stops: [[UInt8]] = ["\"", "\\n", "\u{1}", ""].map { Array($0.utf8) } + [[0x80], [0xC3], [0xE4, 0xBA], [0xFF]]
    let memory = GuardedLine()
    try withEachBody { body in
      for filling in fillings {
        for count in Array(0...75) + [130, 200] {
          for stop in stops {
            let text = (0..<count).flatMap { _ in filling }
            try memory.with(Array("{\"a\":\"".utf8) + text + stop) { line in
              let base = try #require(line.baseAddress).assumingMemoryBound(to: UInt8.self)
              let end = cscan_text(base, 6, line.count)
              #expect(end >= 6 && end <= 6 + text.count, "\(body)")
              #expect(String(validating: line[6..<max(6, min(end, line.count))], as: UTF8.self) != nil, "\(body)")
              let isRight = stop.first.map { $0 < 0x80 } ?? true
              if isRight, line.count >= 67 { #expect(end == 6 + text.count, "\(body), \(text.count)") }
            }
          }
        }
      }
    }
  }

  @Test func aBodyThatIsNotThereIsNotChosen() {
    let before = BlockReader.chosen
    #expect(!BlockReader.choose("mmx") && BlockReader.chosen == before)
  }
}
