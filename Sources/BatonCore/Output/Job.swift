/// Work that is too much for one step. `carryOnJobs` does it piece by piece, the first begun first.
enum Job {
  /// A connection has ended: its links, offers and subscriptions end.
  case leave(Ref<Connection>)
  /// A link has room for the messages that wait for it, or its breakers are open.
  case serveLink(Ref<Link>)
  /// A connection reads again: the links that it serves have room.
  case serveLinks(Ref<Connection>)
  /// What waits at a link without handlers fails.
  case failWaiting(Ref<Link>)
  /// What waits at a link that was removed walks on.
  case passOn(Ref<Link>)
  /// The patterns of a link were changed: what waits there and does not match them walks on.
  case sift(Ref<Link>)
  /// A walk whose sender is gone walks further.
  case walk(Ref<Walk>)
  /// Messages whose turn of their key has come begin to walk.
  case passTurns
  /// A chain forgets links that were lost, or its lists.
  case tidy(Ref<Chain>)
  /// The configuration file has closed a chain: the links that it does not name are taken out.
  case close(Ref<Chain>)
  /// The connections of links that were moved are told.
  case tellMoved
  /// The configuration file was read anew: each connection is reviewed.
  case review
  /// What is kept is given to a subscriber.
  case replay(Ref<Connection>)
  /// The store has answered: what it says takes effect, and replies that waited for it are told.
  case settleStored
  /// The record has answered: what waited for it is told.
  case settleRecord
  /// A reload has lowered limits: what is kept above them is forgotten.
  case forget
  /// Much has gone: tables give back what only larger ones need.
  case shrink
  /// The clocks of many connections are due.
  case checkClocks
  /// The server drains: connections from this place on are told.
  case tellDraining(Slot<Connection>)
  /// The time for draining is over: what is under way ends.
  case endWalks
}
