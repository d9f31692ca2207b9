import BatonCore
import Foundation
import Testing
import TranscriptPlayer

/// What must be true of all transcripts together, so that no rule is without one.
@Suite struct TranscriptCoverageTests {
  @Test func everyFileIsReadAndNamesItsRule() {
    #expect(TranscriptFiles.faults == [])
    for play in TranscriptFiles.cases {
      #expect(!play.transcript.rule.isEmpty, "the head of \(play.transcript.path) names no rule")
    }
  }

  @Test func everyErrorCodeHasATranscript() throws {
    let texts = try TranscriptFiles.paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
    let shown = texts.joined().matches(of: /← .*"code":"([a-z_]+)"/).map { String($0.1) }
    #expect(Set(ErrorCode.allCases.map(\.rawValue)).subtracting(shown) == [])
  }

  /// The index has an entry for each transcript, once, and no entry for what is not there.
  @Test func everyTranscriptStandsInTheIndexOnce() throws {
    let index = try String(contentsOf: TranscriptFiles.index, encoding: .utf8)
    let entries = index.matches(of: /\n- \[([a-z0-9-]+)\]\(([a-z0-9-]+)\.transcript\)/)
    #expect(entries.allSatisfy { $0.1 == $0.2 })
    let names = TranscriptFiles.paths.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
    let listed = entries.map { String($0.1) }
    #expect(Set(listed).symmetricDifference(names) == [])
    #expect(listed.count == names.count)
  }

  @Test func thePageHasBlocks() throws {
    #expect(try TranscriptFiles.readBlocks().count >= 8)
  }
}
