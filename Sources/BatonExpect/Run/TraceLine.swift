internal import BatonCore

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
      var answer: Answer?
      if service != nil, let index = answers.firstIndex(where: { $0.link == link }) {
        let found = answers.remove(at: index)
        answer = found.answer
        // The time at an empty place that is passed is in no step.
        now = max(now, found.at)
      }
      let at = now
      now += service ?? 0
      let outcome = step["outcome"]?.string ?? ""
      return TraceLine(
        atMilliseconds: at / 1000, link: link.description, words: words(step, answer, topic: topic),
        isTrouble: !["continue", "handled", ""].contains(outcome))
    }
  }

  private static func words(_ step: JSONValue, _ answer: Answer?, topic: String) -> String {
    var words = StepWords(outcome: step["outcome"]?.string, skipped: step["skipped"]?.string)
    words.took = step["service_us"]?.integer.map { "\($0 / 1000) ms" }
    let wait = (step["wait_us"]?.integer ?? 0) / 1000
    words.waited = wait > 0 ? "\(wait) ms" : nil
    words.said = step["message"]?.string
    // The report has the new payload itself.
    let payload = answer?.members.first { $0.name == "payload" }.map { ", with \($0.json)" } ?? ""
    return words.text(topic: topic) + payload
  }
}
