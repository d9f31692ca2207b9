/// The rules of the contract that can be switched off one by one, to prove that the comparison would see a core that
/// does not keep them.
package enum Rule: String, CaseIterable, Sendable {
  case fairShareCountsMounts = "fair-share-counts-mounts"
  case waitingWithinShare = "waiting-within-share"
  case removedIsSkipped = "removed-is-skipped"
  case lostFails = "lost-fails"
  case insertedSinceIsNotVisited = "inserted-since-is-not-visited"
  case windowLimits = "window-limits"
  case queueKeepsOrder = "queue-keeps-order"
  case fewestOpenFirst = "fewest-open-first"
  case tiesInTurn = "ties-in-turn"
  case againIsMarked = "again-is-marked"
  case againGoesAhead = "again-goes-ahead"
  case againOnce = "again-once"
  case holdKeepsPlace = "hold-keeps-place"
  case requiredStays = "required-stays"
  case emptyPlaceIsDisconnect = "empty-place-is-disconnect"
  case breakerAtFive = "breaker-at-five"
  case breakerProbesOnce = "breaker-probes-once"
  case keyInOrder = "key-in-order"
  case allGoesOn = "all-goes-on"
  case rewriteIsSeen = "rewrite-is-seen"
  case diamondEnteredOnce = "diamond-entered-once"
  case mountIsBoundary = "mount-is-boundary"
  case circleIsRefused = "circle-is-refused"
  case workingWithinDeadline = "working-within-deadline"
  case policyPerCause = "policy-per-cause"
  case deadlineWins = "deadline-wins"
  case shadowIsNotCounted = "shadow-is-not-counted"
  case oldestWithoutID = "oldest-without-id"
  case resultsAfterHalfClose = "results-after-half-close"
  case eventOnce = "event-once"
  case replacedIsTold = "replaced-is-told"
  case heldMissesNotice = "held-misses-notice"

  /// What holds of the core only once it has mounts, shares, holds, policies and breakers.
  package var isOfChains: Bool {
    switch self {
    case .fairShareCountsMounts, .fewestOpenFirst, .tiesInTurn, .againIsMarked, .againGoesAhead, .againOnce,
      .holdKeepsPlace, .requiredStays, .emptyPlaceIsDisconnect, .breakerAtFive, .breakerProbesOnce, .keyInOrder,
      .allGoesOn, .diamondEnteredOnce, .mountIsBoundary, .circleIsRefused, .policyPerCause, .deadlineWins,
      .shadowIsNotCounted, .heldMissesNotice:
      true
    default: false
    }
  }
}
