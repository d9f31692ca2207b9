/// A broadcast of the server itself that waits to be published.
struct Announcement {
  let topic: Topic
  /// One JSON object.
  let payload: String
  let audience: Audience
  /// What subscribers can ask of it, if it is a trace.
  var trace: TraceFacts?

  /// Who gets it, of those who listen: nobody learns of chains that it may not see (contract, section 11).
  enum Audience: Equatable {
    case everybody
    /// Those who may see the chain of this name.
    case seeing(String)
    /// Those whom one right lets see every chain, and all others.
    case seeingAll, notSeeingAll
  }

  /// The topics of the server's own broadcasts: the closed set of the contract, section 7.
  enum Topic: String, CaseIterable {
    case linkInserted = "$baton.link.inserted"
    case linkRemoved = "$baton.link.removed"
    case linkReplaced = "$baton.link.replaced"
    case linkMoved = "$baton.link.moved"
    case linkHeld = "$baton.link.held"
    case linkBreaker = "$baton.link.breaker"
    case linkFailed = "$baton.link.failed"
    case messageUnhandled = "$baton.message.unhandled"
    case messageTimeout = "$baton.message.timeout"
    case messageDead = "$baton.message.dead"
    case subscriberMissed = "$baton.subscriber.missed"
    case reloaded = "$baton.reloaded"
    case accessDenied = "$baton.access.denied"
    case trace = "$baton.trace"
    case recordHead = "$baton.record.head"
    case nodeJoined = "$baton.node.joined"
    case nodeLost = "$baton.node.lost"
  }
}
