internal import BatonCore
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
        if phase == .body, isBodyTooLong { return refuseBody() }
        noteBegin()
        return
      case .fault(let fault): return refuse(.fault(fault))
      case .head(let head):
        door.work += head.fieldCount * HTTPLimits.costOfField
        begin(head)
      case .body(let range): take(UnsafeRawBufferPointer(rebasing: bytes[range]))
      case .end:
        carryOut()
        answered += 1
        // The peer has to take an answer before it gets the next one; and others have their turn.
        guard phase == .idle else { break }
        if !writer.isEmpty || answered == HTTPLimits.requestsPerTurn || !door.mayWork {
          if position < bytes.count { keep(UnsafeRawBufferPointer(rebasing: bytes[position...])) }
          if writer.isEmpty { door.goOnLater(self) }
          return
        }
      }
    }
    let webSocket = successor
    successor = nil
    if position < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
      if phase == .answering { keep(rest) }
      webSocket?.received(rest)
    }
    // Nobody tells it once more.
    if hasEnded { webSocket?.ended() }
  }

  /// A head that has begun has its time. A stranger has what is left of its own, unless a proxy has kept the socket for it.
  private func noteBegin() {
    guard phase == .idle, !reader.isBetweenRequests else { return }
    phase = .head
    if isKnown || isOfProxy { door.set(self, after: requestTime) }
  }

  private func begin(_ head: RequestHead) {
    self.head = head
    bodyCount = 0
    do throws(HTTPRefusal) { try findSpeaker(head) } catch { return refuse(error) }
    let (said, facts) = (door.server.httpRules, knownFacts)
    var rules = HTTPRules(
      hosts: said.hosts, origins: said.origins, isEncrypted: isEncryptedForClient,
      maxLine: door.limits.maxLine, maxDepth: door.limits.maxDepth,
      isPeerKnown: door.server.router.pointee.knows(facts), hasCertificate: facts.hasCertificate)
    rules.ownOrigin = said.own
    cors = HTTPGate.headers(for: head, rules)
    let plan = HTTPPlan.of(
      head, rules, cors: cors, secondsToDrain: door.secondsToDrain, spare: door.server.node?.pages)
    self.plan = plan
    phase = .body
    guard head.hasBody else { return }
    prepareForBody(plan)
    bodyFollows()
  }

  /// Finds out before the body is read whether anybody wants it.
  private func prepareForBody(_ plan: HTTPPlan) {
    switch plan {
    case .answer(let answer): if answer.closes || !isKnown { self.answer(closing: answer) }
    case .healthz, .readyz: if !isKnown { answer(closing: probe(plan)) }
    // It has no body: the reader sees to that.
    case .webSocket: break
    case .metrics(let request): greet(MetricsExchange(self, request))
    case .request(let request): greet(HTTPExchange(self, request))
    case .events(let request): greet(EventStream(self, request))
    }
  }

  /// What a probe is told.
  private func probe(_ plan: HTTPPlan?) -> HTTPAnswer {
    guard case .readyz = plan, !door.server.isStoreWorking else { return .healthy(cors: cors) }
    return HTTPRefusal.withoutStore.answer(cors: cors)
  }

  /// Lets the router find out who asks, and whether it may ask for this. Otherwise the answer is there already.
  private func greet(_ exchange: HTTPExchange) {
    self.exchange = exchange
    exchange.greet()
    // Without room for it in this turn, the router answers later.
    if self.exchange === exchange, !exchange.isGreeted { phase = .greeting }
  }

  /// The router has found out who asks. The body is read now, if there is one.
  func greeted() {
    guard phase == .greeting else { return }
    phase = .body
    bodyFollows()
    door.goOnLater(self)
    updateReading()
  }

  /// The body is wanted, and has its time. A stranger has what is left of its own.
  private func bodyFollows() {
    guard phase == .body else { return }
    if isKnown { door.set(self, after: requestTime) }
    if let head, head.expectsContinue { send(HTTPSocket.goAhead) }
  }

  private static let goAhead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Takes a part of the body.
  private func take(_ bytes: UnsafeRawBufferPointer) {
    bodyCount += bytes.count
    if isBodyTooLong { return refuseBody() }
    // Other pages do not look at it.
    guard case .request(let request) = plan, request.takesBody else { return }
    guard door.mayHold(bytes.count, beside: held) else {
      return answer(closing: HTTPRefusal.busy.answer(cors: request.cors, closes: true))
    }
    body.append(contentsOf: bytes)
  }

  /// Whether what has come and what is announced are more than a line may have.
  private var isBodyTooLong: Bool { bodyCount + reader.leftOfChunk > door.limits.maxLine }

  private func refuseBody() {
    answer(closing: HTTPRefusal.bodyTooLong(HTTPRules(maxLine: door.limits.maxLine)).answer(cors: cors, closes: true))
  }

  /// The request is whole.
  private func carryOut() {
    phase = .answering
    door.work += HTTPLimits.costOfRequest
    let plan = plan
    self.plan = nil
    door.set(self, after: nil)
    switch plan {
    case .answer(let answer): self.answer(answer)
    case .healthz, .readyz: answer(probe(plan))
    case .metrics(let request): begin(exchange ?? MetricsExchange(self, request))
    case .request(let request): begin(exchange ?? HTTPExchange(self, request))
    case .events(let request): begin(exchange ?? EventStream(self, request))
    case .webSocket(let plan): upgrade(plan)
    case nil: answer(HTTPRefusal.lost.answer(cors: cors, closes: true))
    }
  }

  private func begin(_ exchange: HTTPExchange) {
    if self.exchange == nil { greet(exchange) }
    guard self.exchange === exchange else { return }
    phase = .answering
    guard body.count > HTTPLimits.mostInOneStep else { return finishLine(of: exchange) }
    longBody = .came
    door.takeLongBody(of: self)
  }

  /// Makes a line of the request and its body, and says it.
  private func finishLine(of exchange: HTTPExchange) {
    door.work += body.count * HTTPLimits.costOfBody
    let line = exchange.request.line(body: body)
    dropBody()
    switch line {
    case .success(let line):
      door.work += line.count * HTTPLimits.costOfBody
      exchange.say(line)
    case .failure(let answer): exchange.end(answer)
    }
  }

  /// A long body is carried out step by step, so that others have their turns between. Returns whether there is another
  /// step.
  func goOnWithBody() -> Bool {
    guard let exchange, phase == .answering, longBody != .none else { return false }
    if longBody == .isLine {
      let line = body
      dropBody()
      exchange.say(line)
      return false
    }
    if making == nil { making = exchange.request.making(bodyCount: body.count) }
    guard let made = body.withUnsafeBytes({ making?.goOn($0) }) else { return true }
    dropBody()
    switch made {
    case .success(let line):
      longBody = .isLine
      body = line
      door.hold(line.count)
      return true
    case .failure(let answer):
      exchange.end(answer)
      return false
    }
  }

  /// The request asks to become a WebSocket.
  private func upgrade(_ plan: WebSocketPlan) {
    let webSocket = WebSocketTransport(over: self)
    if let refusal = webSocket.begin(plan, on: self) { return answer(refusal) }
    successor = webSocket
  }
}
