import Curl
import Synchronization
import Testing

@testable import baton

/// What `baton otlp` posts, when, and what it says of what is lost (Docs/traces.md, "To a collector").
@Suite struct SpanPosterTests {
  @Test func pausesGrowToHalfAMinute() async {
    let collector = Collector([503, 502, 504, 429, nil, 503, 503, 503, 200, 503, 200])
    let posting = collector.posting()
    await collector.queue.add([[1]])
    await collector.goOn { $0.seconds.count == 9 }
    #expect(collector.seconds == [1, 2, 4, 8, 16, 32, 62, 92, 122])
    await collector.queue.add([[2]])
    await collector.goOn { $0.seconds.count == 11 }
    #expect(collector.seconds.suffix(2) == [123, 124])
    await collector.end(posting)
    let busy = "the collector takes no traces: it answers with status 503"
    let again = "the collector takes traces again"
    #expect(collector.told == [busy, again, busy, again])
  }

  @Test func theOldestGoBeyondFourMegabytes() async {
    let queue = SpanQueue()
    func lost() async -> Int { await queue.takeLost()?.spans ?? 0 }
    await queue.add([[1], [2]] + Array(repeating: [UInt8](repeating: 7, count: 1 << 20), count: 4))
    #expect(await lost() == 2)
    // What is being posted counts, and stays.
    await queue.add((0..<508).map { _ in [] })
    #expect(await queue.next()?.count == 512)
    await queue.add([[3]])
    #expect(await lost() == 1)
    await queue.posted(lost: 0)
    await queue.add([[4]])
    #expect(await lost() == 0)
  }

  @Test func whatIsLostIsToldOnceAMinute() async {
    let collector = Collector([400])
    let posting = collector.posting()
    await collector.queue.add([[1], [2]])
    await collector.queue.lose(3)
    await collector.goOn { $0.told.count == 2 }
    #expect(collector.now == 60)
    await collector.queue.lose(1)
    await collector.goOn { $0.told.count == 3 }
    #expect(collector.now == 120)
    await collector.end(posting)
    #expect(
      collector.told == [
        "the collector refuses traces: it answers with status 400",
        "2 spans were dropped, traces of 3 messages were missed", "traces of 1 message were missed",
      ])
  }

  private static let answers: [(String, lost: Int, words: String?)] = [
    (#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#, 2, #"does not take all spans: "too old""#),
    (#"{"partialSuccess":{"rejectedSpans":7}}"#, 3, "does not take all spans"),
    (#"{"partialSuccess":{"errorMessage":"soon full"}}"#, 0, #"warns: "soon full""#),
    (#"{"partialSuccess":{"rejectedSpans":"-1"}}"#, 0, nil), (#"{"partialSuccess":{}}"#, 0, nil),
    (#"{"partialSuccess":null}"#, 0, nil), ("{}", 0, nil), ("", 0, nil), ("OK", 0, nil),
  ]

  @Test(arguments: answers)
  func whatACollectorTakesInPartIsTold(answer: String, lost: Int, words: String?) async {
    let collector = Collector(answer: answer)
    let posting = collector.posting()
    await collector.queue.add([[1], [2], [3]])
    await collector.end(posting)
    let told = [words.map { "the collector \($0)" }, lost > 0 ? "\(lost) spans were dropped" : nil]
    #expect(collector.told == told.compactMap(\.self))
  }

  @Test func whatWaitsAtTheEndIsPosted() async {
    let collector = Collector()
    let posting = collector.posting()
    await collector.queue.add((0..<600).map { [UInt8($0 % 256)] })
    await collector.end(posting)
    #expect(collector.seconds == [0, 0])
    #expect(collector.told == [])
  }

  @Test func aCollectorThatIsAwayAtTheEndIsTriedOnceMore() async {
    let collector = Collector([503, 503])
    let posting = collector.posting()
    await collector.queue.add([[1]])
    await collector.goOn { $0.seconds.count == 1 }
    // Its pause is over at once.
    await collector.end(posting)
    #expect(collector.seconds == [1, 1])
    #expect(collector.told.last == "1 span was dropped")
  }
}

/// A collector, and the time in which it is posted to.
private final class Collector: Sendable {
  private let clock = HandClock()
  let queue: SpanQueue
  /// What it answers in turn, and 200 then; nil: it cannot be reached.
  private let statuses: [Int?]
  private let answer: String
  private let came = Mutex((seconds: [Int](), told: [String]()))

  init(_ statuses: [Int?] = [], answer: String = "") {
    (self.statuses, self.answer) = (statuses, answer)
    queue = SpanQueue(clock: clock)
  }

  /// When something was posted, in seconds since the beginning; and what was told.
  var seconds: [Int] { came.withLock { $0.seconds } }
  var told: [String] { came.withLock { $0.told } }
  var now: Int { clock.seconds }

  func posting() -> Task<Void, Never> {
    let poster = SpanPoster(
      queue, [], start: { "a" }, tell: { words in self.came.withLock { $0.told.append(words) } },
      post: { _ in
        let turn = self.came.withLock { came in
          came.seconds.append(self.clock.seconds)
          return came.seconds.count - 1
        }
        guard let status = turn < self.statuses.count ? self.statuses[turn] : 200 else { throw CancellationError() }
        return WebAnswer(status: status, headers: [], body: Array(self.answer.utf8))
      })
    return Task { await poster.run() }
  }

  /// Lets the time go on until that is so. It is looked at while the poster sleeps, and what tells of losses.
  func goOn(until isTrue: (Collector) -> Bool) async {
    await clock.whenAsleep(2)
    while !isTrue(self) {
      clock.move()
      await clock.whenAsleep(2)
    }
  }

  func end(_ posting: Task<Void, Never>) async {
    await queue.end()
    await posting.value
  }
}

/// A clock that a test moves.
private final class HandClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
  }

  private struct State {
    var now = Instant()
    var lastID = 0
    var sleepers: [Int: (until: Instant, told: CheckedContinuation<Void, any Error>)] = [:]
    /// Who waits until so many sleep.
    var waiter: (count: Int, told: CheckedContinuation<Void, Never>)?

    mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
      guard let told = waiter?.told, sleepers.count >= waiter?.count ?? 0 else { return nil }
      waiter = nil
      return told
    }
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var seconds: Int { Int(now.offset.components.seconds) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { told in
        let waiter = state.withLock { state in
          state.sleepers[id] = (deadline, told)
          return state.takeWaiter()
        }
        waiter?.resume()
        if Task.isCancelled { wake(id) }
      }
    } onCancel: {
      wake(id)
    }
  }

  private func wake(_ id: Int) {
    state.withLock { $0.sleepers.removeValue(forKey: id) }?.told.resume(throwing: CancellationError())
  }

  func whenAsleep(_ count: Int) async {
    await withCheckedContinuation { told in
      let waiter = state.withLock { state in
        state.waiter = (count, told)
        return state.takeWaiter()
      }
      waiter?.resume()
    }
  }

  /// Moves to the time at which the first of those who sleep wakes.
  func move() {
    let woken = state.withLock { state in
      state.now = state.sleepers.values.map(\.until).min() ?? state.now
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.told)
    }
    for told in woken { told.resume() }
  }
}
