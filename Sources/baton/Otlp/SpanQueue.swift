/// The spans that wait to be posted. If they are too many, the oldest go.
actor SpanQueue {
  /// The most bytes that wait, and the most spans that are posted at once.
  private static let mostBytes = 4 << 20
  private static let mostAtOnce = 512

  let clock: any Clock<Duration>
  /// Those that are being posted, and those behind them.
  private var batch: [[UInt8]] = []
  private var spans: [[UInt8]] = []
  /// The number of spans at the front that were taken or dropped.
  private var gone = 0
  /// With those that are being posted.
  private var bytes = 0
  /// The spans that were dropped, and the messages that this program was told too late of, since they were told.
  private var lost = (spans: 0, messages: 0)
  private var hasEnded = false
  private var waiter: CheckedContinuation<Void, Never>?

  init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  private var waiting: Int { spans.count - gone }

  func add(_ more: [[UInt8]]) {
    for span in more {
      spans.append(span)
      bytes += span.count
      while bytes > Self.mostBytes, gone < spans.count {
        bytes -= spans[gone].count
        gone += 1
        lost.spans += 1
      }
    }
    tidy()
    // While a batch is being posted, it is a pause that is waited for.
    if batch.isEmpty, waiting >= Self.mostAtOnce { wake() }
  }

  /// So many messages were missed.
  func lose(_ messages: Int) { lost.messages += messages }

  /// No more spans come. Nobody waits from now on.
  func end() {
    hasEnded = true
    wake()
  }

  /// The spans to post next: as many as go at once, or those of a second. They are the same until `posted`. Nil if there are
  /// none, and no more come.
  func next() async -> [[UInt8]]? {
    while batch.isEmpty {
      if waiting < Self.mostAtOnce, await !rest(for: .seconds(1)), waiting == 0 { return nil }
      let end = min(spans.count, gone + Self.mostAtOnce)
      batch = Array(spans[gone..<end])
      gone = end
      tidy()
    }
    return batch
  }

  /// These wait no more; so many of them are lost.
  func posted(lost count: Int) {
    bytes -= batch.reduce(0) { $0 + $1.count }
    batch = []
    lost.spans += count
  }

  /// Waits so long, or until no more spans come. Returns false if none come already.
  func rest(for time: Duration) async -> Bool {
    if hasEnded { return false }
    let alarm = Task {
      try? await clock.sleep(for: time)
      if !Task.isCancelled { wake() }
    }
    await withCheckedContinuation { waiter = $0 }
    alarm.cancel()
    return true
  }

  /// All that wait are lost.
  func giveUp() {
    lost.spans += batch.count + waiting
    (batch, spans, gone, bytes) = ([], [], 0, 0)
  }

  /// What was lost since this was asked last; nil if nothing was.
  func takeLost() -> (spans: Int, messages: Int)? {
    defer { lost = (0, 0) }
    return lost == (0, 0) ? nil : lost
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  private func tidy() {
    guard gone >= 1024 || gone == spans.count else { return }
    spans.removeFirst(gone)
    gone = 0
  }
}
