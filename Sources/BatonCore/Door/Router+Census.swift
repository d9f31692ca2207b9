/// Counts of the router's tables, for tests and the simulator.
extension Router {
  /// The number of entries in each of the router's tables, and the bytes that it counts. All are 0 when every
  /// connection is closed and no place is kept.
  package var census: [(name: String, count: Int)] {
    mutating get { countTables() }
  }

  /// The bytes that wait, of what counts as unsent.
  private var waitingBytes: Int {
    mutating get {
      var bytes = unsentBytes
      for index in connections.slots where connections.isTaken(index) {
        bytes -= connections[index].outbox.held - connections[index].outbox.count
      }
      return bytes
    }
  }

  private mutating func countTables() -> [(name: String, count: Int)] {
    let waitingBytes = waitingBytes
    return [
      ("connections", connections.count), ("unsent bytes", waitingBytes), ("unfinished bytes", unfinishedBytes),
      ("chains", chains.count), ("links", links.count), ("counted links", countedLinks), ("replicas", replicas.count),
      ("patterns", acceptLists.patterns.count + subscriptions.patternCount + traceListeners.patternCount),
      ("counted patterns", totalPatterns), ("lists", acceptLists.count), ("list bytes", acceptLists.bytes),
      ("walks", walks.count), ("offers", offers.count), ("tickets", desk.tickets.count), ("tries", desk.attempts.count),
      ("copies", copies.count), ("traces", traces.count), ("keys", keyQueues.count), ("key names", keyQueues.nameCount),
      ("turns", waitingTurns.turnCount), ("rows", waitingTurns.rowCount),
      ("empty places", emptyPlaces), ("histories", histories.count),
      ("open bytes", openBytes), ("subscriptions", subscriptions.count), ("timers", timers.count),
      ("places in orders", linkOrder.count), ("jobs", jobs.count), ("parked", parked.count),
      ("held replies", desk.heldReplies), ("marked lines", markedLines.count),
      ("unwritten values", storing.values.count),
      ("strangers", strangers.count), ("accounts", accounts.count),
      ("leaving", leavingConnections), ("moved links", movedLinks.count),
      ("chain names", chainNames.count), ("listed chains", chainOrder.count), ("link names", linkNames.count),
      ("topics", acceptLists.topicCount),
      ("subscription patterns", subscriptions.nameCount), ("trace listeners", traceListeners.count),
      ("groups of trace listeners", traceListeners.groupCount), ("due clocks", dueClocks.count),
    ]
  }

  /// The number of slots in each of the larger tables. It is the largest number of entries at any time, because slots
  /// are used again.
  package var extents: [(name: String, count: Int)] {
    [
      ("connections", Int(connections.extent)), ("chains", Int(chains.extent)), ("links", Int(links.extent)),
      ("replicas", Int(replicas.extent)), ("lists", Int(acceptLists.extent)), ("walks", Int(walks.extent)),
      ("offers", Int(offers.extent)), ("copies", Int(copies.extent)), ("keys", Int(keyQueues.extent)),
      ("subscriptions", Int(subscriptions.extent)), ("trace listeners", Int(traceListeners.extent)),
    ]
  }

  /// The number of places for meters. Names without links are kept, and so are not in the census: `max_metric_links` says
  /// how many of handlers, and how many of chains.
  package var placesForMeters: Int { Int(meters.extent) }
}

extension Router {
  /// What is unsent to a connection, without the first `known` bytes.
  package mutating func unsent(of id: ConnectionID, from known: Int) -> [UInt8] {
    connectionSlot(of: id).map { connections[$0].outbox.copy(from: known) } ?? []
  }

  /// What kept events and retained values take.
  package var bytesThatStay: (history: Int, retained: Int) {
    mutating get { (keptEvents.bytes, retained.bytes) }
  }

  /// The first difference between what is counted as unsent for all connections of an identity or address, and what is
  /// unsent to them; nil if there is none.
  package var unsentDifference: String? {
    mutating get {
      var (sums, anonymous) = ([Slot<PeerAccount>: UnsentCount](), UnsentCount())
      for index in connections.slots where connections.isTaken(index) && connections[index].account != .nobody {
        let (account, bytes) = (connections[index].account, connections[index].outbox.held)
        sums[account, default: UnsentCount()].add(bytes, replies: connections[index].unsentReplies)
        if accounts[account].isAnonymous { anonymous.add(bytes, replies: connections[index].unsentReplies) }
      }
      if anonymous != anonymousUnsent { return "\(anonymous) is unsent to all anonymous, \(anonymousUnsent) counted" }
      for (account, sum) in sums where sum != accounts[account].unsent {
        return "\(sum) is unsent to one account, \(accounts[account].unsent) counted"
      }
      return nil
    }
  }

  /// The first difference between what is counted for those whose events are kept, and what these events take; nil if
  /// there is none.
  package var historyDifference: String? {
    mutating get { keptEvents.difference }
  }
}

extension Router {
  /// The first difference between what the meters of all names have together and what was counted at all links; nil if
  /// there is none.
  package var meterDifference: String? {
    mutating get {
      for outcome in Tally.allCases {
        let (metered, all) = (meters.sum(of: outcome), allCounts.tallies[outcome])
        if metered != UInt64(all) { return "\(outcome): \(metered) in the meters, \(all) at all links" }
      }
      let answered = meters.sumOfTimes
      return answered == UInt64(allTimes.count)
        ? nil : "times: \(answered) in the meters, \(allTimes.count) at all links"
    }
  }
}
