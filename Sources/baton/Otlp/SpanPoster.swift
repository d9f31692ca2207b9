import BatonClient
import Curl

/// Posts spans to a collector, one request after the other, and again what it does not take.
struct SpanPoster: Sendable {
  private let queue: SpanQueue
  private let service: WebService
  private let headers: [(name: String, value: String)]
  /// What tells this start of the server from all others.
  private let start: @Sendable () async -> String?

  private static let time: Duration = .seconds(5)
  private static let pauses: (least: Duration, most: Duration) = (.seconds(1), .seconds(30))
  private static let minute: Duration = .seconds(60)

  init(
    _ queue: SpanQueue, _ service: WebService, _ headers: [(name: String, value: String)],
    start: @escaping @Sendable () async -> String?
  ) {
    (self.queue, self.service, self.start) = (queue, service, start)
    self.headers = headers + [("Content-Type", "application/json")]
  }

  /// What came of a request.
  private enum Outcome {
    case taken
    /// It is posted again.
    case later(String)
    /// It would never be taken.
    case refused(String)
  }

  /// Until the task is cancelled.
  func run() async {
    var (isFailing, told) = (false, ContinuousClock.now)
    while !Task.isCancelled {
      let spans = await queue.next()
      if !spans.isEmpty {
        await post(spans, &isFailing)
        await queue.posted(spans)
      }
      guard ContinuousClock.now - told >= Self.minute else { continue }
      told = .now
      await tellLost()
    }
  }

  private func post(_ spans: [[UInt8]], _ isFailing: inout Bool) async {
    let request = WebRequest(
      body: OtlpSpan.request(spans, start: await start()), headers: headers, time: Self.time, mostBody: 4096)
    var (pause, told) = (Self.pauses.least, ContinuousClock.now)
    while !Task.isCancelled {
      switch await outcome(of: request) {
      case .taken:
        if isFailing { talk("the collector takes traces again") }
        isFailing = false
        return
      case .refused(let why):
        if !isFailing { talk("the collector refuses traces: \(why)") }
        isFailing = true
        return await queue.drop(spans.count)
      case .later(let why):
        if !isFailing { talk("the collector takes no traces: \(why); they are posted again") }
        isFailing = true
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, Self.pauses.most)
      }
      guard ContinuousClock.now - told >= Self.minute else { continue }
      told = .now
      await tellLost()
    }
  }

  private func outcome(of request: WebRequest) async -> Outcome {
    do {
      let answer = try await service.post(request)
      switch answer.status {
      case 200..<300: return .taken
      // OTLP says which are tried again.
      case 429, 502, 503, 504: return .later("it answers with status \(answer.status)")
      default: return .refused("it answers with status \(answer.status)")
      }
    } catch let fault as WebFault {
      return .later(fault.description)
    } catch {
      return .later("\(error)")
    }
  }

  private func tellLost() async {
    guard let lost = await queue.takeLost() else { return }
    var words: [String] = []
    if lost.spans > 0 { words.append("\(lost.spans) spans were dropped") }
    if lost.messages > 0 { words.append("traces of \(lost.messages) messages were missed") }
    talk(words.joined(separator: ", "))
  }
}
