import BatonClient
import BatonCore

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
    var words: String { "\(chain)/\(by) \(StepWords.listed(cause, said: message))" }
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

  /// One line: which link decided, and why. The console has the same words (`why.js`).
  var reason: String {
    if hops == nil, hidden == true { return "it went through a mount, and only who may see all chains is told more" }
    switch status {
    case "timeout", "cancelled": return lastWords ?? waitWords
    case "failed": return lastWords ?? saidWords
    case "unhandled": return failureWords ?? unhandledWords
    case "handled": return failureWords.map { "\($0); then \(by ?? "another link") handled it" } ?? saidWords
    case "published": return failureWords.map { "\($0); then it was published" } ?? saidWords
    default: return saidWords
    }
  }

  /// What happened at the link where the walk ended, if its step was recorded.
  private var lastWords: String? {
    guard let by, let last = trace?.last, last.name == by, last.isFailure || last.outcome == "cancelled" else {
      return nil
    }
    return last.sentence(topic: "")
  }

  private var waitWords: String { "waiting for " + (by ?? (keyWaitMicroseconds == nil ? "its turn" : "its key")) }

  /// What the result says.
  private var saidWords: String {
    let words = [cause, message, code.map { "code \($0.text)" }].compactMap(\.self)
    return [by, words.isEmpty ? nil : words.joined(separator: ", ")].compactMap(\.self).joined(separator: ": ")
  }

  /// The first failure that the message passed, and how many more; nil if there was none.
  private var failureWords: String? {
    let steps = (trace ?? []).filter(\.isFailure).map { $0.sentence(topic: "") }
    let all = steps.isEmpty ? (failures ?? []).map(\.words) : steps
    guard let first = all.first else { return nil }
    return first + (all.count > 1 ? ", and \(counted(all.count - 1, "more failure", "more failures"))" : "")
  }

  /// Why no link took it, though none failed it.
  private var unhandledWords: String {
    if let empty = trace?.first(where: { $0.skipped == "empty" }) { return empty.sentence(topic: "") }
    if hops ?? 0 > 0 { return "no link took it" }
    return version == nil && (trace ?? []).isEmpty ? "there was no link to ask" : "no link accepts its topic"
  }
}
