/// Forgets what is kept above limits that a reload has lowered: events, messages that ended, and the last minutes of links.
extension Router {
  /// Begins to forget what is kept above the new limits, in pieces.
  mutating func beginForgetting() {
    if !isForgetting, keepsTooMuch { forgetLater() }
  }

  /// A job forgets what is too much, if none does so.
  mutating func forgetLater() {
    guard !isForgetting else { return }
    isForgetting = true
    beginJob(.forget)
  }

  private var keepsTooMuch: Bool {
    mutating get {
      histories.count > settings.maxHistories
        || keptEvents.bytes > settings.maxHistoryBytes || keptEvents.hasReview
        || failedWalks.exceeds(most: settings.maxKeptWalks, mostBytes: settings.maxKeptBytes)
    }
  }

  /// Forgets a piece of it: messages that ended, and the last minutes of links, the oldest first. Returns true if more is
  /// left.
  mutating func forgetFurther(at now: Instant) -> Bool {
    for _ in 0..<settings.pieces.size {
      let hasForgotten = failedWalks.forgetOne(most: settings.maxKeptWalks, mostBytes: settings.maxKeptBytes)
      let hasTrimmed = keptEvents.bytes > settings.maxHistoryBytes
      if hasTrimmed { _ = keptEvents.trim(to: settings.maxHistoryBytes) }
      let hasReviewed = keptEvents.hasReview
      if hasReviewed { keptEvents.reviewNext(at: now) }
      if histories.count > settings.maxHistories {
        dropHistory(of: histories[firstHistory].link)
      } else if !hasForgotten, !hasTrimmed, !hasReviewed {
        isForgetting = false
        return false
      }
      spent &+= Cost.step
    }
    isForgetting = keepsTooMuch
    return isForgetting
  }
}
