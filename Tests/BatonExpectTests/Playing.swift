import Foundation

@testable import BatonConfig
@testable import BatonExpect

/// A file of expectations, with the configuration in it.
func file(_ text: String) throws -> ExpectationFile {
  try ExpectationFile.read(Array(text.utf8), path: "expect.yaml")
}

/// What comes of the cases of a file.
func play(_ text: String) throws -> [CaseOutcome] { try Rehearsal(file(text)).run() }

/// What is different from what is expected, a line for each: `2: result.by words model`, with the number of the case.
func differences(_ outcomes: [CaseOutcome]) -> [String] {
  outcomes.enumerated().flatMap { at, outcome in
    outcome.differences.map { "\(at + 1): \($0.what) | \($0.expected) | \($0.found)" }
  }
}

/// What is wrong with a file, one mistake a line: `3:5 words`.
func mistakes(_ text: String) -> [String] {
  do throws(ConfigMistakes) {
    _ = try ExpectationFile.read(Array(text.utf8), path: "expect.yaml")
    return []
  } catch {
    return error.all.map { "\($0.place.map { "\($0) " } ?? "")\($0.message)" }
  }
}

/// The package's folder.
let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
