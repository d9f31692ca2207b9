import FuzzKit

/// One line that was sent, and what the server said of it.
///
/// After each line the fuzzer sends a ping of its own. What comes between two of its pongs belongs to the line between
/// the two, unless it is a result, an offer, an event or a notice. So the fuzzer also knows the lines that get no
/// reply. Lines whose answers come in their own time are a `LateLine` besides.
struct Exchange {
  let line: [UInt8]
  /// The `id` that tells its answers, if they come in their own time.
  let lateID: String?
  private(set) var replies = 0
  private(set) var errors: [String] = []
  private(set) var isMalformed = false

  init(line: [UInt8], lateID: String? = nil) {
    self.line = line
    self.lateID = lateID
  }

  /// Takes in a line of the server that came during this exchange.
  mutating func take(_ answer: ServerLine) {
    if answer.op == "error" {
      errors.append(answer.code)
      if answer.isAboutForm { isMalformed = true }
    } else if answer.isReply {
      replies += 1
    }
  }

  /// What became of the line, once the fuzzer's pong has come.
  var fate: Fate {
    if errors.isEmpty { return .accepted }
    return isMalformed ? .malformed : .declined
  }

  enum Fate {
    /// It was carried out.
    case accepted
    /// It was read, and could not be done.
    case declined
    /// The reader refused it.
    case malformed
  }

  /// The line's `op`, if it can be read.
  private var op: String { LineMembers(line)?.op ?? "" }

  /// In which row of the ledger it counts.
  var kind: String { LineMembers(line)?.kind ?? "" }

  /// True if a result, or the reply to a `reload`, is owed for the line.
  var owesResult: Bool { fate == .accepted && asksForResult && wantsReply }

  /// True for a reload that asks for no reply: only an error of its file is told, in its own time.
  var mayGetError: Bool { fate == .accepted && op == "reload" && !wantsReply }

  /// True for a message that walks and for a reload: what comes of it comes in its own time. A message of mode `notify`
  /// has its reply at once.
  private var asksForResult: Bool {
    if op == "reload" { return true }
    if op == "broadcast" { return LineMembers(line)?.value(of: "via") != nil }
    guard op == "send" else { return false }
    return LineMembers(line)?.value(of: "mode").flatMap(LineMembers.text) != "notify"
  }

  /// What is wrong with the answers, if anything: a request gets exactly one reply, a verdict none unless it is wrong.
  var fault: String? {
    guard errors.isEmpty else { return errors.count + replies == 1 ? nil : "\(errors) and \(replies) replies" }
    // The reply to a reload comes once the file was read, among other replies.
    let isQuiet = ["handled", "continue", "reject", "failed", "working", "pong", "reload"].contains(op)
    let due = isQuiet || asksForResult || !wantsReply ? 0 : 1
    return replies == due ? nil : "\(replies) replies instead of \(due)"
  }

  private var wantsReply: Bool {
    LineMembers(line)?.value(of: "reply").map { String(decoding: $0, as: UTF8.self) } != "false"
  }
}
