import Foundation
import Testing
import TranscriptPlayer

/// Plays every transcript, of the folder and of the page, against the core and against the program.
@Suite struct TranscriptTests {
  /// With this in the environment, lines that differ are written into the files as the core gave them. The author then
  /// reads the difference. Lines that it writes again lose their wildcards.
  private static let rewrites = ProcessInfo.processInfo.environment["TRANSCRIPTS_REWRITE"] != nil

  /// With this in the environment, what peers and server said goes into a file of this folder for each transcript. It is
  /// compared with the schemas of lines (`Tests/Schemas`).
  private static let dialogues = ProcessInfo.processInfo.environment["TRANSCRIPTS_DIALOGUES"]

  /// What the simulated network does to the bytes, and the clock to the times.
  enum Conditions: String, CaseIterable, CustomTestStringConvertible {
    case whole, inSevens, byteByByte, whileTimeCreeps

    var testDescription: String { rawValue }
    var grain: Int {
      switch self {
      case .whole, .whileTimeCreeps: 1 << 30
      case .inSevens: 7
      case .byteByByte: 1
      }
    }
    var creep: Int64 { self == .whileTimeCreeps ? 333 : 0 }

    /// All of them, or those that the environment names, with commas between them.
    static let chosen = ProcessInfo.processInfo.environment["TRANSCRIPTS_CONDITIONS"].map { words in
      words.split(separator: ",").compactMap { Conditions(rawValue: String($0)) }
    }
  }

  @Test(arguments: TranscriptFiles.cases + TranscriptFiles.blocks, Conditions.chosen ?? Conditions.allCases)
  func core(_ play: TranscriptCase, under conditions: Conditions) throws {
    try recording("core, \(conditions)") {
      let transcript = play.transcript
      let stage = try CoreStage(transcript, grain: conditions.grain, creep: conditions.creep)
      stage.readText = ServerFile.news(of:)
      var player = Player(transcript, on: stage, rewrites: Self.rewrites && conditions == .whole)
      try player.play()
      if conditions == .whole { try write(player.dialogue, of: transcript) }
      if !player.corrections.isEmpty { try rewrite(transcript.path, player.corrections) }
    }
  }

  @Test(arguments: (TranscriptFiles.cases + TranscriptFiles.blocks).filter { !$0.transcript.isForTheCore })
  func program(_ play: TranscriptCase) throws {
    let transcript = play.transcript
    let stage = try ProgramStage(transcript)
    try recording("program", log: { "\n\(stage.log)" }) {
      var player = Player(transcript, on: stage)
      try player.play()
    }
  }

  private func write(_ dialogue: [String], of transcript: Transcript) throws {
    guard let folder = Self.dialogues else { return }
    // A page has many of them.
    let name = transcript.path.split(separator: "/").suffix(1).joined() + "-\(transcript.steps.first?.line ?? 0)"
    let text = dialogue.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
    try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
  }

  private func rewrite(_ path: String, _ corrections: [Int: String]) throws {
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (line, text) in corrections { lines[line - 1] = text[...] }
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }
}
