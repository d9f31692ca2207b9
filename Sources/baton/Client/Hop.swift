import BatonCore

/// One step of a walk, as the server's traces tell it (contract, section 8, `Trace`).
struct Hop: Decodable {
  let chain: String
  let handler: String?
  let mount: String?
  let outcome: String?
  let skipped: String?
  let waitMicroseconds: Int?
  let serviceMicroseconds: Int?
  let rewrote: Bool?
  let again: Bool?
  /// Whether other links of a stage were asked at once.
  let together: Bool?
  /// Whether it stands for a mounted chain that one may not see.
  let hidden: Bool?
  /// What the handler said when it failed or rejected the message.
  let message: String?

  enum CodingKeys: String, CodingKey {
    case chain, handler, mount, outcome, skipped, rewrote, again, together, hidden, message
    case waitMicroseconds = "wait_us"
    case serviceMicroseconds = "service_us"
  }

  var name: String { handler ?? mount ?? "" }

  /// The link with its chain: `main/porter`.
  var place: String { "\(chain)/\(mount == nil ? "" : Glyphs.current.arrow + " ")\(name)" }

  /// What happened there, in one word or two.
  var outcomeWords: String {
    if outcome == "disconnect", serviceMicroseconds == nil { return "disconnect (absent)" }
    return outcome ?? (hidden == true ? "hidden" : skipped.map { "skipped: \($0)" } ?? "")
  }

  /// Whether the link failed the message.
  var isFailure: Bool {
    switch outcome {
    case "timeout", "disconnect", "failed", "overload", "breaker": true
    default: false
    }
  }

  /// The link with its chain, and what happened there.
  func sentence(topic: String) -> String { "\(place) \(words(topic: topic))" }

  /// What happened there, in words that follow the link's name.
  private func words(topic: String) -> String {
    if hidden == true { return "was entered, and you may not see its links" }
    var words = StepWords(outcome: outcome, skipped: skipped)
    words.rewrote = rewrote == true
    words.took = serviceMicroseconds.map { Figures.microseconds($0) }
    // A millisecond is no wait that matters to a person.
    words.waited = waitMicroseconds.flatMap { $0 >= 1000 ? Figures.microseconds($0) : nil }
    words.said = message
    return words.text(topic: topic)
  }
}
