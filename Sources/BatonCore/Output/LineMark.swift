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
  case error(ErrorCode)
}

/// The lines that wait to be written to a door of HTTP, and what each of them is. The one request, or the one greeting, for
/// which they are kept brings few.
struct MarkedLines {
  private var lines: [(mark: LineMark, bytes: Int)] = []
  /// The bytes of a line whose last part has not come.
  private var begun = 0
  /// Whether what comes behind them has no marks.
  private(set) var areEnough = false

  var isEmpty: Bool { lines.isEmpty }

  /// The bytes of the first line, and what it is; nil for a part of one.
  var first: (mark: LineMark?, bytes: Int) { lines.first.map { ($0.mark, $0.bytes) } ?? (nil, begun) }

  /// A line, or a part of one, waits behind the others. A part that is not the last one has no mark.
  mutating func append(_ mark: LineMark?, bytes: Int, isLast: Bool) {
    begun += bytes
    guard let mark else { return }
    lines.append((mark, begun))
    begun = 0
    areEnough = isLast
  }

  /// So many bytes are written.
  mutating func drop(_ bytes: Int) {
    var left = bytes
    while let first = lines.first {
      guard left >= first.bytes else { return lines[0].bytes -= left }
      left -= first.bytes
      lines.removeFirst()
    }
    begun -= min(begun, left)
  }
}
