/// How far a request has come that looks at all connections or all messages, and what it has found so far. It does so in
/// pieces: its line is carried out again until nothing is left to look at.
final class Survey {
  /// The next slot to look at, in each table.
  var nextConnection: UInt32 = 0
  var nextWalk: UInt32 = 0
  var nextLink: UInt32 = 0
  var nextChain: UInt32 = 0
  /// The next message of the asker that `cancel` looks at; none before its first piece.
  var reachedMessage = Ref<Walk>.none
  /// The name of the chain from which on `inspect` goes on; nil if it has not looked past any.
  var reachedChain: [UInt8]?
  /// How far a chain was looked through for empty places, and how many were taken out.
  var passed: Link.Order?
  var removed = 0
  var connections = FirstOnes<FoundConnection>(most: 1000)
  var walks = FirstOnes<FoundWalk>(most: 100)
  var findings = Findings()
  /// The most that is unsent to all connections of one identity or address, and whose it is.
  var mostUnsent = 0
  var leavesMostUnsent = ""
}

/// A connection of a survey. Those with the most unsent bytes come first, and the oldest first among equals.
struct FoundConnection: Comparable {
  let ref: Ref<Connection>
  let number: Int
  let unsent: Int

  static func < (left: FoundConnection, right: FoundConnection) -> Bool {
    left.unsent > right.unsent || left.unsent == right.unsent && left.number < right.number
  }
}

/// A message of a survey. The oldest come first.
struct FoundWalk: Comparable {
  let ref: Ref<Walk>
  let number: Int

  static func < (left: FoundWalk, right: FoundWalk) -> Bool { left.number < right.number }
}
