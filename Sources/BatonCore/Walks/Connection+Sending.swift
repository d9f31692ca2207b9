extension Connection {
  /// The messages of a connection that are under way: those among them that somebody looks for.
  struct Sending {
    /// Its messages with an `id` that are under way, the oldest first: `cancel` looks through them.
    var firstNamed = Slot<Walk>.nobody
    var lastNamed = Slot<Walk>.nobody
    /// Its messages that wait on their way for its next turn.
    var firstParked = Slot<Walk>.nobody
    var lastParked = Slot<Walk>.nobody
    /// What of it waits at links: the latest row first.
    var firstWaitingRow = Slot<WaitingRow>.nobody
  }
}
