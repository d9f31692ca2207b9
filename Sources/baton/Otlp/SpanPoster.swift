import Curl

/// Posts spans to a collector, one request after the other, and again what it does not take. It tells what is lost.
struct SpanPoster: Sendable {
  private let queue: SpanQueue
  private let headers: [(name: String, value: String)]
  /// What tells this start of the server from all others.
  private let start: @Sendable () async -> String?
  private let tell: @Sendable (String) -> Void
  private let post: @Sendable (WebRequest) async throws -> WebAnswer

  /// The time of a request, and of all that are posted once no more spans come.
  static let time: Duration = .seconds(5)
  private static let pauses: (least: Duration, most: Duration) = (.seconds(1), .seconds(30))
  private static let minute: Duration = .seconds(60)
  /// Bytes of an answer that are read.
  private static let mostAnswer = 64 << 10

  init(
    _ queue: SpanQueue, _ headers: [(name: String, value: String)], start: @escaping @Sendable () async -> String?,
    tell: @escaping @Sendable (String) -> Void = talk, post: @escaping @Sendable (WebRequest) async throws -> WebAnswer
  ) {
    (self.queue, self.start, self.tell, self.post) = (queue, start, tell, post)
    self.headers = headers + [("Content-Type", "application/json")]
  }

  /// Until no more spans come and none waits. What is not taken then, is not posted again.
  func run() async {
    let telling = Task { while (try? await queue.clock.sleep(for: Self.minute)) != nil { await tellLost() } }
    var (pause, last) = (Self.pauses.least, PostedSpans.Outcome.taken)
    while let spans = await queue.next() {
      let posted = await outcome(of: spans)
      if posted.outcome != last { tell(posted.words) }
      last = posted.outcome
      if posted.outcome != .later {
        await queue.posted(lost: posted.lost)
        pause = Self.pauses.least
      } else if await queue.rest(for: pause) {
        pause = min(pause * 2, Self.pauses.most)
      } else {
        break
      }
    }
    telling.cancel()
    await queue.giveUp()
    await tellLost()
  }

  private func outcome(of spans: [[UInt8]]) async -> PostedSpans {
    let request = WebRequest(
      body: OtlpSpan.request(spans, start: await start()), headers: headers, time: Self.time, mostBody: Self.mostAnswer)
    do {
      return PostedSpans(spans.count, try await post(request))
    } catch {
      return PostedSpans(.later, why: error is CancellationError ? "it has not answered" : "\(error)")
    }
  }

  private func tellLost() async {
    guard let lost = await queue.takeLost() else { return }
    var words: [String] = []
    if lost.spans > 0 { words.append("\(counted(lost.spans, "span was", "spans were")) dropped") }
    if lost.messages > 0 { words.append("traces of \(counted(lost.messages, "message", "messages")) were missed") }
    tell(words.joined(separator: ", "))
  }
}
