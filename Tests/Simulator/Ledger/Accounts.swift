import BatonCore

/// What a sender handed in, a send or a broadcast; its place in the ledger is the mark that its bytes carry.
struct Message {
  let sender: Int
  let topic: Topic
  let payload: [UInt8]?
  let meta: [UInt8]?
  let chain: Int
  let timeoutMilliseconds: Int
  let wantsReply: Bool
  var id: [UInt8]?
  var echo = true
  /// A broadcast that walks a chain first.
  var isVia = false
  var wantsTrace = false
  /// Its walk, once the server has accepted it.
  var walk: Int?
}

/// A link as the ledger believes it to be. It keeps its identity when it is replaced.
struct Link {
  let chain: Int
  var name: String
  /// All the names that it had before.
  var formerNames: [String] = []
  var formerOwners: [Int] = []
  var owner: Int
  var accepts: [Pattern]
  var window: Int
  var timeoutMilliseconds: Int?
  var rank: Double
  var isThere = true
  /// When it left with its connection.
  var lostTick: Int?
  /// When its settings were replaced last.
  var replacedTick = 0
  /// When its present connection took it over; offers from before that do not count against its window.
  var ownedTick = 0
  /// The latest arrival of those that were offered here: later offers must not have arrived for sure before it.
  var latestArrival = 0
  /// How its offers have ended.
  var counts: [String: Int] = [:]
}

/// A message's way, as far as the ledger knows it.
struct Walk {
  /// How a walk must end, once the ledger knows.
  enum End {
    case unhandled, timeout
    case handled(offer: Offer, payload: [UInt8]?)
    case rejected(offer: Offer, message: [UInt8]?, code: [UInt8]?)
  }

  let message: Int
  /// The chain as it stood when the message entered it.
  let links: [Int]
  let deadline: Instant
  let enteredTick: Int
  let sentAt: Instant
  /// Somebody listened for the traces of all walks when it began.
  var isWatched = false
  /// Its offers that have ended.
  var past: [Past] = []
  /// The server's number, once it was told.
  var number: Int?
  /// Where in `links` it is for sure; past the end once there is nobody left to ask.
  var place = 0
  /// The earliest and the latest tick at which it can have reached that place.
  var arrivedFrom = 0
  var arrivedTo = 0
  var arrivedAt = Instant(microseconds: 0)
  var shareEnd = Instant(microseconds: 0)
  var matchingAhead = 1
  /// True when a full queue may have sent it on already.
  var isUnsure = false
  var offer: (connection: Int, id: Int)?
  var payload: [UInt8]?
  var isRewritten = false
  var hops = 0
  /// The link of its first offer.
  var firstLink: Int?
  /// True when an offer may have been made that nobody saw, because its connection closed in the same call.
  var mayHaveMoreHops = false
  var end: End?
  var isOver = false
  /// A broadcast that was left unhandled, and went to its subscribers.
  var isPublished = false
  /// Who listened when a broadcast was published, where the books know.
  var listeners: [Int]?
}

/// One message put to one handler.
struct Offer {
  enum State { case open, answered, lapsed, gone }

  let walk: Int
  let link: Int
  /// The link's name when the offer was made.
  let name: String
  let madeTick: Int
  let timeoutMilliseconds: Int
  let made: Instant
  var due: Instant
  var state = State.open
}

/// What the ledger knows of one connection, and what the server has said to it in the call under way.
struct Account {
  var isOpen = true
  /// The peer has shut down its writing side.
  var isEnded = false
  /// The server wishes it to end: it is not heard any more and nothing more is said to it.
  var isLeaving = false
  /// A line that closes was seen among its answers: what follows it in the same call is not heard.
  var isCondemned = false
  var number: Int?
  /// All names that it gave itself: what is under way may still be from an older one.
  var names: [String] = []
  var offers: [Offer] = []
  /// Ids of offers that it has not answered, lapsed ones included, oldest first.
  var row: [Int] = []
  var patterns: [Pattern] = []
  var heartbeatMilliseconds: Int?
  /// Its latest message without an id: at most one is under way, so that a result without id is its own.
  var nameless: Int?
  var unsent = 0
  /// Errors about form that it was told.
  var errors = 0
  /// Events that it lost and has not been told about.
  var missed = 0
  /// Events besides that it may have lost: whether it was still, or already, a subscriber is not known.
  var mayHaveMissed = 0
  /// Messages that may have ended without a word while it lost events: what the server says of them may be lost, too.
  var silentWalks: Set<Int> = []
  /// All events that it may have lost beside those that are sure: of a silent walk there are two.
  var doubtful: Int { mayHaveMissed + 2 * silentWalks.count }
  /// It had a hole in its events when the call began.
  var wasMissing = false
  /// It may have had one.
  var mayHaveBeenMissing = false
  /// The server's own broadcasts that it got in this call.
  var ownEvents: [ServerLine] = []
  /// Where among its unsent bytes it was told so last, in the call under way.
  var missedTold: (start: Int, end: Int)?
  var wasPaused = false
  var endReason: CloseReason?
  var lastHeard = Instant(microseconds: 0)
  /// When the line was begun that has no LF yet.
  var lineBegun: Instant?
  /// The same as it will be after the call under way, in which bytes of it came.
  var lineBegunNow: Instant?
  /// Bytes of a line without its LF that have reached the server.
  var unfinished = 0
  var wasToldDraining = false
  /// Event messages that it must get, oldest first; the flag says that the event may be dropped.
  var expectedEvents = Queue<(message: Int, mayMiss: Bool)>()
  var expectedNotices = Queue<(op: ServerLine.Op, chain: Int, name: String)>()

  /// False while the server does not read from it, as of the end of the call.
  var isRead = true
  /// Lines that have reached the server, and that it keeps until it reads from the connection again.
  var backlog = Queue<SentLine>()
  /// It was said something in the call under way.
  var isSpokenTo = false
  var direct = Queue<ServerLine>()
  var newOffers = Queue<ServerLine>()
  var others: [ServerLine] = []

  /// True while the server listens to it.
  var isHeard: Bool { isOpen && !isLeaving && !isCondemned }
}
