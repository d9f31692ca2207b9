/// The router's door: everything that goes in and comes out.
extension Router {
  // MARK: In

  /// A peer has connected. The identifier holds until `closed`.
  public mutating func opened(at now: Instant) -> ConnectionID {
    carryOutDue(at: now)
    connectionNumber += 1
    let index = connections.insert(Connection(number: connectionNumber, at: now))
    if drainDeadline != nil {
      sever(index, .draining, says: "the server is shutting down; use another server, or try again later", at: now)
    } else if connections.count > settings.maxConnections {
      sever(
        index, .tooManyConnections,
        says: "the server holds \(settings.maxConnections) connections and accepts no more; raise max_connections",
        at: now)
    }
    markChanged(index)
    finish(at: now)
    let ref = connections.ref(index)
    return ConnectionID(index: ref.index, generation: ref.generation)
  }

  /// The peer sent `bytes`; they are read during the call only.
  public mutating func received(_ bytes: UnsafeRawBufferPointer, from id: ConnectionID, at now: Instant) {
    guard let connection = place(of: id) else { return }
    carryOutDue(at: now)
    receive(bytes, from: connection, at: now)
    finish(at: now)
  }

  /// The peer shut down its writing side.
  public mutating func ended(_ id: ConnectionID, at now: Instant) {
    guard let connection = place(of: id) else { return }
    carryOutDue(at: now)
    if connections[connection].backlog.isEmpty {
      halfClose(connection, at: now)
    } else {
      connections[connection].hasEnded = true
    }
    finish(at: now)
  }

  /// The connection is gone, by whomever. Must be called exactly once for each `opened`, also after a wish to close.
  public mutating func closed(_ id: ConnectionID, at now: Instant) {
    guard let connection = place(of: id) else { return }
    carryOutDue(at: now)
    forget(connection, at: now)
    finish(at: now)
  }

  /// The kernel has taken the first `count` bytes of what was unsent, and no more for now; their memory is given back.
  public mutating func wrote(_ count: Int, to id: ConnectionID, at now: Instant) {
    guard let connection = place(of: id) else { return }
    let before = connections[connection].outbox.count
    connections[connection].outbox.consume(count, into: &pool)
    guard count > 0 else { return }
    unsentBytes -= count
    relieved(connection, before: before, at: now)
    finish(at: now)
  }

  /// The server is to go: refuse new messages, finish what is under way, then wish every connection closed.
  public mutating func drain(at now: Instant) {
    carryOutDue(at: now)
    beginDraining(at: now)
    finish(at: now)
  }

  /// Carries out what is due. To be called at `wakeAt` or later, never needed earlier.
  public mutating func wake(at now: Instant) {
    carryOutDue(at: now)
    finish(at: now)
  }

  // MARK: Out

  /// A connection whose unsent bytes or wish have changed since it was last returned from here, or nil when none is
  /// left. A connection is named once, however much has changed.
  public mutating func nextChanged() -> ConnectionID? {
    while let index = changed.popLast() {
      guard connections.isTaken(index), connections[index].isChanged else { continue }
      connections[index].isChanged = false
      return ConnectionID(index: index, generation: connections.ref(index).generation)
    }
    return nil
  }

  /// What is to be done with the connection.
  public mutating func wish(for id: ConnectionID) -> Wish {
    guard let index = place(of: id) else { return Wish(reading: false, ending: .close, reason: nil) }
    return Wish(
      reading: connections[index].isToBeRead && connections[index].backlog.isEmpty,
      ending: connections[index].ending, reason: connections[index].reason)
  }

  /// Bytes that wait to be written to the connection.
  public mutating func unsentCount(of id: ConnectionID) -> Int {
    guard let index = place(of: id) else { return 0 }
    return connections[index].outbox.count
  }

  /// Fills `buffers` with the first unsent bytes in order, and returns how many of its places it used. The memory
  /// stays where it is until `wrote` or `closed` is called; more may be appended meanwhile.
  public mutating func unsent(
    of id: ConnectionID, into buffers: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>
  ) -> Int {
    guard let index = place(of: id) else { return 0 }
    return connections[index].outbox.unsent(into: buffers)
  }

  /// When `wake` is to be called next, or nil while nothing is due ever.
  public var wakeAt: Instant? { mutating get { timers.wakeAt } }

  /// What a connection is called by others, for the log.
  public mutating func name(of id: ConnectionID) -> String {
    guard let index = place(of: id) else { return "?" }
    return connections[index].from.bytes.part(1, connections[index].from.count - 1).string
  }

  /// What is in the router's tables. All are 0 once every connection is closed.
  package var census: [(name: String, count: Int)] {
    return [
      ("connections", connections.count), ("unsent bytes", unsentBytes), ("unfinished bytes", unfinishedBytes),
      ("chains", chains.count), ("links", links.count), ("counted links", countedLinks), ("replicas", replicas.count),
      ("patterns", subjects.count),
      ("lists", lists.count), ("list bytes", listBytes), ("walks", walks.count), ("offers", offers.count),
      ("copies", copies.count), ("traces", traces.count), ("keys", keyQueues.count), ("key names", keyNames.count),
      ("empty places", emptyPlaces),
      ("open bytes", openBytes), ("subscriptions", subscriptions.count), ("timers", timers.count),
      ("chain names", chainNames.count), ("link names", linkNames.count), ("topics", listTopics.count),
      ("subscription patterns", subscriptionPatterns.count),
    ]
  }

  /// How many places each of the larger tables has: what its fullest moment needed, since places are used again.
  package var extents: [(name: String, count: Int)] {
    [
      ("connections", Int(connections.extent)), ("chains", Int(chains.extent)), ("links", Int(links.extent)),
      ("replicas", Int(replicas.extent)), ("lists", Int(lists.extent)), ("walks", Int(walks.extent)),
      ("offers", Int(offers.extent)), ("copies", Int(copies.extent)), ("keys", Int(keyQueues.extent)),
      ("subscriptions", Int(subscriptions.extent)),
    ]
  }

  /// What every call ends with.
  private mutating func finish(at now: Instant) {
    if unsentBytes > settings.maxTotalUnsentBytes { closeFurthestBehind(at: now) }
    publishAnnouncements(at: now)
    if !backlogged.isEmpty || !crowdedOut.isEmpty { takeBacklogs(at: now) }
    if drainDeadline != nil { closeIfDrained(at: now) }
  }

  @inline(__always)
  private mutating func place(of id: ConnectionID) -> UInt32? {
    let ref = Ref<Connection>(index: id.index, generation: id.generation)
    return connections.contains(ref) ? id.index : nil
  }
}
