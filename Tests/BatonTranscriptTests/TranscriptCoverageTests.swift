import BatonCore
import Foundation
import Testing
import TranscriptPlayer

/// What the transcripts as a whole must hold, so that no rule goes without one.
@Suite struct TranscriptCoverageTests {
  @Test(arguments: TranscriptFiles.paths)
  func readsAndNamesItsRule(path: String) throws {
    let transcript = try TranscriptFiles.read(path)
    #expect(!transcript.rule.isEmpty, "the head of \(path) names no rule")
  }

  @Test(arguments: ErrorCode.allCases)
  func everyErrorCodeHasATranscript(code: ErrorCode) throws {
    let told = try texts().contains { text in
      text.split(separator: "\n").contains { $0.contains(" ← ") && $0.contains("\"code\":\"\(code.rawValue)\"") }
    }
    #expect(told, "no transcript shows \(code.rawValue)")
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

  private func texts() throws -> [String] {
    try TranscriptFiles.paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
  }
}
