import Foundation
import Testing
import TranscriptPlayer

/// Plays every transcript, of the folder and of the page, against the core and against the program.
@Suite struct TranscriptTests {
  /// With this in the environment, lines that differ are written into the files as the core gave them, for an author
  /// who then reads the difference. Wildcards are lost on the lines that it touches.
  private static let rewrites = ProcessInfo.processInfo.environment["TRANSCRIPTS_REWRITE"] != nil

  @Test(arguments: TranscriptFiles.cases + TranscriptFiles.blocks, [1, 7, 1 << 30])
  func core(_ play: TranscriptCase, grain: Int) throws {
    try recording("core, \(grain) bytes at a time") {
      let transcript = play.transcript
      let stage = try CoreStage(settings: transcript.settings, guards: transcript.guards, grain: grain)
      var player = Player(transcript, on: stage, rewrites: Self.rewrites)
      try player.play()
      if !player.corrections.isEmpty { try rewrite(transcript.path, player.corrections) }
    }
  }

  @Test(arguments: TranscriptFiles.cases + TranscriptFiles.blocks)
  func program(_ play: TranscriptCase) throws {
    let transcript = play.transcript
    let stage = try ProgramStage(
      program: TranscriptFiles.program, settings: transcript.settings, guards: transcript.guards)
    try recording("program", log: { "\n\(stage.log)" }) {
      var player = Player(transcript, on: stage)
      try player.play()
    }
  }

  private func rewrite(_ path: String, _ corrections: [Int: String]) throws {
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (line, text) in corrections { lines[line - 1] = text[...] }
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }
}
