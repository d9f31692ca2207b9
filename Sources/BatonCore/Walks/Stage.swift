/// A stage that a message is in: the links of a chain are asked at once (contract, section 5, `Stages`).
///
/// The message has a place at each link that it is for. A place is an element of the table of walks with the message's
/// number: it stands at the link as a walk does, and its offer, its wait and its time are its own. What would move it on or
/// end it comes to the message instead (`Router+Stages`).
struct Stage {
  /// The most places that are not settled.
  static let mostPlaces = 64
  /// The bytes that a stage and a place in it take, and count for the message: Benchmarks/conditions/run measures them.
  static let ownBytes = 1024
  static let placeBytes = 768

  /// The number of chains around the stage's own.
  let depth: Int
  /// The message as its links get it, if a link has rewritten it before.
  let rewritten: StagedMessage?
  /// The places that are not settled, in the order of the chain.
  var places: [Slot<Walk>] = []
  /// What the message counts for the stage and its places, settled ones too.
  var bytes: Int
  /// The end of the stage's share of the message's time; nil before the first place.
  var shareEnd: Instant?
  /// Whether it has been counted among the links that share the time.
  var isCounted = false
  /// Whether the message has come to the end of the stage's chain.
  var isPassed = false

  init(depth: Int, rewritten: StagedMessage?) {
    self.depth = depth
    self.rewritten = rewritten
    bytes = Stage.ownBytes + (rewritten?.message.count ?? 0)
  }
}

/// A message that all places of a stage share.
final class StagedMessage {
  let message: Message

  init(_ message: consuming Message) { self.message = message }
}
