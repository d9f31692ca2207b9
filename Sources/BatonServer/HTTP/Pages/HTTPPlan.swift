internal import HTTP

/// What a door does with a request, once it has the head.
enum HTTPPlan {
  /// Tells this. If the answer does not close the connection, what there is of a body is read and dropped.
  case answer(HTTPAnswer)
  /// `/healthz`: the door answers `HTTPAnswer.healthy` as long as it can.
  case healthz
  /// `/readyz`: the door answers `HTTPAnswer.healthy` if nothing is missing. A draining server is told as a refusal.
  case readyz
  /// Asks the router, and writes the metrics if it is allowed.
  case metrics(HTTPRequest)
  /// Asks the router, and tells its answer.
  case request(HTTPRequest)
  /// Subscribes, and tells the events as they come.
  case events(HTTPRequest)
  case webSocket(WebSocketPlan)

  /// - Parameters:
  ///   - cors: headers of every answer to the request, as `HTTPGate` says.
  ///   - secondsToDrain: how long a draining server goes on; nil if it does not drain.
  ///   - spare: what a spare of a cluster says; nil if the server leads, or has no cluster.
  static func of(
    _ head: RequestHead, _ rules: HTTPRules, cors: [(name: String, value: String)], secondsToDrain: Int?,
    spare: SparePages? = nil
  ) -> HTTPPlan {
    // What follows a refusal is the body of a request that nobody carries out.
    func answer(_ refusal: HTTPRefusal) -> HTTPAnswer {
      refusal.answer(cors: cors, closes: head.hasBody || secondsToDrain != nil, secondsToDrain: secondsToDrain)
    }
    do throws(HTTPRefusal) {
      let page = try page(of: head, rules)
      if let spare, let answer = try spare.answer(head, page, cors) { return .answer(closing(answer)) }
      // The page decides: a request that is not answered now need not be right.
      if let secondsToDrain, head.method != .options, !page.isAnsweredWhileDraining || isReadiness(page) {
        guard case .events = page, isEventSource(head) else { throw HTTPRefusal.draining }
        return .answer(closing(EventStream.farewell(secondsToDrain, cors)))
      }
      let asksWho = try asksWho(page, head, rules)
      do throws(HTTPRefusal) {
        let plan = try plan(page, head, cors, rules)
        if case .answer(let answer) = plan, secondsToDrain != nil { return .answer(closing(answer)) }
        return plan
      } catch {
        // What is wrong with the form is told to those whose token is right.
        guard asksWho, let greeting = try HTTPGreeting.line(head, name: nil) else { throw error }
        return .request(HTTPRequest(refused: answer(error), greeting: greeting, head, cors, rules))
      }
    } catch {
      return .answer(answer(error))
    }
  }

  private static func closing(_ answer: HTTPAnswer) -> HTTPAnswer {
    var answer = answer
    answer.closes = true
    return answer
  }

  /// The page that is asked for, if the request may come in.
  private static func page(of head: RequestHead, _ rules: HTTPRules) throws(HTTPRefusal) -> HTTPPage {
    let found = Result { () throws(HTTPRefusal) in try HTTPPage.find(head.path) }
    let page = try? found.get()
    // Probes come from programs of the operator, with whatever name they know the machine by.
    if page?.isProbe != true || !(page?.takes(head.method) ?? false) {
      try HTTPGate.admit(head, isConsole: isConsole(page, head), rules)
    }
    return try found.get()
  }

  /// Whether the router has to know who asks before anything else of the request counts. Throws if nobody can tell it, or
  /// if the page is not asked for so.
  private static func asksWho(
    _ page: HTTPPage, _ head: RequestHead, _ rules: HTTPRules
  ) throws(HTTPRefusal) -> Bool {
    if head.method == .options { return false }
    guard page.takes(head.method) else {
      throw HTTPRefusal(
        .badMethod, "\(page.shownPath) is asked for with \(page.methods)", headers: [("Allow", page.methods)])
    }
    if page.asksWho, !rules.isPeerKnown, head.fields("authorization").isEmpty {
      throw HTTPRefusal.authRequired(hasCertificate: rules.hasCertificate)
    }
    return page.asksWho
  }

