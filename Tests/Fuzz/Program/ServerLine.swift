import FuzzKit

/// What the fuzzer needs to know of a line of the server: its first members, which the server always spells in the same
/// way.
struct ServerLine {
  let op: String
  /// As spelled; empty if there is none.
  let id: String
  /// Of an `error`; empty otherwise.
  let code: String
  /// Whether it is the reply to a `reload`, which comes once the file, or the text to check, has been read.
  let isReload: Bool

  init?(_ line: [UInt8]) {
    guard let members = LineMembers(line, atMost: 3), let op = members.op else { return nil }
    self.op = op
    id = members.value(of: "id").map { String(decoding: $0, as: UTF8.self) } ?? ""
    code = op == "error" ? members.value(of: "code").flatMap(LineMembers.text) ?? "" : ""
    isReload = op == "ok" && members.value(of: "changed") != nil || code == "bad_config"
  }

  /// Errors that say that the reader refused a line.
  private static let formCodes: Set<String> = [
    "bad_json", "too_deep", "missing_member", "bad_member", "unknown_member", "duplicate_member", "unknown_op",
    "bad_topic", "bad_pattern", "bad_name", "line_too_long",
  ]
  /// Errors with which the server ends a connection.
  private static let closingCodes: Set<String> = [
    "line_too_long", "line_timeout", "too_many_errors", "too_slow", "idle", "auth_failed", "auth_required",
  ]

  /// How an `id` begins that tells the answers to a `LateLine`.
  static let lateID = "\"late "
  var isLate: Bool { id.hasPrefix(Self.lateID) }

  var isAboutForm: Bool { Self.formCodes.contains(code) }
  var isClosing: Bool { Self.closingCodes.contains(code) }
  /// Whether it is one of the lines of which every request gets exactly one. A `result` comes later.
  var isReply: Bool { Self.replies.contains(op) }

  private static let replies: Set<String> = [
    "ok", "welcome", "pong", "help", "chains", "explained", "walks", "findings", "accepted", "stored", "dead",
  ]
}
