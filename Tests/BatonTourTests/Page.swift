import Foundation

/// The pages that a new user reads, and the blocks in them.
enum Page {
  /// A fenced block, without its fences.
  struct Block {
    /// The number of the first line inside, from 1.
    let firstLine: Int
    let language: String
    /// The heading under which it stands.
    let heading: String
    let lines: [String]
  }

  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The text of a file of the package.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: package.appending(path: path), encoding: .utf8)
  }

  static func blocks(of text: String) -> [Block] {
    var blocks: [Block] = []
    var heading = ""
    var open: (line: Int, language: String, lines: [String])?
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if let block = open, line == "```" {
        blocks.append(Block(firstLine: block.line, language: block.language, heading: heading, lines: block.lines))
        open = nil
      } else if open != nil {
        open?.lines.append(line)
      } else if line.hasPrefix("```") {
        open = (index + 2, String(line.dropFirst(3)), [])
      } else if line.hasPrefix("## ") {
        heading = String(line.dropFirst(3))
      }
    }
    return blocks
  }
}
