import BatonClient

/// How a walk ended and what happened on its way, as far as the server tells it: a result, a trace and a kept walk have
/// the same members for this (contract, sections 4 and 8).
struct WalkStory: Decodable {
  let status: String
  let by: String?
  let cause: String?
  let message: String?
  let code: Code?
  /// Nil if no more than the status may be seen.
  let hops: Int?
  /// Whether it went through a mount, and not all of that may be seen.
  let hidden: Bool?
  let key: String?
  /// The chain's version when the walk entered it; nil if it did not, or if nobody recorded it.
  let version: Int?
  let keyWaitMicroseconds: Int?
  /// The steps; nil if none were recorded.
  let trace: [Hop]?
  /// The links that failed the message and were passed by; only results have them.
  let failures: [Failure]?
  let moreFailures: Bool?
  /// Whether there were more steps than are told.
  let truncated: Bool?
  /// Whether steps before the first that is told were not recorded.
  let partial: Bool?

  enum CodingKeys: String, CodingKey {
    case status, by, cause, message, code, hops, hidden, key, version, trace, failures, truncated, partial
    case keyWaitMicroseconds = "key_wait_us"
    case moreFailures = "more_failures"
  }

  /// A link that failed the message, and how.
  struct Failure: Decodable {
    let by: String
    let chain: String
    let cause: String
    let message: String?

    /// The link with its chain, and what happened there. A trace tells it more exactly.
    var words: String {
      let words =
        switch cause {
        case "timeout": "gave no verdict in time"
        case "disconnect": "had no handler, or lost it with the message"
        case "overload": "had no room for it in time"
        case "breaker": Hop.breakerWords
        default: cause
        }
      return "\(chain)/\(by) \(words)" + (message.map { ": \($0)" } ?? "")
    }
  }

  /// The `code` of a rejection: a text or a number.
  struct Code: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      text = try (try? value.decode(Int.self)).map { "\($0)" } ?? value.decode(String.self)
    }
  }

  /// Reads a result; nil if this program does not know its form.
  init?(_ result: SendResult) {
    guard let story = try? result.line.decode(WalkStory.self) else { return nil }
    self = story
  }

  // MARK: Why

  /// One line: by which link the walk ended, and why.
  var reason: String {
    if hops == nil, hidden == true { return "it went through a mount, and only who may see all chains is told more" }
    switch status {
    case "timeout", "cancelled": return "waiting for " + (by ?? (keyWaitMicroseconds == nil ? "its turn" : "its key"))
    case "unhandled":
      let failed = (trace ?? []).filter(\.isFailure)
      guard let first = failed.first else {
        if hops ?? 0 > 0 { return "no link took it" }
        return (trace ?? []).isEmpty ? "there was no link to ask" : "no link accepts its topic"
      }
      let more = failed.count > 1 ? ", and \(counted(failed.count - 1, "more failure", "more failures"))" : ""
      return first.sentence(topic: "") + more
    default:
      let words = [cause, message, code.map { "code \($0.text)" }].compactMap(\.self)
      return [by, words.isEmpty ? nil : words.joined(separator: ", ")].compactMap(\.self).joined(separator: ": ")
    }
  }
}
