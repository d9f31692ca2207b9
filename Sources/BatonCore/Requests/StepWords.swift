/// What happened to a message at one link, in words for people: the same in all commands, in reports of `baton expect` and, by
/// `Sources/CConsole/files/why.js`, in the console. The texts stand in the contract's table.
package struct StepWords {
  /// How it ended there, and why it passed the link without an offer, as a trace has them.
  package var outcome, skipped: String?
  /// Whether the handler gave another payload.
  package var rewrote = false
  /// How long the handler had it; nil if there was no offer.
  package var took: String?
  /// How long the message waited there; nil if that was too short to matter.
  package var waited: String?
  /// What the handler said when it failed or rejected the message.
  package var said: String?

  package init(outcome: String?, skipped: String? = nil) {
    self.outcome = outcome
    self.skipped = skipped
  }

  /// Words that follow the link's name.
  package func text(topic: String) -> String {
    if let skipped { return fill(SeenWords.skips[skipped] ?? "was passed: \(skipped)", topic: topic) }
    let words = SeenWords.steps[outcome ?? ""] ?? [:]
    let asked = rewrote ? words["rewrote"] ?? words["asked"] : words["asked"]
    let unasked = waited.flatMap { _ in words["waited"] } ?? words["unasked"]
    let text = (took == nil ? unasked ?? asked : asked ?? unasked) ?? outcome ?? ""
    return fill(text, topic: topic) + (said.map { ": \($0)" } ?? "")
  }

  private func fill(_ text: String, topic: String) -> String {
    let times = text.replacing("{took}", with: took ?? "").replacing("{waited}", with: waited ?? "")
    return times.replacing("{topic}", with: topic)
  }

  /// The same for a failure in a result, which does not tell whether there was an offer.
  package static func listed(_ cause: String, said: String?) -> String {
    let words = SeenWords.steps[cause] ?? [:]
    let text = words["listed"] ?? words["unasked"] ?? words["asked"] ?? cause
    return text + (said.map { ": \($0)" } ?? "")
  }

  /// What a reason of `explain` means; the reason itself if this version does not know it.
  package static func meaning(of reason: String) -> String { SeenWords.reasons[reason] ?? reason }
}
