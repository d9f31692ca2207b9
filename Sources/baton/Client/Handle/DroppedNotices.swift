import BatonClient

/// Tells of notices that were dropped because too many wait: of the first at once, then once a second how many more.
actor DroppedNotices {
  private var more = 0
  private var toldAt: ContinuousClock.Instant?

  /// A notice has been dropped, which waited for this.
  func note(_ message: Message, for whom: String) {
    more += 1
    guard toldAt.map({ .now - $0 >= .seconds(1) }) ?? true else { return }
    let others = more > 1 ? ", and \(more - 1) others before it" : ""
    talk("\(message.words): dropped\(others): too many notices wait for \(whom)")
    (toldAt, more) = (.now, 0)
  }

  /// The command ends: this many that waited are dropped.
  func end(_ waiting: Int) {
    if more + waiting > 0 { talk("\(more + waiting) notices that waited are dropped") }
    more = 0
  }
}
