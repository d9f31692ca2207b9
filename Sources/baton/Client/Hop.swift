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
  /// Whether it stands for a mounted chain that one may not see.
  let hidden: Bool?
  /// What the handler said when it failed or rejected the message.
  let message: String?

  enum CodingKeys: String, CodingKey {
    case chain, handler, mount, outcome, skipped, rewrote, again, hidden, message
    case waitMicroseconds = "wait_us"
    case serviceMicroseconds = "service_us"
  }

  var name: String { handler ?? mount ?? "" }

  /// The link with its chain: `main/porter`.
  var place: String { "\(chain)/\(mount == nil ? "" : Glyphs.current.arrow + " ")\(name)" }

  /// What happened there, in one word or two.
  var outcomeWords: String {
    outcome ?? (hidden == true ? "hidden" : skipped.map { "skipped: \($0)" } ?? "")
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
    if let skipped { return Hop.words(skipped: skipped, topic: topic) }
    let service = serviceMicroseconds.map { Figures.microseconds($0) }
    let wait = Figures.microseconds(waitMicroseconds)
    let said = message.map { ": \($0)" } ?? ""
    switch (outcome ?? "", service) {
    case ("continue", _): return rewrote == true ? "passed it on, with another payload" : "passed it on"
    case ("handled", _): return "handled it"
    case ("reject", _): return "rejected it\(said)"
    case ("failed", _): return "failed\(said)"
    case ("timeout", let service?): return "gave no verdict within \(service)"
    case ("timeout", nil): return "gave no verdict in time"
    case ("cancelled", let service?): return "had it for \(service) when it was cancelled"
    case ("cancelled", nil): return "was not asked before it was cancelled"
    case ("disconnect", let service?): return "lost its connection after \(service)"
    case ("disconnect", nil): return "had no handler" + (isLongWait ? ", and none came within \(wait)" : "")
    case ("overload", _):
      return isLongWait ? "could not be asked: the message waited there for \(wait)" : "had too many messages waiting"
    case ("breaker", _): return Hop.breakerWords
    case (let other, _): return other + said
    }
  }

  static let breakerWords = "was not asked: its breaker is open, because its offers timed out"

  /// A millisecond is no wait that matters to a person.
  private var isLongWait: Bool { waitMicroseconds ?? 0 >= 1000 }

  private static func words(skipped reason: String, topic: String) -> String {
    switch reason {
    case "topic": "does not accept \(topic)"
    case "visited": "is a chain in which the message had been"
    case "limit": "was not entered: the message had been in too many chains"
    case "shadow": "only gets copies"
    case "removed": "was removed while the message waited there"
    default: "was passed by: \(reason)"
    }
  }
}
