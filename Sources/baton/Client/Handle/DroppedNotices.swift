import BatonClient

/// Tells of notices that were dropped because too many wait: of the first at once, then once a second how many more, and
/// at the end how many there were.
actor DroppedNotices {
  private var all = 0
  /// How many of them no line has told yet.
  private var untold = 0
  /// Whether a line was written within the last second.
  private var rests = false

  /// A notice has been dropped, which waited for this.
  func note(_ message: Message, for whom: String) {
    all += 1
    guard !rests else { return untold += 1 }
    let next = "if more are dropped, a line a second says how many"
    talk("\(message.words): dropped: too many notices wait for \(whom); \(next)")
    rest(whom)
  }

  private func rest(_ whom: String) {
    rests = true
    Task {
      try? await Task.sleep(for: .seconds(1))
      tellMore(whom)
    }
  }

  private func tellMore(_ whom: String) {
    rests = false
    guard untold > 0 else { return }
    talk("\(counted(untold, "more notice was", "more notices were")) dropped: too many wait for \(whom)")
    untold = 0
    rest(whom)
  }

  /// The command ends: this many that waited are dropped.
  func end(_ waiting: Int) {
    let now = waiting > 0 ? "\(counted(waiting, "notice that waited is", "notices that waited are")) dropped" : nil
    let before = all > 0 ? "\(counted(all, "notice was", "notices were")) dropped before, because too many waited" : nil
    let words = [now, before].compactMap { $0 }
    if !words.isEmpty { talk(words.joined(separator: "; ")) }
    untold = 0
  }
}
