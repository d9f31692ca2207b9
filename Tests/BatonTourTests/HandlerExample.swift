/// A handler that a page shows under a heading of its own: a block that makes it, and a block that sends it a
/// message, with what is printed then.
struct HandlerExample {
  /// The headings of all of them.
  static let headings = ["A handler in the shell"]

  /// What makes the handler, as it is pasted into a shell.
  let handler: String
  /// What sends the message.
  let message: String
  /// What that prints.
  let printed: [String]

  /// Takes the example from a page. Throws if it is not there, or has more than five lines.
  init(_ heading: String, of page: String) throws {
    let blocks = Page.blocks(of: page).filter { $0.heading == heading }
    guard blocks.count == 2 else { throw TourError("\"\(heading)\" has \(blocks.count) blocks") }
    let lines = blocks.map { block in block.lines.filter { !$0.hasPrefix("#") } }
    guard (1...5).contains(lines[0].count), lines[1].count == 1 else { throw TourError("\"\(heading)\" is too long") }
    handler = lines[0].joined(separator: "\n")
    message = lines[1][0]
    printed = blocks[1].lines.filter { $0.hasPrefix("# {") }.map { String($0.dropFirst(2)) }
  }

  /// Whether a block is part of one.
  static func contains(_ block: Page.Block) -> Bool { headings.contains(block.heading) }
}
