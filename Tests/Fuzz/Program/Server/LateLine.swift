import FuzzKit

/// A line whose answers wait for the disk, or for a read of the store, and what the server has said of it.
///
/// These answers come in their own time, not before the next pong. So the line has an `id` that no other line of its peer
/// has, and all its answers have it: the server's `error` has it, too, if the line is valid JSON with one `id`.
struct LateLine {
  let line: [UInt8]
  let kind: String
  /// The ops that may come, one after the other, if no error does. None of them but the first has to come.
  private let due: [String]
  /// The ops that have come.
  private var ops: [String] = []
  private(set) var fate: Exchange.Fate?
  /// The name that the server has given to the message.
  private var stored: [UInt8]?

  /// Nil if the answers to such a line come at once.
  init?(_ line: [UInt8]) {
    guard let members = LineMembers(line), let kind = members.kind, let due = Self.due(kind, members) else {
      return nil
    }
    (self.line, self.kind) = (line, kind)
    self.due = members.says("reply", "false") ? [] : due
  }

  private static func due(_ kind: String, _ members: LineMembers) -> [String]? {
    switch kind {
    case LineMembers.durableSend: members.says("durable", "true") ? ["accepted", "result"] : ["result"]
    case LineMembers.retainingBroadcast: members.value(of: "via") == nil ? ["ok"] : ["result"]
    case "stored", "dead": [kind]
    case "resend", "discard": ["ok"]
    default: nil
    }
  }

  /// The same line with this `id`, in place of the first one that it has; as it is if it is no valid JSON: then its error
  /// comes at once.
  static func marked(_ line: [UInt8], _ id: String) -> [UInt8] {
    guard ReferenceReader.read(line) != nil, var members = LineMembers(line) else { return line }
    members.set("id", to: id)
    return members.line
  }

  /// Whether something has to come that has not.
  var isOwed: Bool { ops.isEmpty && !due.isEmpty }

  /// Takes an answer in, and tells what is wrong with it.
  mutating func take(_ answer: ServerLine, _ bytes: [UInt8]) -> String? {
    ops.append(answer.op)
    let isError = answer.op == "error"
    if fate == nil { fate = isError ? answer.isAboutForm ? .malformed : .declined : .accepted }
    guard isError ? ops.count == 1 : due.starts(with: ops) else { return "the answers are \(ops)" }
    let name = LineMembers(bytes)?.value(of: "stored")
    if answer.op == "result", let stored, stored != name { return "the result is of another message" }
    if answer.op == "accepted" { stored = name }
    return nil
  }

  /// Which of the goals the answer reaches.
  func goal(of answer: ServerLine, _ bytes: [UInt8]) -> String? {
    switch answer.op {
    case "accepted": LineMembers(bytes)?.says("known", "true") == true ? Self.known : nil
    case "result" where due.count == 2: LineMembers(bytes)?.says("dead", "true") == true ? Self.deadResult : Self.result
    case "error": Self.codes.contains(answer.code) ? answer.code : nil
    default: nil
    }
  }

  /// The name of the message, if this is its result and it is no dead letter: then there is no such message any more.
  func ended(with answer: ServerLine, _ bytes: [UInt8]) -> [UInt8]? {
    goal(of: answer, bytes) == Self.result ? stored : nil
  }

  private static let known = "accepted, known"
  private static let result = "result of a durable message"
  private static let deadResult = "result of a dead letter"
  private static let codes = ["store_full", "once_mismatch", "not_declared", "no_such_message"]
  /// What has to be reached in every run.
  static let goals = [known, result, deadResult] + codes
}

extension LineMembers {
  /// Whether the member is this literal.
  func says(_ name: String, _ literal: String) -> Bool {
    value(of: name).map { $0.elementsEqual(literal.utf8) } ?? false
  }
}