  private static func plan(
    _ page: HTTPPage, _ head: RequestHead, _ cors: [(name: String, value: String)], _ rules: HTTPRules
  ) throws(HTTPRefusal) -> HTTPPlan {
    func request(
      _ op: HTTPOp.Begun, takesBody: Bool = false, takesMeta: Bool = false
    ) throws(HTTPRefusal) -> HTTPRequest {
      try HTTPRequest(op, head: head, takesBody: takesBody, takesMeta: takesMeta, cors: cors, rules)
    }
    if head.expectsElse {
      throw HTTPRefusal(.badRequest, "only Expect: 100-continue is known here; leave Expect out", status: 417)
    }
    if case .length(let count) = head.framing, count > rules.maxLine { throw HTTPRefusal.bodyTooLong(rules) }
    if head.method == .options {
      let isAllowed = cors.contains { $0.name == "Access-Control-Allow-Origin" }
      return .answer(HTTPGate.preflight(methods: page.methods, isAllowed: isAllowed, cors: cors))
    }
    switch page {
    case .healthz:
      _ = try HTTPQuery(head.query, known: [], page: "/healthz")
      return .healthz
    case .readyz:
      _ = try HTTPQuery(head.query, known: [], page: "/readyz")
      return .readyz
    case .send(let topic):
      return .request(try request(HTTPOp.send(topic: topic, head.query), takesBody: true, takesMeta: true))
    case .broadcast(let topic):
      return .request(try request(HTTPOp.broadcast(topic: topic, head.query), takesBody: true, takesMeta: true))
    case .stored: return .request(try request(HTTPOp.stored("stored", head.query)))
    case .dead: return .request(try request(HTTPOp.dead(head.query)))
    case .resend: return .request(try request(HTTPOp.stored("resend", head.query), takesBody: true))
    case .discard: return .request(try request(HTTPOp.stored("discard", head.query)))
    case .explain(let topic):
      let isPosted = head.method == .post
      return .request(
        try request(HTTPOp.explain(topic: topic, head.query), takesBody: isPosted, takesMeta: isPosted))
    case .inspect: return .request(try request(HTTPOp.inspect(head.query)))
    case .findings: return .request(try request(HTTPOp.findings(head.query)))
    case .walks: return .request(try request(HTTPOp.walks(head.query)))
    case .metrics: return .metrics(try request(HTTPOp.metrics(head.query)))
    case .events:
      let lastEventID = try head.soleField("last-event-id", shown: "Last-Event-ID")
      return .events(try request(HTTPOp.subscribe(head.query, lastEventID: lastEventID)))
    case .webSocket: return .webSocket(try webSocket(head, cors))
    case .file(let file):
      _ = try HTTPQuery(head.query, known: [], page: file.path)
      return .answer(file.answer(ifNoneMatch: head.fields("if-none-match"), cors: cors))
    }
  }

  static func isConsole(_ page: HTTPPage?, _ head: RequestHead) -> Bool {
    guard case .file(let file) = page else { return false }
    return file.isPage && (head.method == .get || head.method == .head)
  }

  private static func isReadiness(_ page: HTTPPage) -> Bool {
    if case .readyz = page { return true }
    return false
  }

  /// A browser's `EventSource` gives up for good when it is told anything but 200.
  static func isEventSource(_ head: RequestHead) -> Bool {
    head.method == .get && head.fields("accept").contains("text/event-stream")
  }

  private static func webSocket(
    _ head: RequestHead, _ cors: [(name: String, value: String)]
  ) throws(HTTPRefusal) -> WebSocketPlan {
    _ = try HTTPQuery(head.query, known: [], page: "/ws")
    guard let opening = head.wantsUpgrade else {
      throw HTTPRefusal(
        .badRequest, "/ws is a WebSocket; ask with Upgrade: websocket", status: 426, headers: HTTPRefusal.upgrade)
    }
    if let fault = opening.faults.first {
      throw HTTPRefusal(
        .badRequest, fault.message, status: fault.status, headers: fault.status == 426 ? HTTPRefusal.upgrade : [])
    }
    return WebSocketPlan(
      accept: WebSocketHandshake.accept(for: opening.key),
      subprotocol: opening.protocols.contains(WebSocketPlan.baton) ? WebSocketPlan.baton : nil,
      greeting: try HTTPGreeting.line(head, name: nil), cors: cors)
  }
}
