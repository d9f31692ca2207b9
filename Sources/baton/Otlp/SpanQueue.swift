/// The spans that wait to be posted. If they are too many, the oldest go.
actor SpanQueue {
  /// The most bytes that wait, and the most spans that are posted at once.
  private static let mostBytes = 4 << 20
  private static let mostAtOnce = 512

  private var spans: [[UInt8]] = []
  /// The number of spans at the front that were taken or dropped.
  private var gone = 0
  /// With those that are being posted.
  private var bytes = 0
  /// The spans that were dropped, and the messages that this program was told too late of, since they were told.
  private var lost = (spans: 0, messages: 0)
  private var waiter: CheckedContinuation<Void, Never>?

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
    if spans.count - gone >= Self.mostAtOnce { wake() }
  }

  /// So many messages were missed.
  func lose(_ messages: Int) { lost.messages += messages }

  /// So many spans are lost that were taken.
  func drop(_ count: Int) { lost.spans += count }

  /// The spans to post next: as many as go at once, or those of a second. They count until `posted`.
  func next() async -> [[UInt8]] {
    if spans.count - gone < Self.mostAtOnce {
      let second = Task {
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
        self.wake()
      }
      await withCheckedContinuation { waiter = $0 }
      second.cancel()
    }
    let count = min(spans.count - gone, Self.mostAtOnce)
    defer {
      gone += count
      tidy()
    }
    return Array(spans[gone..<gone + count])
  }

  /// These wait no more.
  func posted(_ spans: [[UInt8]]) { bytes -= spans.reduce(0) { $0 + $1.count } }

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
