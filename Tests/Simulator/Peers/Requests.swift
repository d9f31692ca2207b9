import DoorKit
import WorldKit

/// Makes the lines of a world's peers. Their form is valid, their meaning may not be. Their ids never repeat.
struct Requests {
  private typealias Members = [(String, [UInt8])]

  let plan: Plan
  let payloadLimit: Int
  /// Far from the ids in lines that are wrong.
  private var nextID = 1000

  init(plan: Plan, payloadLimit: Int) {
    self.plan = plan
    self.payloadLimit = payloadLimit
  }

  // MARK: Messages

  mutating func message(chain: Int, isBroadcast: Bool, using luck: inout Generator) -> SentLine {
    let payload = luck.chance(80) ? Bytes.payload(mark: nextID, limit: payloadLimit, using: &luck) : nil
    let meta = luck.chance(25) ? Bytes.meta(mark: nextID, using: &luck) : nil
    let isVia = isBroadcast && luck.chance(40)
    let timeout = luck.chance(30) ? nil : max(1, plan.timeoutMilliseconds / luck.between(1...4))
    let topic = Vocabulary.topic(using: &luck)
    var members: Members = [("topic", Bytes.quoted(topic))]
    if let payload { members.append(("payload", payload)) }
    if let meta { members.append(("meta", meta)) }
    if isBroadcast, luck.chance(40) { members.append(("echo", Bytes.flag(luck.chance(30)))) }
    if isVia { members.append(("via", Bytes.quoted(Vocabulary.chains[chain]))) }
    let isWalk = isVia || !isBroadcast
    if isWalk {
      if luck.chance(plan.isWatched ? 50 : 30) { members.append(("trace", Bytes.flag(luck.chance(90)))) }
      if !isVia { addChain(chain, to: &members, using: &luck) }
      if luck.chance(10) { members.append(("key", Bytes.quoted("k\(luck.below(3))"))) }
      if !isVia, luck.chance(10) { members.append(("mode", Bytes.quoted("all"))) }
      if let timeout { members.append(("timeout_ms", Array("\(timeout)".utf8))) }
    }
    var line = request(isBroadcast ? "broadcast" : "send", members, isNamed: isWalk, using: &luck)
    (line.chain, line.topic) = (Vocabulary.chains[chain], topic)
    let isTooLong = (payload?.count ?? 0) + (meta?.count ?? 0) > payloadLimit
    if isWalk, !isTooLong {
      line.kind = .message(timeoutMilliseconds: timeout ?? plan.settings.timeoutMilliseconds)
    }
    return line
  }

  /// Cancels the message of that id, or one that never was.
  mutating func cancel(_ message: [UInt8]?, using luck: inout Generator) -> SentLine {
    let wanted = luck.chance(5) ? nil : message
    var line = request("cancel", [("request", wanted ?? Array("\"none\"".utf8))], using: &luck)
    line.cancels = wanted
    return line
  }

  mutating func verdict(_ verdict: Verdict, using luck: inout Generator) -> SentLine {
    var members = [("op", Bytes.quoted(verdict.kind.rawValue))]
    if let offer = verdict.offer { members.append(("id", Array("\(offer)".utf8))) }
    if let payload = verdict.payload { members.append(("payload", payload)) }
    if let message = verdict.message { members.append(("message", message)) }
    if let code = verdict.code { members.append(("code", code)) }
    return SentLine(bytes: Bytes.line(members, using: &luck), kind: .verdict)
  }

  // MARK: Links

  mutating func insert(chain: Int, using luck: inout Generator) -> SentLine {
    var members = [("handler", Bytes.quoted(luck.pick(Vocabulary.names)))]
    addPlace(luck.below(10), to: &members, using: &luck)
    if plan.limits != nil, luck.chance(20) { members.append(("shadow", Bytes.flag(true))) }
    if plan.declares || plan.limits != nil {
      if luck.chance(15) { members.append(("required", Bytes.flag(true))) }
      if luck.chance(20) { members.append(("on_failure", Bytes.quoted("stop"))) }
    }
    if luck.chance(20) { members.append(("share", Bytes.flag(true))) }
    if luck.chance(15) { members.append(("hold_ms", Array("\(luck.below(500))".utf8))) }
    addSettings(chain, to: &members, using: &luck)
    return request("insert", members, using: &luck)
  }

