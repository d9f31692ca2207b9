internal import HTTP

/// `GET /metrics`: asks the router whether the peer may see the server, and writes the report piece by piece.
final class MetricsExchange: HTTPExchange {
  private var text: [UInt8] = []
  private var cursor = MetricsCursor()
  private var isGranted = false

  override func answered(_ mark: AnswerMark, _ line: UnsafeRawBufferPointer) {
    guard mark.status == 200 else { return super.answered(mark, line) }
    guard door.reports < HTTPLimits.mostReports else { return settle(HTTPRefusal.busy.answer(cors: request.cors)) }
    isGranted = true
    door.reports += 1
    socket.isReporting = true
    leave()
  }

  override func over(_ answer: HTTPAnswer?) {
    if isGranted { goOn() } else { super.over(answer) }
  }

  /// Writes the next piece. The rest comes in the next turn, so that others have their turns.
  private func goOn() {
    guard socket.exchange === self else { return }
    guard door.server.metricsText(from: &cursor, into: &text) else { return door.later { [self] in goOn() } }
    let headers = [
      (name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8"), ("Cache-Control", "no-store"),
    ]
    super.over(HTTPAnswer(200, headers: headers + request.cors, body: text))
  }
}

struct MetricsCursor {}
extension Server {
  func metricsText(from cursor: inout MetricsCursor, into text: inout [UInt8]) -> Bool { true }
}
