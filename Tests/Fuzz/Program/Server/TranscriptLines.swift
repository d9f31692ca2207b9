import Foundation
import TranscriptPlayer

/// Everything that peers send in the transcripts.
enum TranscriptLines {
  /// The lines of all files of the folder, in the files' order.
  static func read(folder: String) throws -> [[UInt8]] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".transcript") }
    return try names.sorted().flatMap { name in
      let path = "\(folder)/\(name)"
      let transcript = try Transcript(parsing: String(contentsOfFile: path, encoding: .utf8), path: path)
      return transcript.steps.flatMap { step in
        guard case .peer(_, .sends(let bytes)) = step.action else { return [[UInt8]]() }
        return bytes.split(separator: 0x0A).map(Array.init)
      }
    }
  }
}
