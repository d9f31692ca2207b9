import Foundation
import Testing
import TranscriptPlayer

/// A transcript to play, and how a report names it.
struct TranscriptCase: CustomTestStringConvertible, Sendable {
  let transcript: Transcript
  let testDescription: String

  /// What to play, from a file or a block of the page.
  init(_ transcript: Transcript, line: Int? = nil) {
    self.transcript = transcript
    let name = URL(fileURLWithPath: transcript.path).deletingPathExtension().lastPathComponent
    testDescription = line.map { "\(name):\($0)" } ?? name
  }
}

/// Where the transcripts and the pages of the contract are.
enum TranscriptFiles {
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let folder = package.appending(path: "Tests/Transcripts")
  static let pages =
    [package.appending(path: "Docs/protocol.md")]
    + ((try? FileManager.default.contentsOfDirectory(
      at: package.appending(path: "Docs/protocol"), includingPropertiesForKeys: nil)) ?? [])
    .filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
  /// Which of them proves which rule.
  static let index = folder.appending(path: "README.md")

  private static let files = paths.map { path in Result { try read(path) } }

  /// Every file of the folder, one rule each.
  static let cases: [TranscriptCase] = files.compactMap { file in (try? file.get()).map { TranscriptCase($0) } }

  /// Errors of the files that cannot be read.
  static let faults: [String] = files.compactMap { file in
    if case .failure(let error) = file { "\(error)" } else { nil }
  }

  /// Every block of the pages.
  static let blocks: [TranscriptCase] = ((try? readBlocks()) ?? []).map { TranscriptCase($0, line: $0.steps[0].line) }

  static let paths: [String] = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".transcript") }.sorted().map { folder.appending(path: $0).path }

  static func read(_ path: String) throws -> Transcript {
    try Transcript(parsing: String(contentsOfFile: path, encoding: .utf8), path: path)
  }

  static func readBlocks() throws -> [Transcript] {
    try pages.flatMap { page in
      try Transcript.blocks(ofPage: String(contentsOf: page, encoding: .utf8), path: page.path)
    }
  }
}

/// Runs a play and records what goes wrong at the transcript's own line.
func recording(_ name: String, log: () -> String = { "" }, _ play: () throws -> Void) throws {
  do {
    try play()
  } catch let error as TranscriptError {
    let location = SourceLocation(
      fileID: "Transcripts/\(URL(fileURLWithPath: error.path).lastPathComponent)", filePath: error.path,
      line: error.line, column: 1)
    Issue.record("\(name): \(error)\(log())", sourceLocation: location)
  }
}
