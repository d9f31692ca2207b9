package import BatonLasting

/// What the router asks of the keeper of durable messages. Names of stored messages are as lines spell them; a ticket is
/// a number that answers name.
package enum KeeperRequest: Sendable {
  indirect case message(DurableMessage)
  /// Nobody waits for answers to this ticket any more.
  case senderGone(UInt64)
  /// Nobody waits any more, or perhaps nobody does. It has its answers all the same.
  case senderHasPerhapsGone(UInt64)
  case tryEnded(StoredID, TryEnd)
  /// A try was still open at the deadline of draining, and does not count. Nothing more is said of it.
  case tryCutOff(StoredID)
  /// A declared link is served again, or its breaker has closed.
  case linkServed(DeclaredPlace)
  /// The declared chains, after a reload.
  case declared([DurableWindow])
  /// What the links of a declared chain take at once has changed.
  case window(DurableWindow)
  /// An ordinary message with a key waits to be let go.
  case ordinaryCame(UInt64, chain: [UInt8], key: [UInt8])
  case ordinaryEnded(UInt64)
  /// The ordinary messages of a key have ended, after `watchesKey` said that there are some.
  case keyFree(chain: [UInt8], key: [UInt8])
  case status(UInt64, stored: [UInt8], identity: [UInt8])
  /// The same of the message that this identity has sent under this name of its own.
  case statusOfName(UInt64, once: [UInt8], identity: [UInt8])
  /// The messages of a chain that have no end yet, from a place on, where so many are looked at.
  case kept(UInt64, chain: [UInt8], from: Int, limit: Int, looking: Int)
  case deadLetters(UInt64, chain: [UInt8], after: [UInt8]?, until: [UInt8]?, limit: Int)
  case deadLetter(UInt64, stored: [UInt8])
  case resending(UInt64, stored: [UInt8], payload: [UInt8]?, from: [UInt8], identity: [UInt8])
  case discarding(UInt64, stored: [UInt8], identity: [UInt8])
  /// The settings are others since a reload.
  case limits
  /// No try begins any more.
  case drain
  /// A connection that could not be told more can be, or has ended.
  case canHear(UInt64)
}

/// Whether a connection can be told more.
package enum PeerHearing: Sendable { case ready, busy, gone }

/// What operators may see of the keeper. It is asked when somebody asks.
package protocol KeeperSight: AnyObject {
  /// What is stored of all chains, or of one.
  func figures(of chain: [UInt8]?) -> DurableFigures
  /// Whether commits fail.
  var isFailing: Bool { get }
  /// What is wrong, or will be soon.
  var findings: [DurableFinding] { get }
  /// The chains that have stored messages or are declared: at most `most`, in an order that stays the same.
  func chains(atMost most: Int) -> [[UInt8]]
}
