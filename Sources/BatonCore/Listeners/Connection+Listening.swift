extension Connection {
  /// What a connection listens to, and what of it still has to come.
  struct Listening {
    var firstSubscription = Slot<Subscription>.nobody
    /// The number of its subscriptions.
    var subscriptions: UInt32 = 0
    /// The events that were dropped and that it has not been told about.
    var missed = 0
    /// The latest broadcast that was looked at for it. So an event comes once, even if several patterns match.
    var lastBroadcast = 0
    /// What is kept and is still to be given to it; nil if there is nothing.
    var replay: Replay?
    /// Which traces it gets; nil: every one.
    var traceChoice: TraceChoice?
    /// When an event for it was dropped last, in seconds of the server's uptime, and one more; 0 if none was.
    var missedAt: UInt32 = 0
    /// Why that was.
    var missedFor = EventObstacle.Cause.reader
    /// How many of its patterns match `$baton.trace`, and what stands for it among those who listen to traces.
    var tracePatterns: Int8 = 0
    var traceListener = Slot<TraceListener>.nobody
  }
}
