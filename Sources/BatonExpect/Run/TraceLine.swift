/// One step of a message on its way, in words.
package struct TraceLine: Sendable {
  /// Milliseconds of the moved clock since the message was sent.
  package let atMilliseconds: Int
  /// The link with its chain.
  package let link: String
  /// What happened there.
  package let words: String
  /// Whether the link failed the message, or rejected it.
  package let isTrouble: Bool

  /// The steps of the walk that was seen. What the server tells of it is completed by what the handlers did.
  static func lines(of seen: Seen, topic: String) -> [TraceLine] {
    var answers = seen.answers
    var now = seen.walk?["key_wait_us"]?.integer ?? 0
    return (seen.walk?["trace"]?.elements ?? []).map { step in
      let link = LinkName(
        chain: step["chain"]?.string ?? "", name: step["handler"]?.string ?? step["mount"]?.string ?? "")
      let (wait, service) = (step["wait_us"]?.integer ?? 0, step["service_us"]?.integer)
      now += wait
      let at = now
      now += service ?? 0
      var answer: Answer?
      if service != nil, let index = answers.firstIndex(where: { $0.link == link }) {
        answer = answers.remove(at: index).answer
      }
      let outcome = step["outcome"]?.string ?? ""
      return TraceLine(
        atMilliseconds: at / 1000, link: link.description, words: words(step, answer, topic: topic),
        isTrouble: !["continue", "handled", ""].contains(outcome))
    }
  }

  private static func words(_ step: JSONValue, _ answer: Answer?, topic: String) -> String {
    if let reason = step["skipped"]?.string { return words(skipped: reason, topic: topic) }
    let payload = answer?.members.first { $0.name == "payload" }.map { ", with \($0.json)" } ?? ""
    let said = step["message"]?.string.map { ": \($0)" } ?? ""
    let wait = (step["wait_us"]?.integer ?? 0) / 1000
    let service = step["service_us"]?.integer.map { $0 / 1000 }
    switch (step["outcome"]?.string ?? "", service) {
    case ("continue", _): return "passed it on\(payload)"
    case ("handled", _): return "handled it\(payload)"
    case ("reject", _): return "rejected it\(said)"
    case ("failed", _): return "failed\(said)"
    case ("timeout", let service?): return "gave no verdict within \(service) ms"
    case ("timeout", nil): return "gave no verdict in time"
    case ("disconnect", let service?): return "lost its connection after \(service) ms"
    case ("disconnect", nil): return "had no handler" + (wait > 0 ? ", and none came within \(wait) ms" : "")
    case ("overload", _): return wait > 0 ? "could not be asked within \(wait) ms" : "had too many messages waiting"
    case ("breaker", _): return "was not asked: its breaker is open"
    case (let other, _): return other + said
    }
  }

  private static func words(skipped reason: String, topic: String) -> String {
    switch reason {
    case "topic": "does not accept \(topic)"
    case "visited": "is a chain in which the message had been"
    case "limit": "was not entered: the message had been in too many chains"
    case "shadow": "only gets copies"
    case "removed": "was removed while the message waited there"
    case "empty": "has no handler, and is not required"
    default: "was passed by: \(reason)"
    }
  }
}
