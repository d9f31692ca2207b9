/// What a line asks for, and how it is refused (contract, sections 3, 8 and 9).
extension Model {
  /// Why a line is refused: the code that programs read.
  struct Refusal: Error {
    let code: String
    /// The offer that the refusal is about, if the verdict names none.
    let offer: Int?
    /// The right that is missing.
    let right: String?
    /// When the line may be taken.
    let retryMilliseconds: Int?

    init(_ code: String, offer: Int? = nil, right: String? = nil, retryMilliseconds: Int? = nil) {
      (self.code, self.offer, self.right, self.retryMilliseconds) = (code, offer, right, retryMilliseconds)
    }

    /// No refusal: the line is carried out later, when all messages or those of this connection take less.
    static let later = ""
    static let share = "share"
    static let identity = "identity"
    static let left = "left"
  }

  mutating func carryOut(_ asked: Asked, from connection: Int) {
    if isStranger(connection), !readStrangersLine(asked, connection) { return }
    do throws(Refusal) {
      try checkRights(asked.request, of: connection)
      switch asked.request {
      case .send(let message): try send(message, asked, from: connection)
      case .insert(let wish): try insert(wish, asked, from: connection)
      case .replace(let wish): try replace(wish, asked, from: connection)
      case .remove(let chain, let handler): try remove(handler, from: chain ?? "main", asked, by: connection)
      case .removeEmpty(let chain): removeEmpty(chain ?? "main", asked, by: connection)
      case .mount(let wish): try mount(wish, asked, from: connection)
      case .unmount(let chain, let on): try unmount(on, from: chain ?? "main", asked, by: connection)
      case .move(let wish): try move(wish, asked, from: connection)
      case .verdict(let verdict): try take(verdict, on: asked.id.flatMap { Int($0) }, from: connection)
      case .subscribe(let patterns, let wish, let kept): try subscribe(patterns, wish, kept, asked, from: connection)
      case .unsubscribe(let patterns): unsubscribe(patterns, asked, from: connection)
      case .broadcast(let message): try broadcast(message, asked, from: connection)
      case .explain(let topic, let chain, let key, let payload, let meta, let page):
        let said = ExplainedMessage(key: key, payload: payload, meta: meta)
        explain(topic, in: chain, said, page, asked, from: connection)
      case .inspect(let wish): inspect(wish, asked, from: connection)
      case .walks(let wish): tellWalks(wish, asked, from: connection)
      case .hello(let name, let heartbeat, let token): try hello(name, heartbeat, token, asked, from: connection)
      case .plain(.reload): try askForReload(asked, from: connection)
      case .plain(.findings): tellFindings(asked, from: connection)
      case .cancel(let id): cancel(id, asked, by: connection)
      case .close(let number): try close(number, asked, by: connection)
      case .plain(.ping): reply(Line("pong", to: asked), to: asked, of: connection)
      case .plain(.pong): break
      case .wrong(_, let code): throw Refusal(code)
      }
    } catch {
      switch error.code {
      case Refusal.later: leaveForLater(asked, of: connection)
      case Refusal.share, Refusal.left: waitForShare(asked, of: connection, isFirst: error.code == Refusal.left)
      case Refusal.identity: waitForIdentity(asked, of: connection)
      default: refuse(asked, error, to: connection)
      }
    }
  }

  /// Rights come before everything about chains and links, and behind the form of the line.
  private mutating func checkRights(_ request: Request, of connection: Int) throws(Refusal) {
    if !keeps(.rightsBeforeChains), case .remove(let chain, let handler) = request {
      _ = try findHandler(handler, in: chain ?? "main")
    }
    if !keeps(.formBeforeRights), case .wrong = request, isAsked, !maySee("main", connection) {
      throw denied("see main")
    }
    try permit(request, of: connection)
  }

  /// Sends the reply to a request, unless none is wanted.
  mutating func reply(_ line: Line, to asked: Asked, of connection: Int) {
    if asked.wantsReply { say(line, to: connection) }
  }

  private mutating func refuse(_ asked: Asked, _ refusal: Refusal, to connection: Int) {
    seen.insert(.refused)
    var line = Line("error")
    if case .verdict = asked.request {
      line.add("offer", json: asked.id ?? refusal.offer.map(String.init))
    } else {
      line.add("id", json: asked.id)
    }
    line.add("code", refusal.code)
    line.add("message", json: refusal.right.map { "\"\(words(ofMissing: $0, to: connection))\"" } ?? Line.anyText)
    if let wait = refusal.retryMilliseconds { line.add("retry_ms", json: "\(wait)") }
    say(line, to: connection)
    if let right = refusal.right {
      countDenial(of: right, to: connection)
      if keeps(.denialsAreErrors) { countError(of: connection) }
    }
    if Model.isAboutForm(refusal.code) { countError(of: connection) }
  }

  /// Section 9, `too_many_errors`.
  private static func isAboutForm(_ code: String) -> Bool {
    code.hasSuffix("_member")
      || ["bad_json", "too_deep", "unknown_op", "bad_topic", "bad_pattern", "bad_name", "unknown_offer", "missing_id"]
        .contains(code)
  }

  private mutating func countError(of connection: Int) {
    let recent = peers[connection].errors.filter { now < $0 + settings.errorsMilliseconds } + [now]
    peers[connection].errors = recent
    if recent.count <= settings.maxErrors { return }
    seen.insert(.tooManyErrors)
    end(connection, "too_many_errors")
  }

  private mutating func hello(
    _ name: String?, _ heartbeat: Int?, _ token: String?, _ asked: Asked, from connection: Int
  ) throws(Refusal) {
    if isAsked {
      guard try identify(name, token, asked, connection) else { return }
    } else if let name {
      peers[connection].name = name
    }
    if heartbeat != nil { peers[connection].heartbeat = heartbeat }
    if let heartbeat {
      alarms.set(.connection(connection), at: now + heartbeat)
    }
    var line = Line("welcome", to: asked)
    line.add("server", "baton")
    line.add("version", settings.version)
    line.add("protocol", 1)
    line.add("start", String(repeating: "0", count: 32))
    line.add("connection", peers[connection].number)
    line.add("max_line", isStranger(connection) ? Model.strangersLine : settings.maxLine)
    if !isStranger(connection) {
      line.add("max_open_messages", min(settings.maxOpenMessages, limit("max_open_messages", of: connection) ?? .max))
      line.add("max_open_bytes", min(settings.maxOpenBytes, limit("max_open_bytes", of: connection) ?? .max))
      line.add("timeout_ms", settings.timeoutMilliseconds)
    }
    addIdentity(of: connection, to: &line)
    reply(line, to: asked, of: connection)
  }
}
