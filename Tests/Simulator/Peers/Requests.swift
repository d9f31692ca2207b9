import DoorKit
import WorldKit

/// Makes the lines of a world's peers. Their form is valid, their meaning may not be. Their ids never repeat.
struct Requests {
  let plan: Plan
  var maker: RequestMaker<Plan>

  init(plan: Plan) {
    self.plan = plan
    maker = RequestMaker(plan: plan)
    // Far from the ids in lines that are wrong.
    maker.nextID = 1000
  }

  /// What a peer asks for with this act; nil if it is none of a request.
  mutating func line(of act: Peer.Act, _ peer: Peer, using luck: inout Generator) -> SentLine? {
    let request: Request
    switch act {
    case .send: request = .send(maker.message(using: &luck))
    case .broadcast: request = .broadcast(maker.broadcast(using: &luck))
    case .insert: request = .insert(maker.insert(peer, using: &luck))
    case .replace: request = .replace(maker.replace(peer, using: &luck))
    case .remove: request = maker.remove(peer, using: &luck)
    case .subscribe: request = .subscribe(maker.subjects(using: &luck), nil)
    case .unsubscribe: request = .unsubscribe(luck.chance(70) ? maker.patterns(using: &luck) : nil)
    case .hello: request = maker.hello(using: &luck)
    case .ask: request = question(using: &luck)
    case .move: request = maker.moving(peer, using: &luck)
    case .mount: request = maker.mounting(peer, using: &luck)
    case .reload: request = .plain(.reload)
    case .cancel: request = maker.cancel(peer, 0, using: &luck)
    case .silence, .wrong, .guess, .fatal, .stall: return nil
    }
    return line(request, using: &luck)
  }

  private func question(using luck: inout Generator) -> Request {
    var wish = InspectWish()
    switch luck.below(10) {
    case ..<3: return .plain(.ping)
    case ..<7:
      wish.server = luck.chance(50)
      return .inspect(wish)
    default:
      return .explain(topic: maker.topic(using: &luck), chain: luck.pick(plan.chains), page: PageWish(limit: nil))
    }
  }

  /// A request with an id, or now and then without one.
  mutating func line(_ request: Request, isAsked: Bool = false, using luck: inout Generator) -> SentLine {
    maker.nextID += 1
    var asked = Asked(request)
    let op = asked.op
    let walk = Walk(request, plan)
    let isNamed = walk != nil || plan.isWatched || isAsked
    if isNamed || !luck.chance(5) { asked.id = Bytes.id(maker.nextID, using: &luck) }
    let isTold = isAsked || op == "insert" && plan.isWatched || ["hello", "ping", "inspect", "explain"].contains(op)
    asked.wantsReply = isTold || !luck.chance(8)
    var line = SentLine(asked.spelled(using: &luck), .request)
    if let walk {
      (line.chain, line.topic, line.key, line.within) = (walk.chain, walk.topic, walk.key, walk.within)
      if let timeout = walk.timeoutMilliseconds { line.kind = .message(timeoutMilliseconds: timeout) }
    }
    if case .cancel(let id) = request { line.cancels = Array(id.utf8) }
    return line
  }

  /// A message that walks.
  private struct Walk {
    let chain: String
    let topic: String
    let key: String?
    let within: Int
    /// Nil if it is refused, because it is too long or too many led to it, or if nobody waits for its end.
    let timeoutMilliseconds: Int?

    init?(_ request: Request, _ plan: Plan) {
      let (size, timeout, isWaitedFor): (Int, Int?, Bool)
      switch request {
      case .send(let message):
        (chain, topic, timeout) = (message.chain ?? "main", message.topic, message.timeoutMilliseconds)
        (key, within) = (message.key, message.within ?? 0)
        (size, isWaitedFor) = (
          (message.payload ?? "").utf8.count + (message.meta ?? "").utf8.count, message.mode != .notify
        )
      case .broadcast(let message):
        guard let via = message.via else { return nil }
        (chain, topic, timeout) = (via, message.topic, message.timeoutMilliseconds)
        (key, within) = (message.key, message.within ?? 0)
        (size, isWaitedFor) = ((message.payload ?? "").utf8.count + (message.meta ?? "").utf8.count, true)
      default: return nil
      }
      timeoutMilliseconds =
        isWaitedFor && size <= plan.payloadLimit && within <= plan.settings.maxWithin
        ? timeout ?? plan.settings.timeoutMilliseconds : nil
    }
  }

  // MARK: What stays, and who is there

  /// A listener asks for what stays.
  mutating func subscribe(_ life: StayLife, epoch: String, using luck: inout Generator) -> SentLine {
    var wish = KeptWish()
    if life.wantsValues { wish.retained = true }
    if let after = life.after { (wish.after, wish.epoch) = (after, life.isOfThisEpoch ? epoch : "another") }
    return line(.subscribe(life.patterns, nil, wish), isAsked: true, using: &luck)
  }

  /// Publishes something that stays.
  mutating func staying(of identity: String, using luck: inout Generator) -> SentLine {
    line(.broadcast(StayPlan.broadcast(of: identity, mark: maker.nextID, using: &luck)), using: &luck)
  }

  /// Says who it is.
  mutating func hello(as name: String, using luck: inout Generator) -> SentLine {
    line(.hello(name: nil, heartbeatMilliseconds: nil, token: TestToken.text(of: name)), using: &luck)
  }

  /// The observer looks at a chain.
  static func look(at chain: String, _ id: Int) -> SentLine {
    SentLine(
      Asked(id: "\(id)", .explain(topic: "a", chain: chain, page: PageWish(limit: nil))).plain, .request)
  }

  static func silence(using luck: inout Generator) -> SentLine {
    let text = luck.pick(["\n", "  \t\r\n", "# a comment\n", "{\"op\":\"pong\"}\n"])
    return SentLine(bytes: Array(text.utf8), kind: .silence)
  }
}
