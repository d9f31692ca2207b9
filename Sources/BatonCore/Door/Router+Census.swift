/// What is in the router's tables, for the simulator.
extension Router {
  /// What is in the router's tables. All are 0 once every connection is closed.
  package var census: [(name: String, count: Int)] {
    return [
      ("connections", connections.count), ("unsent bytes", unsentBytes), ("unfinished bytes", unfinishedBytes),
      ("chains", chains.count), ("links", links.count), ("counted links", countedLinks), ("replicas", replicas.count),
      ("patterns", acceptLists.patterns.count + subscriptions.patternCount),
      ("lists", acceptLists.count), ("list bytes", acceptLists.bytes), ("walks", walks.count), ("offers", offers.count),
      ("copies", copies.count), ("traces", traces.count), ("keys", keyQueues.count), ("key names", keyQueues.nameCount),
      ("empty places", emptyPlaces),
      ("open bytes", openBytes), ("subscriptions", subscriptions.count), ("timers", timers.count),
      ("chain names", chainNames.count), ("link names", linkNames.count), ("topics", acceptLists.topicCount),
      ("subscription patterns", subscriptions.nameCount),
    ]
  }

  /// How many places each of the larger tables has: what its fullest moment needed, since places are used again.
  package var extents: [(name: String, count: Int)] {
    [
      ("connections", Int(connections.extent)), ("chains", Int(chains.extent)), ("links", Int(links.extent)),
      ("replicas", Int(replicas.extent)), ("lists", Int(acceptLists.extent)), ("walks", Int(walks.extent)),
      ("offers", Int(offers.extent)), ("copies", Int(copies.extent)), ("keys", Int(keyQueues.extent)),
      ("subscriptions", Int(subscriptions.extent)),
    ]
  }
}
