/// Adds and removes the subscriptions of connections (contract, section 7).
extension Router {
  mutating func hasSubscribed(_ connection: Slot<Connection>, to pattern: [UInt8]) -> Bool {
    pattern.withUnsafeBytes { subscriptions.find($0, of: connection) != nil }
  }

  mutating func addSubscription(_ pattern: [UInt8], of connection: Slot<Connection>) {
    pattern.withUnsafeBytes { bytes in
      subscriptions.insert(bytes, of: connection, before: &connections[connection].listening.firstSubscription)
      connections[connection].listening.subscriptions += 1
      countPatterns(Pattern.weight(of: bytes), of: connection)
      spent &+= Cost.pattern(bytes.count)
      if Words.isServers(bytes) {
        updateHeard()
        if TraceFacts.areHeard(by: bytes) { countTracePatterns(1, of: connection) }
      }
    }
  }

  /// Removes the subscription with exactly this pattern, if there is one.
  mutating func removeSubscription(_ pattern: [UInt8], of connection: Slot<Connection>) {
    let found = pattern.withUnsafeBytes { subscriptions.find($0, of: connection) }
    if let found { dropSubscription(found, of: connection) }
  }

  /// Removes some of the connection's subscriptions. Returns true if more are left.
  mutating func removeSubscriptions(of connection: Slot<Connection>) -> Bool {
    for _ in 0..<settings.pieces.size {
      if connections[connection].listening.firstSubscription == .nobody { return false }
      dropSubscription(connections[connection].listening.firstSubscription, of: connection)
      spent &+= Cost.step
    }
    return connections[connection].listening.firstSubscription != .nobody
  }

  mutating func dropSubscription(_ subscription: Slot<Subscription>, of connection: Slot<Connection>) {
    if connections[connection].listening.replay != nil { endReplay(ofSubscription: subscription, to: connection) }
    let (weight, isServers, isForTraces) = subscriptions.remove(
      subscription, first: &connections[connection].listening.firstSubscription)
    connections[connection].listening.subscriptions -= 1
    countPatterns(-weight, of: connection)
    spent &+= Cost.list
    if isServers { updateHeard() }
    if isForTraces { countTracePatterns(-1, of: connection) }
  }

  /// A pattern for the server's own topics was added or removed. Computes here which of these topics have subscribers,
  /// so that the places that could announce something need not look it up.
  private mutating func updateHeard() {
    announcements.hearsNothing()
    for topic in Announcement.Topic.allCases {
      let name = OwnedBytes(topic.rawValue)
      subscriptions.match(name.bytes, atMost: 0)
      if !subscriptions.found.isEmpty { announcements.hears(topic) }
      extendLifetime(name)
    }
  }
}
