import Foundation
import FuzzKit
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
        let lines = bytes.split(separator: 0x0A).map(Array.init)
        return transcript.hasStore ? lines.map(declared) : lines
      }
    }
  }

  /// The chains of the fuzzed configuration file that stand for those of transcripts that have a store: it declares no others.
  private static let declaredChains = ["main": "orders", "side": "depot"]
  private static let opsOfChains = ["send", "insert", "dead", "inspect", "remove"]

  /// The same line for a chain that is declared.
  private static func declared(_ line: [UInt8]) -> [UInt8] {
    guard var members = LineMembers(line), let op = members.op, opsOfChains.contains(op) else { return line }
    let named = members.value(of: "chain").map { LineMembers.text($0) ?? "" }
    // `dead` takes either a chain or a name.
    guard let chain = declaredChains[named ?? "main"], members.value(of: "stored") == nil else { return line }
    members.set("chain", to: "\"\(chain)\"")
    return members.line
  }
}
