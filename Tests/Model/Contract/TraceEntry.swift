/// What happened to a walk at one link (contract, section 8, `trace`).
struct TraceEntry {
  enum What {
    /// A verdict or a cause ended an offer.
    case offered(Offer, outcome: String, service: Int, rewrote: Bool, message: String?)
    /// The link failed the message after this many milliseconds, without an offer.
    case failed(Cause, waited: Int, isDoubtful: Bool)
    /// The message was cancelled after it had waited there for this many milliseconds.
    case cancelled(waited: Int, isDoubtful: Bool)
    /// The message passed it, and why.
    case skipped(String)
    /// The message had waited there until the link was removed or no longer accepted it.
    case left(String)
  }

  let chain: String
  /// The link's name at that time.
  let name: String
  let isMount: Bool
  /// Whether others were asked at once.
  let isTogether: Bool
  let what: What
  /// When its message was sent, if that is traced beyond the server.
  var sent: Int?
  /// What the sender sees in place of it; nil if it may see it.
  var veil: String?

  /// Whether the message was not for the link: only a trace that its sender has asked for tells that.
  var isUnwanted: Bool {
    switch what {
    case .skipped("topic"), .skipped("percent"), .skipped("when"): true
    default: false
    }
  }

  /// The entry as the line tells it; times are in microseconds there.
  var json: String {
    var line = Line()
    line.add("chain", chain)
    line.add(isMount ? "mount" : "handler", name)
    switch what {
    case .offered(let offer, let outcome, let service, let rewrote, let message):
      line.add("outcome", outcome)
      line.add("wait_us", offer.waited * 1000)
      line.add("service_us", service * 1000)
      if let sent {
        line.add("span", json: Line.anyText)
        line.add("offered_us", (offer.made - sent) * 1000)
      }
      line.add("rewrote", ifTrue: rewrote)
      line.add("message", json: message)
      line.add("again", ifTrue: offer.isRepeat)
      if offer.isDoubtful { line.add("when", "unknown") }
    case .failed(let cause, let waited, let isDoubtful):
      line.add("outcome", cause.rawValue)
      line.add("wait_us", waited * 1000)
      if isDoubtful { line.add("when", "unknown") }
    case .cancelled(let waited, let isDoubtful):
      line.add("outcome", "cancelled")
      line.add("wait_us", waited * 1000)
      if isDoubtful { line.add("when", "unknown") }
    case .skipped(let reason), .left(let reason): line.add("skipped", reason)
    }
    line.add("together", ifTrue: isTogether)
    return line.whole
  }
}
