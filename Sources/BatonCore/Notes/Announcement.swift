/// A broadcast of the server's own that waits to be published.
struct Announcement {
  let topic: Topic
  /// JSON.
  let payload: String

  /// What the server tells of itself: the closed set of the contract's section 7.
  enum Topic: String, CaseIterable {
    case linkInserted = "$baton.link.inserted"
    case linkRemoved = "$baton.link.removed"
    case linkReplaced = "$baton.link.replaced"
    case linkHeld = "$baton.link.held"
    case linkBreaker = "$baton.link.breaker"
    case messageUnhandled = "$baton.message.unhandled"
    case messageTimeout = "$baton.message.timeout"
    case subscriberMissed = "$baton.subscriber.missed"
    case trace = "$baton.trace"
  }
}
