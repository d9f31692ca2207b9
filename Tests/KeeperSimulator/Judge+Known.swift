import BatonLasting

/// What is known of messages and of what was asked.
extension Judge {
  /// What a payload stands for: each message has a number of its own as its payload.
  struct Sent {
    var chain: String
    var topic: String
    var key: String?
    var identity = ""
    var isDurable = true
    var isDelayed = false
    var once: String?
    var rules = TryRules(tries: 1, retryMilliseconds: 1, timeoutMilliseconds: 1, expiresMilliseconds: 1)
  }

  /// A line that has an answer. Its id is its place among all of them.
  struct Request {
    enum Kind { case durable, ordinary, cancel, resend, discard, insert, remove, publish, other }
    var kind: Kind
    var peer: Int
    var mark = 0
    /// What the line names.
    var stored: String?
    var place: Place?
    var accepted: String?
    var isOver = false
    /// Whether nobody is there to hear of it.
    var isExcused = false
    var saidAt = 0
    /// Whether a message was stored for it.
    var hasRow = false
    /// Whether that had its end before the asker was told of it.
    var isLate = false
  }

  /// A stored message, by what the store was given of it.
  struct Message {
    enum End { case ended, dead, left, refused, never }
    let row: UInt64
    let mark: Int
    let sent: Sent
    /// The request that it came with: these are numbered in their order.
    let order: Int
    /// The first request that came after it was stored.
    var askedBefore = 0
    var isResent = false
    /// Whether somebody was told that it was taken in, and not that it was known.
    var isAccepted = false
    /// When its time began, by the server's clock and by that on the wall.
    var begunAt: Int
    let acceptedAt: Int64
    var tries: UInt32
    /// The same, with one that was under way, when the server started.
    var triesAtStart: UInt32 = 0
    var triesOnDisk: UInt32 = 0
    /// Whether the mark of a try was given to the store, and its end was not.
    var isOpen = false
    var isMarkOnDisk = false
    var markStep = 0
    /// When the try ended: it may be written later.
    var tryEndedAt: Int?
    var notBefore = 0
    /// The walk of the open try, and those who had its offer.
    var walk: Int?
    var asked: Set<Place> = []
    /// Places that have let the walk go on.
    var left: Set<Place> = []
    var mustSayAgain = false
    /// The last try that had an end did not count, and a crash has cut off a later one.
    var forgetsResult = false
    var mayHaveBeenOffered = false
    /// What the store was given as its end, and what of that is on disk.
    var end: End?
    var endOnDisk: End?
    /// How its last try ended, as it was given and as it is on disk.
    var status: String?
    var statusOnDisk: String?
    /// When the store was given that.
    var leftAt: Int?
    var leftWall: Int64 = 0
    var forgottenAt: Int?
    var isOnDisk = false
    var isTold = false

    /// No try is open any more, or a new one begins.
    mutating func forgetTry(isOpen: Bool = false, at step: Int = 0) {
      (self.isOpen, walk, asked, left) = (isOpen, nil, [], [])
      if isOpen { (markStep, tryEndedAt) = (step, nil) }
    }

    /// The store was given its end.
    mutating func isOver(_ end: End, _ status: String?) { (self.end, self.status) = (end, status) }

    mutating func leaves(at now: Int, wall: Int64) { (leftAt, leftWall) = (now, wall) }
  }
}