  private func addPlace(_ place: Int, to members: inout Members, using luck: inout Generator) {
    switch place {
    case 0, 1: members.append(("at", Bytes.quoted("front")))
    case 2: members.append(("at", Bytes.quoted("back")))
    case 3: members.append(("before", Bytes.quoted(luck.pick(Vocabulary.names))))
    case 4: members.append(("after", Bytes.quoted(luck.pick(Vocabulary.names))))
    case 5, 6: members.append(("rank", Array(luck.pick(["-1.5", "0", "1", "2.25", "-999999999", "1e9"]).utf8)))
    default: break
    }
  }

  mutating func move(chain: Int, using luck: inout Generator) -> SentLine {
    let isMount = plan.declares && luck.chance(20)
    var members: Members = [
      isMount
        ? ("on", Bytes.quoted(luck.pick(Vocabulary.chains))) : ("handler", Bytes.quoted(luck.pick(Vocabulary.names)))
    ]
    members.append(("chain", Bytes.quoted(Vocabulary.chains[chain])))
    addPlace(luck.below(7), to: &members, using: &luck)
    return request("move", members, using: &luck)
  }

  /// A mount, or the end of one.
  mutating func mount(chain: Int, using luck: inout Generator) -> SentLine {
    var members: Members = [("chain", Bytes.quoted(Vocabulary.chains[chain]))]
    members.append(("on", Bytes.quoted(luck.pick(Vocabulary.chains))))
    if luck.chance(30) { return request("unmount", members, using: &luck) }
    if luck.chance(30) { members.append(("accepts", Bytes.list(Vocabulary.patterns(using: &luck)))) }
    addPlace(luck.below(10), to: &members, using: &luck)
    return request("mount", members, using: &luck)
  }

  mutating func reload(using luck: inout Generator) -> SentLine { request("reload", [], using: &luck) }

  mutating func replace(chain: Int, using luck: inout Generator) -> SentLine {
    var members = [("handler", Bytes.quoted(luck.pick(Vocabulary.names)))]
    // A link that keeps its name is known by it.
    if !plan.declares, luck.chance(30) { members.append(("as", Bytes.quoted(luck.pick(Vocabulary.names)))) }
    addSettings(chain, to: &members, using: &luck)
    return request("replace", members, using: &luck)
  }

  mutating func remove(chain: Int, using luck: inout Generator) -> SentLine {
    let members = [("handler", Bytes.quoted(luck.pick(Vocabulary.names)))]
    return request("remove", members + [("chain", Bytes.quoted(Vocabulary.chains[chain]))], using: &luck)
  }

  private func addChain(_ chain: Int, to members: inout Members, using luck: inout Generator) {
    if chain > 0 || luck.chance(20) { members.append(("chain", Bytes.quoted(Vocabulary.chains[chain]))) }
  }

  private func addSettings(_ chain: Int, to members: inout Members, using luck: inout Generator) {
    addChain(chain, to: &members, using: &luck)
    if luck.chance(50) { members.append(("accepts", Bytes.list(Vocabulary.patterns(using: &luck)))) }
    if luck.chance(40) {
      let timeout = luck.chance(50) ? luck.between(1...50) : luck.between(50...2000)
      members.append(("timeout_ms", Array("\(timeout)".utf8)))
    }
    if luck.chance(40) { members.append(("window", Array("\(luck.between(1...4))".utf8))) }
  }

  // MARK: The rest

  mutating func subscribe(using luck: inout Generator) -> SentLine {
    var patterns = Vocabulary.patterns(using: &luck)
    if plan.isOverheard, luck.chance(60) { patterns.append(Vocabulary.ownPattern(using: &luck)) }
    return request("subscribe", [("topics", Bytes.list(patterns))], using: &luck)
  }

