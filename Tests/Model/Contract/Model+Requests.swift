/// What a line asks for, and how it is refused (contract, sections 3, 8 and 9).
extension Model {
  /// Why a line is refused: the code that programs read.
  struct Refusal: Error {
    let code: String
    /// The offer that the refusal is about, if the verdict names none.
    let offer: Int?

    init(_ code: String, offer: Int? = nil) { (self.code, self.offer) = (code, offer) }

    /// No refusal: the line is carried out later, when all messages or those of this connection take less.
    static let later = ""
    static let share = "share"
  }

  mutating func carryOut(_ asked: Asked, from connection: Int) {
    do throws(Refusal) {
      switch asked.request {
      case .send(let message): try send(message, asked, from: connection)
      case .insert(let wish): try insert(wish, asked, from: connection)
      case .replace(let wish): try replace(wish, asked, from: connection)
      case .remove(let chain, let handler): try remove(handler, from: chain ?? "main", asked, by: connection)
      case .mount(let wish): try mount(wish, asked, from: connection)
      case .unmount(let chain, let on): try unmount(on, from: chain ?? "main", asked, by: connection)
      case .verdict(let verdict): try take(verdict, on: asked.id.flatMap { Int($0) }, from: connection)
      case .subscribe(let patterns, let wish): try subscribe(patterns, wish, asked, from: connection)
      case .unsubscribe(let patterns): unsubscribe(patterns, asked, from: connection)
      case .broadcast(let message): try broadcast(message, asked, from: connection)
      case .explain(let topic, let chain, let page): explain(topic, in: chain, page, asked, from: connection)
      case .inspect(let wish): inspect(wish, asked, from: connection)
      case .walks(let wish): tellWalks(wish, asked, from: connection)
      case .findings: tellFindings(asked, from: connection)
      case .close(let number): try close(number, asked, by: connection)
      case .hello(let name, let heartbeat): hello(name, heartbeat, asked, from: connection)
      case .ping: reply(Line("pong", to: asked), to: asked, of: connection)
      case .pong: break
      case .wrong(_, let code): throw Refusal(code)
      }
    } catch {
      switch error.code {
      case Refusal.later, Refusal.share:
        leaveForLater(asked, of: connection, isOverShare: error.code == Refusal.share)
      default: refuse(asked, error, to: connection)
      }
    }
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
    line.add("message", json: Line.anyText)
    say(line, to: connection)
    if Model.isAboutForm(refusal.code) { countError(of: connection) }
  }

  /// Section 9, `too_many_errors`.
  private static func isAboutForm(_ code: String) -> Bool {
    code.hasSuffix("_member")
      || ["bad_json", "too_deep", "unknown_op", "bad_topic", "bad_pattern", "bad_name", "unknown_offer"].contains(code)
  }

  private mutating func countError(of connection: Int) {
    let recent = peers[connection].errors.filter { now < $0 + settings.errorsMilliseconds } + [now]
    peers[connection].errors = recent
    if recent.count <= settings.maxErrors { return }
    seen.insert(.tooManyErrors)
    end(connection, "too_many_errors")
  }

  private mutating func hello(_ name: String?, _ heartbeat: Int?, _ asked: Asked, from connection: Int) {
    if let name { peers[connection].name = name }
    if heartbeat != nil { peers[connection].heartbeat = heartbeat }
    if let heartbeat {
      alarms.set(.connection(connection), at: now + heartbeat)
    }
    var line = Line("welcome", to: asked)
    line.add("server", "baton")
    line.add("version", settings.version)
    line.add("protocol", 1)
    line.add("connection", peers[connection].number)
    line.add("max_line", settings.maxLine)
    reply(line, to: asked, of: connection)
  }
}
