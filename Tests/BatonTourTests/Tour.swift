import Foundation

/// The tour with netcat: what is done in which terminal, in order, and what is printed there.
///
/// It stands in the blocks that begin with `# terminal 1` or a similar line. A line that begins with `{` is typed. A
/// line that begins with `# {` is printed. Any other line is a command of the shell. `Ctrl-C` after a terminal's number
/// is pressed.
struct Tour {
  /// One line of the page.
  struct Step {
    /// The line's number, from 1.
    let line: Int
    let terminal: Int
    let action: Action
  }

  /// What a step is.
  enum Action: Equatable {
    case command(String)
    case types(String)
    case prints(String)
    case interrupts
  }

  let steps: [Step]

  /// Takes the tour from the text of a page. Throws if one of its blocks holds something else.
  init(page: String) throws {
    var steps: [Step] = []
    for block in Page.blocks(of: page) where Tour.contains(block) {
      var terminal = 0
      for (offset, text) in block.lines.enumerated() where !text.isEmpty {
        let line = block.firstLine + offset
        if let head = text.firstMatch(of: /# terminal ([1-9])(?:: (.+))?/), head.range.upperBound == text.endIndex {
          terminal = Int(head.1) ?? 0
          guard let says = head.2, says.contains("Ctrl-C") else { continue }
          steps.append(Step(line: line, terminal: terminal, action: .interrupts))
        } else if text.hasPrefix("# {") {
          steps.append(Step(line: line, terminal: terminal, action: .prints(String(text.dropFirst(2)))))
        } else if text.hasPrefix("#") {
          throw TourError("line \(line) of the tour is neither a terminal nor printed: \(text)")
        } else {
          let action = text.hasPrefix("{") ? Action.types(text) : .command(text)
          steps.append(Step(line: line, terminal: terminal, action: action))
        }
      }
    }
    self.steps = steps
  }

  /// Whether a block is part of the tour.
  static func contains(_ block: Page.Block) -> Bool {
    block.lines.first?.hasPrefix("# terminal") == true
  }

  /// Whether a printed line is the one shown. The remaining time of an offer is shorter after a person has typed. It
  /// may be less than what is shown, by as much as the test may take, but never more.
  static func isSame(_ printed: String, asShown shown: String) -> Bool {
    let time = /"timeout_ms":(\d+)/
    guard let found = printed.firstMatch(of: time), let wanted = shown.firstMatch(of: time),
      let left = Int(found.1), let most = Int(wanted.1)
    else { return printed == shown }
    let same = printed.replacing(time, with: "") == shown.replacing(time, with: "")
    return same && (most - 100_000...most).contains(left)
  }
}

/// What went wrong with the tour.
struct TourError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
