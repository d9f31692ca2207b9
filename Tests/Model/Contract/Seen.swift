/// What has happened in a world.
package struct Seen: Sendable {
  private var bits = (low: UInt128(0), high: UInt128(0), more: UInt128(0))

  package init() {}
  private init(_ bit: Int) {
    switch bit / 128 {
    case 0: bits.low = 1 << UInt128(bit)
    case 1: bits.high = 1 << UInt128(bit - 128)
    default: bits.more = 1 << UInt128(bit - 256)
    }
  }

  package mutating func insert(_ other: Seen) {
    bits = (bits.low | other.bits.low, bits.high | other.bits.high, bits.more | other.bits.more)
  }

  package func contains(_ other: Seen) -> Bool {
    bits.low & other.bits.low == other.bits.low && bits.high & other.bits.high == other.bits.high
      && bits.more & other.bits.more == other.bits.more
  }

  package static let handled = Seen(0)
  package static let continued = Seen(1)
  package static let rewritten = Seen(2)
  package static let rejected = Seen(3)
  package static let failed = Seen(4)
  package static let working = Seen(5)
  package static let late = Seen(6)
  package static let unknownOffer = Seen(7)
  package static let timeout = Seen(8)
  package static let disconnect = Seen(9)
  package static let overload = Seen(10)
  package static let breaker = Seen(11)
  package static let probe = Seen(12)
  package static let stop = Seen(13)
  package static let first = Seen(14)
  package static let all = Seen(15)
  package static let severalResults = Seen(16)
  package static let truncated = Seen(17)
  package static let notify = Seen(18)
  package static let keyWaited = Seen(19)
  package static let mountEntered = Seen(20)
  package static let mountSkipped = Seen(21)
  package static let circle = Seen(22)
  package static let joined = Seen(23)
  package static let mismatch = Seen(24)
  package static let held = Seen(25)
  package static let cameBack = Seen(26)
  package static let holdEnded = Seen(27)
  package static let emptyPlace = Seen(28)
  package static let repeated = Seen(29)
  package static let shadow = Seen(30)
  package static let waited = Seen(31)
  package static let replaced = Seen(32)
  package static let removed = Seen(33)
  package static let removedMidWalk = Seen(34)
  package static let lostMidWalk = Seen(35)
  package static let insertedMidWalk = Seen(36)
  package static let moved = Seen(37)
  package static let deadline = Seen(38)
  package static let unhandled = Seen(39)
  package static let event = Seen(40)
  package static let withoutEcho = Seen(41)
  package static let halfClosedOwed = Seen(42)
  package static let closedWithOffers = Seen(43)
  package static let ping = Seen(44)
  package static let idle = Seen(45)
  package static let tooManyErrors = Seen(46)
  package static let refused = Seen(47)
  package static let unmounted = Seen(48)
  package static let via = Seen(49)
  package static let published = Seen(50)
  package static let agreed = Seen(51)
  package static let disagreed = Seen(52)
  package static let traceOffer = Seen(54)
  package static let traceRepeat = Seen(55)
  package static let traceLost = Seen(56)
  package static let traceToDeadline = Seen(57)
  package static let traceFailed = Seen(58)
  package static let traceWaitedInVain = Seen(59)
  package static let traceTopic = Seen(60)
  package static let traceRemoved = Seen(61)
  package static let traceVisited = Seen(62)
  package static let traceShadow = Seen(63)
  package static let traceKeyWait = Seen(64)
  package static let watched = Seen(65)
  package static let toldInserted = Seen(66)
  package static let toldRemoved = Seen(67)
  package static let toldReplaced = Seen(68)
  package static let toldHeld = Seen(69)
  package static let toldBreaker = Seen(70)
  package static let toldUnhandled = Seen(71)
  package static let toldTimeout = Seen(72)
  package static let toldTrace = Seen(73)
  package static let explainedTopic = Seen(74)
  package static let explainedVisited = Seen(75)
  package static let explainedMount = Seen(76)
  package static let explainedOffer = Seen(77)
  package static let explainedShadow = Seen(78)
  package static let explainedAbsent = Seen(79)
  package static let explainedBreaker = Seen(80)
  package static let explainedOverload = Seen(81)
  package static let explainedHeld = Seen(82)
  package static let explainedWindow = Seen(83)
  package static let explainedStop = Seen(84)
  package static let inspected = Seen(85)
  package static let inspectedKeyed = Seen(86)
  package static let drained = Seen(87)
  package static let drainRefused = Seen(88)
  package static let drainEnded = Seen(89)
  package static let drainTurnedAway = Seen(90)
  package static let drainCapped = Seen(91)
  package static let paused = Seen(92)
  package static let readAgain = Seen(93)
  package static let busy = Seen(94)
  package static let inspectedServer = Seen(95)
  package static let inspectedPaused = Seen(96)

  package static let pausedUnsent = Seen(97)
  package static let offersWaitedForReader = Seen(98)
  package static let missed = Seen(99)
  package static let tooSlow = Seen(100)
  package static let leftOffers = Seen(101)
  package static let lineTimeout = Seen(102)
  package static let lineGivenUp = Seen(103)
  package static let crowdedOut = Seen(104)
  package static let tooManyConnections = Seen(105)
  package static let placesFull = Seen(106)
  package static let explainedUnsent = Seen(107)
  package static let declaredLeft = Seen(108)
  package static let notAllowed = Seen(109)
  package static let behindDeclared = Seen(110)
  package static let nameKept = Seen(111)
  package static let policyKept = Seen(112)
  package static let tooManyPatterns = Seen(113)
  package static let tooManyReplicas = Seen(114)
  package static let tooManyMounts = Seen(115)
  package static let explainedInPages = Seen(120)
  package static let inspectedInPages = Seen(121)
  package static let tooManyLinks = Seen(116)
  package static let shareOfFree = Seen(117)
  package static let overShare = Seen(118)
  package static let madeRoom = Seen(119)
  package static let listedFailure = Seen(122)
  package static let moreFailures = Seen(123)
  package static let cutMessage = Seen(124)
  package static let traceMessage = Seen(125)
  package static let inspectedFailure = Seen(126)
  package static let toldFailed = Seen(127)
  package static let toldSeveralFailed = Seen(128)
  package static let toldWalks = Seen(129)
  package static let toldWalksInPages = Seen(130)
  package static let keptPartial = Seen(131)
  package static let keptCut = Seen(132)
  package static let keptWithoutSteps = Seen(133)
  package static let keptWithTrace = Seen(134)
  package static let keptForgotten = Seen(135)
  package static let foundBreaker = Seen(136)
  package static let foundAbsent = Seen(137)
  package static let foundFailing = Seen(138)
  package static let foundWaiting = Seen(139)
  package static let foundPaused = Seen(140)
  package static let foundMissed = Seen(141)
  package static let foundLimit = Seen(142)
  package static let closedByPeer = Seen(143)
  package static let closedItself = Seen(144)
  package static let closedHalf = Seen(145)
  package static let closedNobody = Seen(146)
  package static let messageOffered = Seen(147)
  package static let messageWaiting = Seen(148)
  package static let messageHeld = Seen(149)
  package static let messageWithKey = Seen(150)
  package static let toldConnections = Seen(151)
  package static let toldUnsent = Seen(152)
  package static let toldPaused = Seen(153)
  package static let traceNotWanted = Seen(154)
  package static let traceWanted = Seen(155)
  package static let leftOut = Seen(156)
  package static let toldHistory = Seen(157)
  package static let toldSamples = Seen(158)
  package static let historyRefused = Seen(159)
  package static let historyTaken = Seen(160)

  package static let missingID = Seen(161)

  package static let denied = Seen(180)
  package static let settingsKept = Seen(181)
  package static let rankIgnored = Seen(182)
  package static let fitsTwo = Seen(183)
  package static let knownByFacts = Seen(184)
  package static let strangerMadeRoom = Seen(185)
  package static let authFailed = Seen(186)
  package static let otherTokenRefused = Seen(187)
  package static let becameAnother = Seen(188)
  package static let strangersLineTooLong = Seen(189)
  package static let strangersJSON = Seen(190)
  package static let authRequired = Seen(191)
  package static let strangersTimeOver = Seen(192)
  package static let severalDenials = Seen(193)
  package static let toldDenied = Seen(194)
  package static let reloaded = Seen(195)
  package static let toldReloaded = Seen(196)
  package static let namedNoMore = Seen(197)
  package static let namedAnew = Seen(198)
  package static let linkRevoked = Seen(199)
  package static let offerRevoked = Seen(200)
  package static let revokedVerdict = Seen(201)
  package static let subscriptionRevoked = Seen(202)
  package static let byHidden = Seen(203)
  package static let messageHidden = Seen(204)
  package static let resultHidden = Seen(205)
  package static let failureHidden = Seen(206)
  package static let traceHidden = Seen(207)
  package static let explainedHidden = Seen(208)
  package static let walkHidden = Seen(209)
  package static let oneTooMany = Seen(210)
  package static let waitedForIdentity = Seen(211)

  package static let ignored = Seen(212)
  package static let closedRefused = Seen(213)
  package static let passedEmpty = Seen(214)
  package static let wentOnInVain = Seen(215)
  package static let withdrawnRequired = Seen(216)
  package static let movedLink = Seen(217)
  package static let movedMount = Seen(218)
  package static let movedByFile = Seen(219)
  package static let settingsChangedByFile = Seen(220)
  package static let holdChangedByFile = Seen(221)
  package static let declaredLater = Seen(222)
  package static let endedByFile = Seen(223)
  package static let mountEndedByFile = Seen(224)
  package static let openedByFile = Seen(225)
  package static let closedByFile = Seen(226)
  package static let circleBroken = Seen(227)
  package static let explainedEmpty = Seen(228)
  package static let raisedLimitWoke = Seen(229)
  package static let cancelledOffer = Seen(230)
  package static let cancelledWaiting = Seen(231)
  package static let cancelledKeyed = Seen(232)
  package static let cancelledOldest = Seen(233)
  package static let cancelledInVain = Seen(234)
  package static let traceCancelled = Seen(235)
  package static let mountEnteredAgain = Seen(236)
  package static let explainedAgain = Seen(237)
  package static let gaveValue = Seen(238)
  package static let valueTakenAway = Seen(239)
  package static let valueRefused = Seen(240)
  package static let keptEvent = Seen(241)
  package static let gaveEvent = Seen(242)
  package static let goneInPart = Seen(243)
  package static let goneWhole = Seen(244)
  package static let goneUnknown = Seen(245)
  package static let waitedForLeft = Seen(246)
  package static let lackedRoom = Seen(251)
  package static let sparedOlder = Seen(252)
  package static let topicForgotten = Seen(253)
  package static let becameAnonymousLater = Seen(254)
  package static let tooManyAnonymous = Seen(255)
  package static let waitedBehindOwn = Seen(256)
  package static let tookTurns = Seen(257)
  package static let connectionsTookTurns = Seen(258)
  package static let leftWithOthers = Seen(259)
  package static let leftLinksCounted = Seen(260)
  package static let leftPatternsCounted = Seen(261)
  package static let tookOverPlace = Seen(262)
  package static let removedEmpty = Seen(263)
  package static let copyWithoutRoom = Seen(264)
  package static let letGo = Seen(265)
  package static let tooFast = Seen(266)
  package static let stillTooFast = Seen(267)
  package static let toldDisagreement = Seen(268)
  package static let foundSlow = Seen(269)
  package static let explainedUnreached = Seen(270)
  package static let foundEmpty = Seen(271)
  package static let partPassed = Seen(272)
  package static let mountPassed = Seen(273)
  package static let tracePart = Seen(274)
  package static let explainedPart = Seen(275)
  package static let explainedPassed = Seen(276)
  package static let toldWithin = Seen(277)
  package static let doesNotFit = Seen(280)
  package static let mountDoesNotFit = Seen(281)
  package static let askedInDoubt = Seen(282)
  package static let traceCondition = Seen(283)
  package static let explainedCondition = Seen(284)
  package static let explainedDoubt = Seen(285)
  package static let stage = Seen(286)
  package static let stageEnded = Seen(287)
  package static let stageCancelled = Seen(288)
  package static let stageMissed = Seen(289)
  package static let stageRefused = Seen(290)
  package static let messageInStage = Seen(291)
  package static let keptShared = Seen(292)
  package static let spanBegun = Seen(293)
  package static let spanGoesOn = Seen(294)
  package static let spanTooMany = Seen(295)
  package static let happeningHidden = Seen(178)
  package static let findingHidden = Seen(179)

  /// Everything by name.
  package static let table: [(name: String, bit: Seen)] = [
    ("verdict handled", .handled), ("verdict continue", .continued),
    ("verdict continue that rewrites", .rewritten), ("verdict reject", .rejected),
    ("verdict failed", .failed), ("verdict working", .working), ("late verdict", .late),
    ("unknown offer", .unknownOffer), ("verdict without the id that it needs", .missingID),
    ("cause timeout", .timeout),
    ("cause disconnect", .disconnect), ("cause overload", .overload),
    ("cause breaker", .breaker), ("breaker probed", .probe), ("policy stop", .stop),
    ("mode first", .first), ("mode all", .all), ("several results", .severalResults),
    ("results truncated", .truncated), ("mode notify", .notify), ("waited for its key", .keyWaited),
    ("mount entered", .mountEntered), ("mounted chain entered before", .mountSkipped),
    ("circle refused", .circle), ("unmounted", .unmounted), ("replica joined", .joined),
    ("replica refused", .mismatch), ("place held", .held), ("place taken again", .cameBack),
    ("hold ended", .holdEnded), ("came to an empty place", .emptyPlace),
    ("offer repeated", .repeated), ("shadow", .shadow), ("waited at a link", .waited),
    ("link replaced", .replaced), ("link removed", .removed),
    ("offer kept its name", .nameKept), ("offer kept its policy", .policyKept),
    ("link removed in mid-walk", .removedMidWalk), ("link lost in mid-walk", .lostMidWalk),
    ("links renumbered", .moved), ("deadline", .deadline),
    ("unhandled", .unhandled), ("event", .event), ("broadcast without echo", .withoutEcho),
    ("half-closed while owed results", .halfClosedOwed), ("closed with open offers", .closedWithOffers),
    ("ping of a heartbeat", .ping), ("ended as idle", .idle),
    ("ended for too many errors", .tooManyErrors), ("refused for its meaning", .refused),
    ("walked to be published", .via),
    ("published", .published),
    ("shadow agreed", .agreed),
    ("shadow disagreed", .disagreed),
    ("declared link left by its handler", .declaredLeft),
    ("not allowed at a declared link", .notAllowed),
    ("put behind the declared links", .behindDeclared),
    ("members of a declared link ignored", .ignored),
    ("refused in a closed chain", .closedRefused),
    ("passed an empty place", .passedEmpty),
    ("waited at an empty place and passed", .wentOnInVain),
    ("failed at a required link that the file has taken out", .withdrawnRequired),
    ("link moved by a peer", .movedLink),
    ("mount moved by a peer", .movedMount),
    ("link moved by the file", .movedByFile),
    ("settings changed by the file", .settingsChangedByFile),
    ("time of an empty place changed by the file", .holdChangedByFile),
    ("link declared that was there", .declaredLater),
    ("link ended by the file", .endedByFile),
    ("mount ended by the file", .mountEndedByFile),
    ("open chain declared", .openedByFile),
    ("closed chain declared", .closedByFile),
    ("went on because of a raised limit", .raisedLimitWoke),
    ("took mounts of peers out of circles", .circleBroken),
    ("explained an empty place", .explainedEmpty),
    ("trace of an offer", .traceOffer),
    ("trace of a repeated offer", .traceRepeat),
    ("trace of a lost offer", .traceLost),
    ("trace to the deadline", .traceToDeadline),
    ("trace of a failure at once", .traceFailed),
    ("trace of waiting in vain", .traceWaitedInVain),
    ("trace of an unwanted topic", .traceTopic),
    ("trace of a removed link", .traceRemoved),
    ("trace of a visited chain", .traceVisited),
    ("trace of a shadow", .traceShadow),
    ("trace of waiting for a key", .traceKeyWait),
    ("trace beyond the server begun", .spanBegun),
    ("trace beyond the server gone on with", .spanGoesOn),
    ("not traced beyond the server: too many", .spanTooMany),
    ("walk watched by a subscriber", .watched),
    ("told of an insert", .toldInserted),
    ("told of a removal", .toldRemoved),
    ("told of a replacement", .toldReplaced),
    ("told of a held place", .toldHeld),
    ("told of a breaker", .toldBreaker),
    ("told of an unhandled message", .toldUnhandled),
    ("told of a deadline", .toldTimeout),
    ("told a trace", .toldTrace),
    ("explained topic", .explainedTopic),
    ("explained visited", .explainedVisited),
    ("explained a mount", .explainedMount),
    ("explained an offer", .explainedOffer),
    ("explained a shadow", .explainedShadow),
    ("explained an absent place", .explainedAbsent),
    ("explained a breaker", .explainedBreaker),
    ("explained an overload", .explainedOverload),
    ("explained a held place", .explainedHeld),
    ("explained a full window", .explainedWindow),
    ("explained a stop", .explainedStop), ("explained what is behind a stop", .explainedUnreached),
    ("inspected links", .inspected),
    ("inspected what waits for keys", .inspectedKeyed),
    ("the server went", .drained),
    ("refused while draining", .drainRefused),
    ("ended by the drain", .drainEnded),
    ("turned away while draining", .drainTurnedAway),
    ("offer cut by the drain", .drainCapped),
    ("sender paused", .paused),
    ("paused sender read again", .readAgain),
    ("busy", .busy),
    ("inspected the server", .inspectedServer),
    ("inspected a paused sender", .inspectedPaused),
    ("paused for what is unsent", .pausedUnsent),
    ("offers waited for a reader", .offersWaitedForReader),
    ("events missed", .missed),
    ("ended as too slow", .tooSlow),
    ("ended for unanswered offers", .leftOffers),
    ("ended for a line without its end", .lineTimeout),
    ("ended for the bytes of unfinished lines", .lineGivenUp),
    ("left for later", .crowdedOut),
    ("turned away", .tooManyConnections),
    ("a silent one made room", .madeRoom),
    ("too many patterns of all", .tooManyPatterns),
    ("too many replicas", .tooManyReplicas),
    ("too many mounts", .tooManyMounts),
    ("too many links", .tooManyLinks),
    ("more than its share", .shareOfFree),
    ("left for later at its share", .overShare),
    ("place not held for want of room", .placesFull),
    ("explained a slow reader", .explainedUnsent),
    ("explained in pages", .explainedInPages),
    ("inspected in pages", .inspectedInPages),
    ("failure in a result", .listedFailure),
    ("more failures than are listed", .moreFailures),
    ("message cut", .cutMessage),
    ("message in a trace", .traceMessage),
    ("inspected a last failure", .inspectedFailure),
    ("told of a failure", .toldFailed),
    ("told of several failures at once", .toldSeveralFailed),
    ("told kept walks", .toldWalks),
    ("told kept walks in pages", .toldWalksInPages),
    ("told a partial walk", .keptPartial),
    ("told a walk without its last steps", .keptCut),
    ("told a walk without steps", .keptWithoutSteps),
    ("told a walk with its trace", .keptWithTrace),
    ("walk forgotten for others of its status", .keptForgotten),
    ("walk forgotten of the largest group, and an older one kept", .keptShared),
    ("found a breaker", .foundBreaker),
    ("found an absent handler", .foundAbsent), ("found an empty place", .foundEmpty),
    ("found a failing link", .foundFailing),
    ("found a slow link", .foundSlow),
    ("found what waits", .foundWaiting),
    ("found a paused sender", .foundPaused),
    ("found missed events", .foundMissed),
    ("found a limit", .foundLimit),
    ("closed by a peer", .closedByPeer),
    ("closed its own connection", .closedItself),
    ("half-closed and closed by a peer", .closedHalf),
    ("closed nobody", .closedNobody),
    ("inspected an offered message", .messageOffered),
    ("inspected a waiting message", .messageWaiting),
    ("inspected a message at a held place", .messageHeld),
    ("inspected a message that waits for its key", .messageWithKey),
    ("inspected connections", .toldConnections),
    ("inspected a connection with unsent bytes", .toldUnsent),
    ("inspected a paused connection", .toldPaused),
    ("trace not wanted", .traceNotWanted),
    ("trace wanted", .traceWanted),
    ("traces left out", .leftOut),
    ("inspected a history", .toldHistory),
    ("inspected several samples", .toldSamples),
    ("no room for a history", .historyRefused),
    ("history taken from another link", .historyTaken),
    ("refused a right", .denied),
    ("kept what only a manager may choose", .settingsKept),
    ("rank ignored", .rankIgnored),
    ("certificate and user of two entries", .fitsTwo),
    ("known by certificate or user", .knownByFacts),
    ("a stranger made room", .strangerMadeRoom),
    ("wrong token", .authFailed),
    ("another token refused", .otherTokenRefused),
    ("became another identity", .becameAnother),
    ("a stranger's line too long", .strangersLineTooLong),
    ("a stranger's line was no JSON", .strangersJSON),
    ("told to say who it is", .authRequired),
    ("one anonymous connection of an address too many", .tooManyAnonymous),
    ("became anonymous when another one had gone", .becameAnonymousLater),
    ("a stranger's time was over", .strangersTimeOver),
    ("several denials told at once", .severalDenials),
    ("told of a denial", .toldDenied),
    ("the file was read anew", .reloaded),
    ("told of a reload", .toldReloaded),
    ("ended because its name is no more", .namedNoMore),
    ("ended because it is somebody else", .namedAnew),
    ("link ended by a reload", .linkRevoked),
    ("offer ended by a reload", .offerRevoked),
    ("verdict refused after a reload", .revokedVerdict),
    ("subscription ended by a reload", .subscriptionRevoked),
    ("link hidden in a result", .byHidden),
    ("message of a failure hidden", .messageHidden),
    ("answer hidden behind a mount", .resultHidden),
    ("failure hidden behind a mount", .failureHidden),
    ("step hidden behind a mount", .traceHidden),
    ("explained a hidden mount", .explainedHidden),
    ("kept walk told in part", .walkHidden),
    ("not told of a chain by a topic of the server", .happeningHidden),
    ("finding hidden", .findingHidden),
    ("one connection of an identity too many", .oneTooMany),
    ("waited for messages of its identity", .waitedForIdentity),
    ("waited for what was left under way", .waitedForLeft),
    ("cancelled an offer", .cancelledOffer),
    ("cancelled what waited at a link", .cancelledWaiting),
    ("cancelled what waited for its key", .cancelledKeyed),
    ("cancelled the oldest of several", .cancelledOldest),
    ("cancelled nothing", .cancelledInVain),
    ("traced a message that was cancelled", .traceCancelled),
    ("chain entered again through the file's mounts", .mountEnteredAgain),
    ("explained that a chain is entered again", .explainedAgain),
    ("gave a value that stays", .gaveValue),
    ("took a value away", .valueTakenAway),
    ("no room for a value", .valueRefused),
    ("kept an event", .keptEvent),
    ("dropped an event for want of room", .lackedRoom),
    ("dropped an event, and kept an older one of another identity", .sparedOlder),
    ("forgot a topic without events", .topicForgotten),
    ("gave a kept event", .gaveEvent),
    ("told that some events may be gone", .goneInPart),
    ("told how many events are gone", .goneWhole),
    ("told that what is gone is not known", .goneUnknown),
    ("waited behind others of its identity", .waitedBehindOwn),
    ("identities took turns at a link", .tookTurns),
    ("connections took turns at a link", .connectionsTookTurns),
    ("left what waits with others of its identity", .leftWithOthers),
    ("links counted that others had left", .leftLinksCounted),
    ("patterns counted that others had left", .leftPatternsCounted),
    ("took over somebody else's place", .tookOverPlace),
    ("took out empty places", .removedEmpty),
    ("a shadow had no room for a copy", .copyWithoutRoom),
    ("let a lapsed offer go", .letGo),
    ("more than may be sent in a second", .tooFast),
    ("in debt from a connection that has gone", .stillTooFast),
    ("told with what a shadow disagreed", .toldDisagreement),
    ("passed a link for a part of the messages", .partPassed),
    ("passed a mount for a part of the messages", .mountPassed),
    ("traced a link for another part", .tracePart),
    ("explained a link for a part", .explainedPart),
    ("explained a link for another part", .explainedPassed),
    ("told how many messages led to an event", .toldWithin),
    ("did not fit a condition", .doesNotFit),
    ("did not fit the condition of a mount", .mountDoesNotFit),
    ("asked in doubt", .askedInDoubt),
    ("traced a condition that did not fit", .traceCondition),
    ("explained a condition that does not fit", .explainedCondition),
    ("explained a condition in doubt", .explainedDoubt),
    ("asked links at once", .stage),
    ("took a message back from others that were asked at once", .stageEnded),
    ("cancelled a message in a stage", .stageCancelled),
    ("a message ended in a stage at its deadline", .stageMissed),
    ("a link in a stage took or rewrote a message", .stageRefused),
    ("told of a message in a stage", .messageInStage),
  ]
}
