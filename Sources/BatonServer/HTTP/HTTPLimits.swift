internal import BatonCore

/// The limits of the door. A reload changes them.
struct HTTPLimits {
  /// Sockets that ask for pages.
  var maxConnections: Int
  /// The bytes of a head.
  var maxHead: Int
  /// Milliseconds without a request.
  var idle: Int
  /// Milliseconds of silence before a WebSocket is pinged.
  var ping: Int
  /// Milliseconds for a head, and for a body.
  var request: Int
  /// Milliseconds in which a peer has to say who it is.
  var auth: Int
  /// Sockets that have not said who they are.
  var maxStrangers: Int
  /// Milliseconds in which a peer takes no byte of an answer.
  var slow: Int
  /// Milliseconds for which a socket that has ended its side still reads.
  var linger: Int
  /// The bytes of all bodies and of what waits behind requests.
  var maxHeldBytes: Int
  /// The bytes of all answers that peers have not taken.
  var maxUnsentBytes: Int
  /// How many times what is free one socket may hold.
  var shareOfFree: Int
  var maxLine: Int
  var maxDepth: Int

  init(_ settings: Settings) {
    maxConnections = settings.maxHTTPConnections
    maxHead = settings.maxHead
    idle = settings.httpIdleMilliseconds
    ping = settings.wsPingMilliseconds
    request = settings.lineTimeoutMilliseconds
    auth = settings.authMilliseconds
    maxStrangers = settings.maxStrangers
    slow = settings.slowMilliseconds
    linger = settings.lingerMilliseconds
    maxHeldBytes = settings.maxUnfinishedBytes
    maxUnsentBytes = settings.maxTotalUnsentBytes
    shareOfFree = settings.shareOfFree
    maxLine = settings.maxLine
    maxDepth = settings.maxDepth
  }

  /// The places that are kept for those who have not said who they are, when the others are taken.
  var placesOfStrangers: Int { max(1, maxConnections / 10) }

  var mostLingering: Int { HTTPLimits.mostLingering(beside: maxConnections) }

  /// What a socket may hold however little is free.
  static let alwaysHeld = 4 << 10
  /// Bytes that are kept behind a request under way. Then the socket is not read from.
  static let mostKept = 64 << 10
  /// Requests that are answered on one socket in one turn.
  static let requestsPerTurn = 16
  /// What all sockets of the door may cost in one turn, in about nanoseconds. It is counted, not measured.
  static let workPerTurn = 500_000
  /// What a request costs, a byte of what is read, and a byte of a body: once when it becomes a line, and once more when
  /// the router reads that.
  static let costOfRequest = 4000
  static let costOfByte = 3
  static let costOfBody = 2
  /// Bytes of a body that is carried out in one step.
  static let mostInOneStep = 64 << 10
  /// What a part of a request costs that is found: a head, a chunk, an end.
  static let costOfPart = 60
  /// What a field of a head costs beside its bytes.
  static let costOfField = 100
  /// What a WebSocket may cost before it stands behind the others that wait, what a byte of its frames costs, and what the
  /// answer to a ping costs.
  static let workOfFrames = 100_000
  static let costOfFrameByte = 2
  static let costOfPong = 200
  /// So many bytes that are read and dropped cost a nanosecond: the system copies them.
  static let droppedBytes = 4
  /// Bytes that a socket which has ended its side drops. Then it is closed.
  static let mostDropped = 256 << 10
  /// Sockets that are told when their handshake is done that there is no room. Further ones are closed without a word.
  static let mostRefused = 32
  /// So many sockets are looked at for one that makes room.
  static let mostLooks = 4
  /// Sockets that end at the same time: for one more, the oldest of whoever has the most is closed.
  static func mostLingering(beside connections: Int) -> Int { min(connections, 1000) }
  /// Reports of metrics that are written at the same time.
  static let mostReports = 4
  /// Milliseconds after which a stream of events gets a comment.
  static let comment = 15_000
}
