/// Faults that can be planted between the core and the network. Each breaks one invariant, and must be found under that
/// invariant's name. Faults in what lines say are planted in the model's comparison.
enum Fault: String, CaseIterable {
  case resultSwallowed = "result-swallowed"
  case resultTwice = "result-twice"
  case cancelledInVain = "cancelled-in-vain"
  case cancelledUnasked = "cancelled-unasked"
  case cancelledLater = "cancelled-later"
  case closeUntold = "close-untold"
  case wrongID = "wrong-id"
  case lineCut = "line-cut"
  case wakeStale = "wake-stale"
  case copyUncounted = "copy-uncounted"
  case placeUncounted = "place-uncounted"
  case heldPlaceUncounted = "held-place-uncounted"
  case mountUncounted = "mount-uncounted"
  case stageUncounted = "stage-uncounted"
  case stageLeftEarly = "stage-left-early"
  case stageLeftTwice = "stage-left-twice"
  case takenBackUntold = "taken-back-untold"
  case traceForgotten = "trace-forgotten"
  case spanRepeated = "span-repeated"
  // In worlds in which identities have limits.
  case limitUnheard = "limit-unheard"
  // In worlds in which an observer watches chains.
  case offerTwice = "offer-twice"
  case reloadInPlace = "reload-in-place"
  case linkLeftOut = "link-left-out"
  case acceptsForgotten = "accepts-forgotten"
  case guardOpened = "guard-opened"
  case partForgotten = "part-forgotten"
  case partTurned = "part-turned"
  case partShifted = "part-shifted"
  case conditionForgotten = "condition-forgotten"
  case conditionOfAnother = "condition-of-another"
  case doubtUntold = "doubt-untold"
  case doubtForged = "doubt-forged"
  case depthForgotten = "depth-forgotten"
  case depthOneMore = "depth-one-more"
  case depthForged = "depth-forged"
  case reloadUnheard = "reload-unheard"
  case orderSwapped = "order-swapped"
  case placeKept = "place-kept"
  case olderPlaceKept = "older-place-kept"
  // In worlds in which something stays.
  case keptTwice = "kept-twice"
  case keptLeftOut = "kept-left-out"
  case goneUntold = "gone-untold"
  case goneMiscounted = "gone-miscounted"
  case valueLeftOut = "value-left-out"
  case valueTwice = "value-twice"
  case historyTooLarge = "history-too-large"
  case valuesTooMany = "values-too-many"
  case identitiesConfused = "identities-confused"
  // In worlds with a strict record.
  case recordedTwice = "recorded-twice"
  case recordedNever = "recorded-never"
  case recordedOther = "recorded-other"
  case toldEarly = "told-early"
  // In a crowd.
  case tickInOneGo = "tick-in-one-go"
  case busyWithoutSum = "busy-without-sum"
  // In a long world.
  case churnCloseUntold = "churn-close-untold"
  case churnResultSwallowed = "churn-result-swallowed"
  case placesKept = "places-kept"

  /// The invariant that the fault breaks.
  var breaks: Invariant {
    switch self {
    case .resultSwallowed, .resultTwice, .cancelledInVain, .cancelledUnasked, .cancelledLater:
      .endsOnce
    case .closeUntold, .placesKept: .nothingLeft
    case .wrongID: .oneReply
    case .lineCut, .churnCloseUntold, .churnResultSwallowed: .coherentDoor
    case .wakeStale: .onTime
    case .copyUncounted, .placeUncounted, .heldPlaceUncounted, .mountUncounted, .stageUncounted: .accountsCount
    case .stageLeftEarly, .stageLeftTwice: .atOnePlace
    case .takenBackUntold: .offersEnd
    case .limitUnheard: .limitsHold
    case .offerTwice: .walksOnce
    case .reloadInPlace, .linkLeftOut, .acceptsForgotten: .oneVersion
    case .guardOpened: .guarded
    case .partForgotten, .partTurned, .partShifted: .itsPart
    case .conditionForgotten, .conditionOfAnother, .doubtUntold, .doubtForged: .itsCondition
    case .depthForgotten, .depthOneMore, .depthForged: .itsDepth
    case .traceForgotten, .spanRepeated: .itsTrace
    case .reloadUnheard, .orderSwapped: .asDeclared
    case .placeKept: .nothingLeft
    case .olderPlaceKept: .placesEnd
    case .keptTwice: .keptOnce
    case .keptLeftOut, .goneUntold: .noSilentHole
    case .goneMiscounted: .goneCounted
    case .valueLeftOut, .valueTwice: .valuesStay
    case .historyTooLarge, .valuesTooMany: .keptInBounds
    case .identitiesConfused: .fairHistory
    case .recordedTwice, .recordedNever, .recordedOther, .toldEarly: .recorded
    case .tickInOneGo, .busyWithoutSum: .boundedTurns
    }
  }

  /// Whether it is planted where something stays, and nowhere else.
  var isOfWhatStays: Bool {
    [.keptOnce, .noSilentHole, .goneCounted, .valuesStay, .keptInBounds, .fairHistory].contains(breaks)
  }

  /// Whether it is planted where an observer watches chains, and nowhere else.
  var isOfChains: Bool {
    [.walksOnce, .oneVersion, .guarded, .itsPart, .itsCondition, .itsDepth, .asDeclared, .placesEnd].contains(breaks)
      || self == .placeKept
  }

  /// Whether it is planted where there is a strict record, and nowhere else.
  var isOfRecord: Bool { breaks == .recorded }

  /// Whether a world has few chances for it: it is planted at one of the first two then, and not of the first twelve.
  var isSeldom: Bool { [.stageLeftTwice, .doubtUntold, .depthForgotten, .depthOneMore].contains(self) }

  /// Whether it is planted in a crowd and not in worlds.
  var isOfCrowd: Bool { breaks == .boundedTurns }

  /// Whether it is planted in a long world and not in others.
  var isOfLongWorld: Bool { rawValue.hasPrefix("churn") || self == .placesKept }
}