  mutating func subscribe(to patterns: [String], using luck: inout Generator) -> SentLine {
    request("subscribe", [("topics", Bytes.list(patterns))], isAsked: true, using: &luck)
  }

  /// A listener asks for what stays.
  mutating func subscribe(_ life: StayLife, epoch: String, using luck: inout Generator) -> SentLine {
    var members = [("topics", Bytes.list(life.patterns))]
    if life.wantsValues { members.append(("retained", Bytes.flag(true))) }
    if let after = life.after {
      members.append(("after", Array("\(after)".utf8)))
      members.append(("epoch", Bytes.quoted(life.isOfThisEpoch ? epoch : "another")))
    }
    return request("subscribe", members, isAsked: true, using: &luck)
  }

  /// Publishes something that stays.
  mutating func staying(of identity: String, using luck: inout Generator) -> SentLine {
    request("broadcast", StayPlan.broadcast(of: identity, mark: nextID, using: &luck), using: &luck)
  }

  /// Says who it is.
  mutating func hello(as name: String, using luck: inout Generator) -> SentLine {
    request("hello", [("token", Bytes.quoted(TestToken.text(of: name)))], using: &luck)
  }

  mutating func unsubscribe(using luck: inout Generator) -> SentLine {
    let topics = [("topics", Bytes.list(Vocabulary.patterns(using: &luck)))]
    return request("unsubscribe", luck.chance(70) ? topics : [], using: &luck)
  }

  mutating func hello(using luck: inout Generator) -> SentLine {
    var members: Members = []
    if luck.chance(70) { members.append(("name", Bytes.quoted(luck.pick(["cli", "n1", "x.y"])))) }
    if luck.chance(30) { members.append(("heartbeat_ms", Array("\(luck.between(100...500))".utf8))) }
    return request("hello", members, using: &luck)
  }

  mutating func ask(chain: Int, using luck: inout Generator) -> SentLine {
    switch luck.below(10) {
    case ..<3: return request("ping", [], using: &luck)
    case ..<5: return request("inspect", [], using: &luck)
    case ..<7: return request("inspect", [("server", Bytes.flag(true))], using: &luck)
    case 7 where luck.chance(20): return request("help", [], using: &luck)
    default:
      var members = [("topic", Bytes.quoted(Vocabulary.topic(using: &luck)))]
      addChain(chain, to: &members, using: &luck)
      return request("explain", members, using: &luck)
    }
  }

  /// A request with an id, or now and then without one.
  private mutating func request(
    _ op: String, _ members: Members, isNamed: Bool = false, isAsked: Bool = false, using luck: inout Generator
  ) -> SentLine {
    nextID += 1
    let isNamed = isNamed || plan.isWatched || isAsked
    let id = !isNamed && luck.chance(5) ? nil : Bytes.id(nextID, using: &luck)
    let isAsked = isAsked || op == "insert" && plan.isWatched
    let wantsReply = !luck.chance(8) || isAsked || ["hello", "ping", "inspect", "help", "explain"].contains(op)
    var all = [("op", Bytes.quoted(op))] + members
    if let id { all.append(("id", id)) }
    if !wantsReply { all.append(("reply", Bytes.flag(false))) }
    return SentLine(bytes: Bytes.line(all, using: &luck), kind: .request, id: id, wantsReply: wantsReply, op: op)
  }

  /// The observer looks at a chain.
  static func look(at chain: String, _ id: Int) -> SentLine {
    let text = "{\"op\":\"explain\",\"id\":\(id),\"topic\":\"a\",\"chain\":\"\(chain)\"}\n"
    return SentLine(bytes: Array(text.utf8), kind: .request, id: Array("\(id)".utf8), op: "explain")
  }

  static func silence(using luck: inout Generator) -> SentLine {
    let text = luck.pick(["\n", "  \t\r\n", "# a comment\n", "{\"op\":\"pong\"}\n"])
    return SentLine(bytes: Array(text.utf8), kind: .silence)
  }
}
