/// The invariants, one for each fault that can be planted. The comments say what each promises.
enum Invariant: String, CaseIterable {
  /// Each accepted message ends exactly once, with one result that fits its verdicts and carries its id.
  case endsOnce = "ends-once"
  /// Each offer is settled exactly once: answered, lapsed and told, or lost; a second verdict is told to be late.
  case settledOnce = "settled-once"
  /// No offer to a link that is gone, that came after the message, that does not accept it, or that is another's.
  case rightLink = "right-link"
  /// Ids count up, links are asked by rank and none is left out, messages reach a handler in their order.
  case inOrder = "in-order"
  /// When all peers are gone nothing is left in the router's tables.
  case nothingLeft = "nothing-left"
  /// Every request gets exactly one reply with its id, and it is the right one.
  case oneReply = "one-reply"
  /// Every subscriber gets every event once, in order, and the broadcaster is told how many.
  case eventsOnce = "events-once"
  /// Payload and meta pass unchanged; what a link rewrote is what later links and the sender see.
  case bytesKept = "bytes-kept"
  /// What comes out of the door is whole lines of valid JSON; bytes stay put until written; wishes do not go back.
  case coherentDoor = "coherent-door"
  /// Nobody is refused, left unread or given up below a limit, and nobody gets past one.
  case inBounds = "in-bounds"
  /// Traces, `explain`, `inspect` and the server's own events tell what really happened.
  case seenRight = "seen-right"
  /// What is due is done at the wake-up, nothing is done early, and the next wake-up lies ahead.
  case onTime = "on-time"
}

/// The first thing that went wrong in a world.
struct Violation {
  let invariant: Invariant
  let detail: String
}
