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

  @Test func everyTranscriptIsLinkedFromThePage() throws {
    let page = try String(contentsOf: TranscriptFiles.page, encoding: .utf8)
    for path in TranscriptFiles.paths {
      let name = URL(fileURLWithPath: path).lastPathComponent
      let isNamed = page.contains("../Tests/Transcripts/\(name)")
      #expect(isNamed, "Clients/PROTOCOL.md does not name \(name)")
    }
  }

  @Test func everyLinkOfThePageLeadsToATranscript() throws {
    let page = try String(contentsOf: TranscriptFiles.page, encoding: .utf8)
    let links = page.matches(of: /\.\.\/Tests\/Transcripts\/([A-Za-z0-9_.-]+\.transcript)/)
    #expect(!links.isEmpty)
    for link in links {
      #expect(TranscriptFiles.paths.contains { $0.hasSuffix("/\(link.1)") }, "\(link.1) is not there")
    }
  }

  @Test func thePageHasBlocks() throws {
    #expect(try TranscriptFiles.readBlocks().count >= 8)
  }
}
