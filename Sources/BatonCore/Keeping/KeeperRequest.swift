/// What the router asks of the keeper of durable messages. Names of stored messages are as lines spell them; a ticket is
/// a number that answers name.
package enum KeeperRequest: Sendable {
  indirect case message(DurableMessage)
  /// Nobody waits for answers to this ticket any more.
  case senderGone(UInt64)
  /// Nobody waits any more, or perhaps nobody does. It has its answers all the same.
  case senderHasPerhapsGone(UInt64)
  case tryEnded(KeptTryEnd)
  /// A try was still open at the deadline of draining, and does not count. Nothing more is said of it.
  case tryCutOff(KeptName)
  /// A declared link is served again, or its breaker has closed.
  case linkServed(KeptPlace)
  /// The declared chains, after a reload.
  case declared([KeptChainWindow])
  /// What the links of a declared chain take at once has changed.
  case window(KeptChainWindow)
  /// An ordinary message with a key waits to be let go.
  case ordinaryCame(UInt64, chain: [UInt8], key: [UInt8])
  case ordinaryEnded(UInt64)
  /// The ordinary messages of a key have ended, after `watchesKey` said that there are some.
  case keyFree(chain: [UInt8], key: [UInt8])
  case status(UInt64, stored: [UInt8], identity: [UInt8])
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
package enum KeptHearing: Sendable { case ready, busy, gone }

/// A `send` with `"durable":true`.
package struct DurableMessage: Sendable {
  package var ticket: UInt64
  /// Empty where there are no identities.
  package var identity: [UInt8]
  package var chain: [UInt8]
  package var content: KeptContent
  package var tries: Int
  package var retryMilliseconds: Int
  package var timeoutMilliseconds: Int
  package var expiresMilliseconds: Int
  package var delayMilliseconds: Int
  package var once: [UInt8]?
  package var rememberedMilliseconds: Int
}

/// What a durable message says, in one piece of memory: it goes from hand to hand.
package struct KeptContent: Sendable {
  /// One after the other: topic, mode and meta, as an object of JSON (`KeptHead`); who sent it, and whether it is traced
  /// (`KeptFrom`); its key; its payload, or nothing if it has none.
  package var bytes: [UInt8] = []
  /// Where the first three of them end.
  package var headEnd = 0
  package var fromEnd = 0
  package var keyEnd = 0
  package var hasKey = false

  package init() {}

  /// Its key; nil if it has none.
  package var key: [UInt8]? { hasKey ? Array(bytes[fromEnd..<keyEnd]) : nil }
}

/// A try that begins.
package struct KeptTry: Sendable {
  package var stored: KeptName
  package var resent: [UInt8]?
  package var number: UInt32
  package var isAgain: Bool
  package var chain: [UInt8]
  package var content: KeptContent
  package var timeoutMilliseconds: Int

  package init(
    stored: KeptName, resent: [UInt8]?, number: UInt32, isAgain: Bool, chain: [UInt8], content: KeptContent,
    timeoutMilliseconds: Int
  ) {
    (self.stored, self.resent, self.number, self.isAgain) = (stored, resent, number, isAgain)
    (self.chain, self.content, self.timeoutMilliseconds) = (chain, content, timeoutMilliseconds)
  }
}

/// How a try ended.
package struct KeptTryEnd: Sendable {
  package enum Status: Sendable { case handled, rejected, unhandled, failed, timeout }

  package var stored: KeptName
  package var status: Status
  /// The members of the `result` beside `op`, `id` and `dead`, as an object of JSON (`KeptResult`).
  package var result: [UInt8]
  package var counts: Bool
  /// Whether a handler had the offer.
  package var wasOffered: Bool
  /// The links that it passed in vain, if it does not count: some of them, at most.
  package var passed: [KeptPlace]
  /// Whether one of them was served again before the try ended, or the file has changed since it began.
  package var isOvertaken = false
}

/// A declared link: the chain in which it stands, and its name.
package struct KeptPlace: Sendable, Equatable {
  package var chain: [UInt8]
  package var name: [UInt8]
}

/// A declared chain, and how many tries its links take at once.
package struct KeptChainWindow: Sendable, Equatable {
  package var chain: [UInt8]
  package var window: Int
}

/// What operators may see of the keeper. It is asked when somebody asks.
package protocol KeeperSight: AnyObject {
  /// What is stored of all chains, or of one.
  func figures(of chain: [UInt8]?) -> KeptFigures
  /// Whether commits fail.
  var isFailing: Bool { get }
  /// What is wrong, or will be soon.
  var findings: [KeptFinding] { get }
  /// The chains that have stored messages or are declared: at most `most`, in an order that stays the same.
  func chains(atMost most: Int) -> [[UInt8]]
}

/// What is stored. Messages count until they have an end or are dead letters.
package struct KeptFigures: Sendable, Equatable {
  package var messages = 0
  package var delayed = 0
  /// They wait for nothing but room.
  package var due = 0
  package var underWay = 0
  package var dead = 0
  package var bytes = 0
  /// Names of `once` whose messages have ended.
  package var remembered = 0

  package init() {}
}

/// What an operator should know of the store.
package enum KeptFinding: Sendable, Equatable {
  /// The disk does not take what is written, for so many milliseconds.
  case storeFails(milliseconds: Int)
  /// The disk does not give so many messages, which are asked for again.
  case unreadable(messages: Int)
  /// So many messages were found damaged on disk since the start.
  case damaged(messages: Int)
  /// Messages wait for a chain that is not declared any more, or are dead letters of it.
  case undeclared(chain: [UInt8], messages: Int, dead: Int)
  /// A chain of the file has dead letters.
  case dead(chain: [UInt8], Int)
  /// Three quarters or more of a setting are used; of a chain, if the setting is about one.
  case near(setting: String, used: Int, of: Int, chain: [UInt8]?)
  /// An identity (empty: peers without one) has three quarters or more of its part of a setting.
  case share(setting: String, identity: [UInt8], used: Int, of: Int, chain: [UInt8]?)

  /// The chain that it is about.
  var chain: [UInt8]? {
    switch self {
    case .storeFails, .unreadable, .damaged: nil
    case .undeclared(let chain, _, _), .dead(let chain, _): chain
    case .near(_, _, _, let chain), .share(_, _, _, _, let chain): chain
    }
  }
}
