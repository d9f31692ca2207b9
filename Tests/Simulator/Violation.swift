/// The invariants. The comments say what each promises.
enum Invariant: String, CaseIterable {
  /// Each accepted message ends exactly once, with one result that carries its id.
  case endsOnce = "ends-once"
  /// No offer times out twice. No offer times out that was never made.
  case settledOnce = "settled-once"
  /// The ids of offers count up.
  case inOrder = "in-order"
  /// When all peers are gone nothing is left in the router's tables.
  case nothingLeft = "nothing-left"
  /// Every request gets exactly one reply with its id.
  case oneReply = "one-reply"
  /// What comes out of the door is whole lines of valid JSON. Bytes do not change until they are written. Wishes do not
  /// go back.
  case coherentDoor = "coherent-door"
  /// Tables keep to their limits.
  case inBounds = "in-bounds"
  /// No link is asked twice for one message, but for a repeated offer.
  case walksOnce = "walks-once"
  /// A message sees one version of each chain that it enters: its links, all of them, in its order.
  case oneVersion = "one-version"
  /// No message passes a required link that stops without its verdict.
  case guarded
  /// A link of which the file says for which part of the messages it is gets these, and no others.
  case itsPart = "its-part"
  /// A link of which the file says what a message has to say is asked for what may fit, and for nothing else.
  case itsCondition = "its-condition"
  /// A declared chain has the links that the file names, in its order.
  case asDeclared = "as-declared"
  /// Places that messages go on seeing are forgotten with these messages.
  case placesEnd = "places-end"
  /// A message stands at one link, or at links of one stage. It goes on behind a stage once, when each place there is
  /// settled.
  case atOnePlace = "at-one-place"
  /// No offer outlives its message.
  case offersEnd = "offers-end"
  /// Offers say how many messages led to theirs.
  case itsDepth = "its-depth"
  /// A message is in one trace beyond the server, or in none, and each offer has a span of its own.
  case itsTrace = "its-trace"
  /// What was counted under all names together, for `/metrics`, is what was counted at all links.
  case counted
  /// What is counted for each identity or address is what it has: also of what its connections have left.
  case accountsCount = "accounts-count"
  /// No identity has more than its limits.
  case limitsHold = "limits-hold"
  /// No kept event comes twice, or behind a later one.
  case keptOnce = "kept-once"
  /// No kept event is left out without a word.
  case noSilentHole = "no-silent-hole"
  /// Where it can be known how many events are gone, the number is right.
  case goneCounted = "gone-counted"
  /// A listener gets the values that there are, each once.
  case valuesStay = "values-stay"
  /// What stays keeps to its limits, and each identity's values to its share.
  case keptInBounds = "kept-in-bounds"
  /// Who says little loses nothing to those who say much.
  case fairHistory = "fair-history"
  /// Each message that ends has one line in the record, which says what is told of it; where that is strict, before it is
  /// told.
  case recorded
  /// However many want something at once, one turn does no more than so much.
  case boundedTurns = "bounded-turns"
  /// Who wants little beside a crowd waits for few turns; so does a deadline. Everybody is served in the end.
  case servedInTurns = "served-in-turns"
  /// What is due is done at the wake-up. Nothing outlives its deadline. The next wake-up is in the future.
  case onTime = "on-time"
}

/// The first thing that went wrong in a world.
struct Violation {
  let invariant: Invariant
  let detail: String
}
