import BatonCore

/// What happened in a world, one bit each; the run counts the worlds.
struct Coverage: OptionSet {
  let rawValue: UInt128

  init(rawValue: UInt128) { self.rawValue = rawValue }
  private init(_ bit: Int) { rawValue = 1 << UInt128(bit) }

  static let handled = Coverage(0)
  static let continued = Coverage(1)
  static let rewritten = Coverage(2)
  static let rejected = Coverage(3)
  static let failed = Coverage(4)
  static let working = Coverage(5)
  static let verdictWithoutID = Coverage(6)
  static let lateVerdict = Coverage(7)
  static let unknownOffer = Coverage(8)
  static let offerTimeout = Coverage(9)
  static let lapsed = Coverage(10)
  static let deadline = Coverage(11)
  static let unhandled = Coverage(12)
  static let nobodyThere = Coverage(13)
  static let waited = Coverage(14)
  static let overload = Coverage(15)
  static let movedOn = Coverage(16)
  static let removedOwn = Coverage(17)
  static let removedByOther = Coverage(18)
  static let removedMidWalk = Coverage(19)
  static let replacedOwn = Coverage(20)
  static let replacedByOther = Coverage(21)
  static let replacedMidWalk = Coverage(22)
  static let insertedMidWalk = Coverage(23)
  static let moved = Coverage(24)
  static let closedWithLinks = Coverage(25)
  static let closedWithOffers = Coverage(26)
  static let closedWithMessages = Coverage(27)
  static let halfClosedWithOffers = Coverage(28)
  static let halfClosedWithMessages = Coverage(29)
  static let resultAfterHalfClose = Coverage(30)
  static let lostOffer = Coverage(31)
  static let broadcast = Coverage(32)
  static let event = Coverage(33)
  static let withoutEcho = Coverage(34)
  static let missed = Coverage(35)
  static let noReply = Coverage(36)
  static let inspected = Coverage(37)
  static let refusedLine = Coverage(38)
  static let refusedDraining = Coverage(39)
  static let busy = Coverage(40)
  static let limitReached = Coverage(41)
  static let payloadTooLong = Coverage(42)
  static let drain = Coverage(43)
  static let slowReader = Coverage(44)
  static let paused = Coverage(45)
  static let byteByByte = Coverage(46)
  static let lateWake = Coverage(47)
  static let finished = Coverage(48)
  static let lineTooLong = Coverage(49)
  static let lineTimeout = Coverage(50)
  static let notJSONLines = Coverage(51)
  static let tooManyErrors = Coverage(52)
  static let tooManyConnections = Coverage(53)
  static let tooSlow = Coverage(54)
  static let idle = Coverage(55)
  static let draining = Coverage(56)

  static let backlog = Coverage(57)
  static let unfinished = Coverage(58)
  static let published = Coverage(59)
  static let heldBack = Coverage(60)
  static let traced = Coverage(61)
  static let toldLink = Coverage(62)
  static let toldMessage = Coverage(63)
  static let toldWalk = Coverage(64)
  static let toldHole = Coverage(65)
  static let explained = Coverage(66)
  static let cameTrue = Coverage(67)
  static let serverInspected = Coverage(68)
  static let crowdedOut = Coverage(69)
  static let notRewritten = Coverage(70)

  /// The bit of each way in which the server ends a connection.
  init(_ reason: CloseReason) {
    self =
      switch reason {
      case .finished: .finished
      case .lineTooLong: .lineTooLong
      case .lineTimeout: .lineTimeout
      case .notJSONLines: .notJSONLines
      case .tooManyErrors: .tooManyErrors
      case .tooManyConnections: .tooManyConnections
      case .tooSlow: .tooSlow
      case .idle: .idle
      case .draining: .draining
      }
  }

  /// Every bit with its name; what is `required` must happen in at least one world of a hundred.
  static let table: [(name: String, bit: Coverage, isRequired: Bool)] = [
    ("verdict handled", .handled, true), ("verdict continue", .continued, true),
    ("verdict continue that rewrites", .rewritten, true), ("verdict reject", .rejected, true),
    ("verdict failed", .failed, true), ("verdict working", .working, true),
    ("verdict without id", .verdictWithoutID, true), ("late verdict", .lateVerdict, true),
    ("unknown offer", .unknownOffer, true), ("offer timed out", .offerTimeout, true),
    ("offer lapsed", .lapsed, true), ("message's deadline", .deadline, true),
    ("unhandled", .unhandled, true), ("sent to nobody", .nobodyThere, true),
    ("waited for a window", .waited, true), ("share of the time ran out", .overload, true),
    ("moved on while waiting", .movedOn, true), ("link removed by its owner", .removedOwn, true),
    ("link removed by another", .removedByOther, true), ("link removed in mid-walk", .removedMidWalk, true),
    ("link replaced by its owner", .replacedOwn, true), ("link replaced by another", .replacedByOther, true),
    ("link replaced in mid-walk", .replacedMidWalk, true), ("link inserted in mid-walk", .insertedMidWalk, true),
    ("links renumbered", .moved, false), ("closed with links", .closedWithLinks, true),
    ("closed with open offers", .closedWithOffers, true), ("closed with open messages", .closedWithMessages, true),
    ("half-closed with open offers", .halfClosedWithOffers, true),
    ("half-closed with open messages", .halfClosedWithMessages, true),
    ("result after half-close", .resultAfterHalfClose, true), ("offer lost with its connection", .lostOffer, true),
    ("broadcast", .broadcast, true), ("event", .event, true), ("broadcast without echo", .withoutEcho, true),
    ("broadcast published by its chain", .published, true), ("broadcast held back by its chain", .heldBack, true),
    ("trace", .traced, true),
    ("server's own event of a link", .toldLink, true), ("server's own event of a message", .toldMessage, true),
    ("server's own event of a walk", .toldWalk, true), ("server's own event of a hole", .toldHole, false),
    ("explain", .explained, true), ("sent right behind explain", .cameTrue, true),
    ("inspect of the server", .serverInspected, true), ("crowded out by all messages", .crowdedOut, true),
    ("no room to rewrite", .notRewritten, false),
    ("events missed", .missed, true), ("reply not wanted", .noReply, true), ("inspect", .inspected, true),
    ("line refused", .refusedLine, true), ("refused while draining", .refusedDraining, true),
    ("busy", .busy, true), ("limit reached", .limitReached, true), ("payload too long", .payloadTooLong, true),
    ("drain", .drain, true), ("slow reader", .slowReader, true), ("reading paused", .paused, true),
    ("lines kept while not read from", .backlog, false),
    ("lines given up for their bytes", .unfinished, true),
    ("byte by byte", .byteByByte, true), ("late wake-up", .lateWake, true), ("end: finished", .finished, true),
    ("end: line too long", .lineTooLong, true), ("end: line timeout", .lineTimeout, true),
    ("end: not JSON lines", .notJSONLines, true), ("end: too many errors", .tooManyErrors, true),
    ("end: too many connections", .tooManyConnections, true), ("end: too slow", .tooSlow, true),
    ("end: idle", .idle, true), ("end: draining", .draining, true),
  ]
}
