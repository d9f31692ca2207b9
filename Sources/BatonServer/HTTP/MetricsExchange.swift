internal import HTTP

/// `GET /metrics`: asks the router whether the peer may see the server, and writes the report piece by piece. The next
/// piece is made when the peer has taken the one before.
final class MetricsExchange: HTTPExchange {
  private var cursor = MetricsCursor(for: .nobody)
  private var isGranted = false
  /// Whether pieces have lengths, so that the socket can be kept behind them.
  private var isChunked = false
  /// Whether the peer has to take a piece first.
  private var isWaiting = false

  override func answered(_ mark: AnswerMark, _ line: [UInt8]) {
    guard mark.status == 200 else { return super.answered(mark, line) }
    guard door.reports < HTTPLimits.mostReports else {
      return settle(HTTPRefusal.tooManyReports(HTTPLimits.mostReports).answer(cors: request.cors))
    }
    isGranted = true
    door.reports += 1
    socket.isReporting = true
    leave()
  }

  /// Soon the router does not know any more who asks.
  override func leaves(_ connection: PeerConnection) {
    if isGranted { cursor = MetricsCursor(for: door.server.router.pointee.sight(of: connection.id)) }
  }

  override func over(_ answer: HTTPAnswer?) {
    guard isGranted else { return super.over(answer) }
    guard socket.exchange === self else { return }
    var headers = HTTPAnswer.headers(ofType: MetricsText.type) + request.cors
    isChunked = socket.keepsAlive
    if isChunked { headers.append(("Transfer-Encoding", "chunked")) }
    socket.beginStream(HTTPAnswer(200, headers: headers), isKept: isChunked)
    if request.isHead { return socket.streamEnded(self, isKept: isChunked) }
    goOn()
  }

  /// Writes the next piece. The rest comes in later turns, so that others have their turns.
  private func goOn() {
    guard socket.exchange === self else { return }
    guard socket.writer.isEmpty else { return isWaiting = true }
    var piece: [UInt8] = []
    let isLast = door.server.addMetrics(from: &cursor, to: &piece)
    if isChunked {
      if !piece.isEmpty { piece = Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10] }
      if isLast { piece += "0\r\n\r\n".utf8 }
    }
    socket.send(piece)
    if isLast { return socket.streamEnded(self, isKept: isChunked) }
    door.later { [self] in goOn() }
  }

  override func socketWrote() {
    guard isWaiting else { return }
    isWaiting = false
    door.later { [self] in goOn() }
  }
}
