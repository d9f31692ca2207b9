internal import HTTP

/// Reads requests.
extension HTTPSocket {
  /// Takes what has come, up to the end of a request that cannot be answered at once.
  func read(_ bytes: UnsafeRawBufferPointer) {
    var position = 0
    var answered = 0
    door.work += bytes.count * HTTPLimits.costOfByte
    while phase == .idle || phase == .head || phase == .body {
      door.work += HTTPLimits.costOfPart
      switch reader.next(in: bytes, at: &position) {
      case .needsMore:
        noteBegin()
        return
      case .fault(let fault): return refuse(.fault(fault))
      case .head(let head): begin(head)
      case .body(let range): take(UnsafeRawBufferPointer(rebasing: bytes[range]))
      case .end:
        carryOut()
        answered += 1
        // The peer has to take an answer before it gets the next one; and others have their turn.
        guard phase == .idle else { break }
        if !writer.isEmpty || answered == HTTPLimits.requestsPerTurn {
          if position < bytes.count { keep(UnsafeRawBufferPointer(rebasing: bytes[position...])) }
          if writer.isEmpty { door.goOnLater(self) }
          return
        }
      }
    }
    guard position < bytes.count else { return successor = nil }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
    if phase == .answering { keep(rest) }
    successor?.received(rest)
    successor = nil
  }

  /// A head that has begun has its time.
  private func noteBegin() {
    guard phase == .idle, !reader.isBetweenRequests else { return }
    phase = .head
    door.set(self, after: door.limits.request)
  }

  private func begin(_ head: RequestHead) {
    self.head = head
    bodyCount = 0
    let rules = HTTPRules(
      hosts: door.server.httpRules.hosts, origins: door.server.httpRules.origins, isEncrypted: isEncrypted,
      maxLine: door.limits.maxLine, maxDepth: door.limits.maxDepth)
    let plan = HTTPPlan.of(head, rules, secondsToDrain: door.secondsToDrain)
    self.plan = plan
    guard case .none = head.framing else { return beginBody(plan, head) }
    phase = .body
  }

  private func beginBody(_ plan: HTTPPlan, _ head: RequestHead) {
    phase = .body
    door.set(self, after: door.limits.request)
    if case .answer(let answer) = plan, answer.closes { return self.answer(answer) }
    guard head.expectsContinue else { return }
    if case .length(0) = head.framing { return }
    send(HTTPSocket.goAhead)
  }

  private static let goAhead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Takes a part of the body.
  private func take(_ bytes: UnsafeRawBufferPointer) {
    bodyCount += bytes.count
    guard bodyCount <= door.limits.maxLine else {
      return answer(closing: HTTPRefusal.bodyTooLong(rulesOfLines).answer(cors: cors, closes: true))
    }
    // Other pages do not look at it.
    guard case .request(let request) = plan, request.takesBody else { return }
    guard door.mayHold(bytes.count, beside: held) else {
      return answer(closing: HTTPRefusal.busy.answer(cors: request.cors, closes: true))
    }
    body.append(contentsOf: bytes)
  }

  private var rulesOfLines: HTTPRules { HTTPRules(maxLine: door.limits.maxLine) }

  /// Headers of every answer to the request.
  private var cors: [(name: String, value: String)] {
    switch plan {
    case .request(let request), .metrics(let request), .events(let request): request.cors
    default: []
    }
  }

  /// The request is whole.
  private func carryOut() {
    phase = .answering
    door.work += HTTPLimits.costOfRequest + body.count * HTTPLimits.costOfBody
    let plan = plan
    self.plan = nil
    door.set(self, after: nil)
    switch plan {
    case .answer(let answer): self.answer(answer)
    case .healthz: answer(.healthy)
    case .readyz: answer(door.server.isStoreWorking ? .healthy : HTTPRefusal.withoutStore.answer())
    case .metrics(let request): begin(MetricsExchange(self, request))
    case .request(let request): begin(HTTPExchange(self, request))
    case .events(let request): begin(EventStream(self, request))
    case .webSocket(let plan): upgrade(plan)
    case nil: answer(HTTPRefusal.lost.answer(closes: true))
    }
  }

  private func begin(_ exchange: HTTPExchange) {
    let line = exchange.request.line(body: body)
    dropBody()
    switch line {
    case .failure(let answer): self.answer(answer)
    case .success(let line):
      self.exchange = exchange
      exchange.begin(line)
    }
  }

  /// The request asks to become a WebSocket.
  private func upgrade(_ plan: WebSocketPlan) {
    let webSocket = WebSocketTransport(over: self)
    if let refusal = webSocket.begin(plan, on: self) { return answer(refusal) }
    successor = webSocket
  }
}
