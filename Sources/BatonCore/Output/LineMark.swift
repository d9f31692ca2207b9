/// What a line is to who has asked, beside the line: a door of HTTP need not read what the server has written.
package enum LineMark: Equatable, Sendable {
  /// It answers nothing: an event, a notice, a ping.
  case other
  /// The peer is let in.
  case welcome
  case pong
  case ok
  /// The message is stored. Its result comes later.
  case accepted
  /// What was asked about: chains, walks, findings, stored messages.
  case told
  case result(Outcome.Status)
  /// The result of a message that is a dead letter now.
  case dead(Outcome.Status)
  case error(ErrorCode, retryMilliseconds: Int? = nil)
}

/// The lines with marks that wait to be written to a door of HTTP. The one request, or the one greeting, for which they are
/// kept brings few. What is written costs nothing for it: a line ends with its LF, which is looked for when it is shown.
struct MarkedLines {
  /// Where each line begins, as a number of bytes that were written to the connection before, and what it is: nil if its
  /// last part has not come.
  private var lines: [(start: Int, mark: LineMark?)] = []
  /// The bytes that were taken.
  private var taken = 0
  /// Where the first line ends, once that was found.
  private var end: Int?
  /// Whether what comes behind them has no marks.
  private(set) var areEnough = false

  var isEmpty: Bool { lines.isEmpty }

  /// A line, or the next part of one, begins behind so many bytes. A part that is not the last one has no mark.
  mutating func begin(_ mark: LineMark?, behind unsent: Int, isLast: Bool) {
    if let last = lines.last, last.mark == nil {
      lines[lines.count - 1].mark = mark
    } else {
      lines.append((taken + unsent, mark))
    }
    areEnough = mark != nil && isLast
  }

  /// The bytes of lines without marks before the first line; `.max` if that is the first to come, or none is there.
  var bytesBefore: Int {
    guard let first = lines.first, first.start > taken else { return .max }
    return first.start - taken
  }

  /// Cuts the pieces of what is unsent, at most `bytesBefore`, behind one line. Returns how many pieces and bytes are left, and
  /// what they are: nil for a part of a line that is not its last.
  mutating func cut(
    _ pieces: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, bytes: Int
  ) -> (used: Int, bytes: Int, mark: LineMark?) {
    guard let first = lines.first, first.start <= taken else { return (pieces.count, bytes, .other) }
    guard let mark = first.mark else { return (pieces.count, bytes, nil) }
    var passed = 0
    for (number, piece) in pieces.enumerated() {
      if let found = piece.lineFeed {
        pieces[number] = piece.part(0, found + 1)
        end = taken + passed + found + 1
        return (number + 1, passed + found + 1, mark)
      }
      passed += piece.count
    }
    return (pieces.count, bytes, nil)
  }

  /// So many bytes are taken.
  mutating func drop(_ bytes: Int) {
    taken += bytes
    guard let end, taken >= end else { return }
    lines.removeFirst()
    self.end = nil
  }
}
