import Testing

@testable import BatonClient

/// Bytes of a server that become lines.
@Suite struct LineTests {
  private func split(_ pieces: [String], longest: Int = 10) -> (lines: [String], canGoOn: Bool) {
    var splitter = LineSplitter(longest: longest)
    var lines: [String] = []
    for piece in pieces {
      let canGoOn = Array(piece.utf8).withUnsafeBytes { bytes in
        splitter.split(bytes) { line in
          lines.append(String(decoding: line, as: UTF8.self))
          return true
        }
      }
      guard canGoOn else { return (lines, false) }
    }
    return (lines, true)
  }

  @Test func linesAreTheSameHoweverTheyAreCut() {
    let text = "ab\n\ncde\nrest"
    for first in 0...text.count {
      for second in first...text.count {
        let cuts = [0, first, second, text.count].map { text.index(text.startIndex, offsetBy: $0) }
        let pieces = zip(cuts, cuts.dropFirst()).map { String(text[$0..<$1]) }
        #expect(split(pieces).lines == ["ab", "", "cde"], "\(pieces)")
      }
    }
  }

  /// What comes without an end takes no more memory than a line may.
  @Test func aLineWithoutAnEndIsGivenUp() {
    #expect(split(["0123456789", "\n"]).lines == ["0123456789"])
    #expect(split(["a\n01234", "56789", "0"]) == (["a"], false))
  }
}
