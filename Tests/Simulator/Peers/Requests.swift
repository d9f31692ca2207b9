import BatonCore
import WorldKit

/// Makes the lines of a world's peers: ids that never repeat, messages noted in the ledger.
struct Requests {
  let plan: Plan
  let ledger: Ledger
  /// Ids of requests that are no messages start here, far from the marks.
  private var nextID = 1_000_000

  init(plan: Plan, ledger: Ledger) {
    self.plan = plan
    self.ledger = ledger
  }

  /// A message, marked in its payload, in its meta, or in its topic where it has neither.
  mutating func message(
    from sender: Int, chain: Int, isBroadcast: Bool, using luck: inout Generator
  ) -> SentLine {
    let mark = ledger.messages.count
    let payload = luck.chance(80) ? Bytes.payload(mark: mark, limit: ledger.payloadLimit, using: &luck) : nil
    let meta = luck.chance(25) ? Bytes.meta(mark: mark, using: &luck) : nil
    let isVia = isBroadcast && luck.chance(40)
    // An event does not say which walk it comes from, and its payload may be a link's: its topic names the message.
    let topic = Vocabulary.topic(using: &luck, mark: isVia || payload == nil && meta == nil ? mark : nil)
    let timeout = luck.chance(30) ? nil : max(1, plan.timeoutMilliseconds / luck.between(1...4))
    let isWalk = !isBroadcast || isVia
    let isNameless = luck.chance(10) && (!isWalk || ledger.mayBeNameless(sender))
    let id = isNameless ? nil : Bytes.id(mark, using: &luck)
    if isNameless, isWalk { ledger.accounts[sender].nameless = mark }
    var message = Message(
      sender: sender, topic: topic, payload: payload, meta: meta, chain: chain,
      timeoutMilliseconds: timeout ?? plan.settings.timeoutMilliseconds, wantsReply: !luck.chance(10), id: id)
    var members = [("op", Bytes.quoted(isBroadcast ? "broadcast" : "send"))]
    if let id { members.append(("id", id)) }
    members.append(("topic", [0x22] + topic.bytes + [0x22]))
    if let payload { members.append(("payload", payload)) }
    if let meta { members.append(("meta", meta)) }
    if !message.wantsReply { members.append(("reply", Array("false".utf8))) }
    if isBroadcast {
      message.echo = !luck.chance(30)
      if !message.echo || luck.chance(10) { members.append(("echo", Array("\(message.echo)".utf8))) }
    }
    if isVia {
      message.isVia = true
      members.append(("via", Bytes.quoted(Vocabulary.chains[chain])))
    }
    if isWalk {
      message.wantsTrace = luck.chance(25)
      if message.wantsTrace || luck.chance(2) { members.append(("trace", Array("\(message.wantsTrace)".utf8))) }
      if !isVia, chain > 0 || luck.chance(20) { members.append(("chain", Bytes.quoted(Vocabulary.chains[chain]))) }
      if let timeout { members.append(("timeout_ms", Array("\(timeout)".utf8))) }
    }
    ledger.messages.append(message)
    let isTooLong = (payload?.count ?? 0) + (meta?.count ?? 0) > ledger.payloadLimit
    if isTooLong { ledger.coverage.insert(.payloadTooLong) }
    let intent: Intent = isTooLong ? .wrong : isWalk ? .send(mark) : .broadcast(mark)
    return SentLine(
      bytes: Bytes.line(members, using: &luck), intent: intent, id: id, wantsReply: message.wantsReply)
  }

  // MARK: Links

  mutating func insert(chain: Int, using luck: inout Generator) -> SentLine {
    var wish = LinkWish(chain: chain, name: luck.pick(Vocabulary.names))
    var members = [("op", Bytes.quoted("insert")), ("handler", Bytes.quoted(wish.name))]
    switch luck.below(10) {
    case 0, 1:
      wish.place = .front
      members.append(("at", Bytes.quoted("front")))
    case 2:
      members.append(("at", Bytes.quoted("back")))
    case 3:
      let name = luck.pick(Vocabulary.names)
      wish.place = .before(name)
      members.append(("before", Bytes.quoted(name)))
    case 4:
      let name = luck.pick(Vocabulary.names)
      wish.place = .after(name)
      members.append(("after", Bytes.quoted(name)))
    case 5, 6:
      let rank = luck.pick(["-1.5", "0", "1", "2", "2.25", "1e3", "-999999999", "1e9"])
      wish.place = .rank(Double(rank) ?? 0)
      members.append(("rank", Array(rank.utf8)))
    default: break
    }
    addSettings(to: &wish, &members, using: &luck)
    return request(.insert(wish), members, mayBeSilent: false, using: &luck)
  }

  mutating func replace(chain: Int, using luck: inout Generator) -> SentLine {
    let name = victim(in: chain, using: &luck)
    var wish = LinkWish(chain: chain, name: name)
    var members = [("op", Bytes.quoted("replace")), ("handler", Bytes.quoted(name))]
    if luck.chance(30) {
      wish.name = luck.pick(Vocabulary.names)
      members.append(("as", Bytes.quoted(wish.name)))
    }
    addSettings(to: &wish, &members, using: &luck)
    return request(.replace(name, wish), members, mayBeSilent: false, using: &luck)
  }

  mutating func remove(chain: Int, using luck: inout Generator) -> SentLine {
    let name = victim(in: chain, using: &luck)
    var members = [("op", Bytes.quoted("remove")), ("handler", Bytes.quoted(name))]
    members.append(("chain", Bytes.quoted(Vocabulary.chains[chain])))
    return request(.remove(chain: chain, name: name), members, using: &luck)
  }

  /// Mostly a link that is there.
  private func victim(in chain: Int, using luck: inout Generator) -> String {
    let there = ledger.chains[chain]
    guard !there.isEmpty, luck.chance(90) else { return luck.pick(Vocabulary.names) }
    return ledger.links[luck.pick(there)].name
  }

  private func addSettings(
    to wish: inout LinkWish, _ members: inout [(String, [UInt8])], using luck: inout Generator
  ) {
    if wish.chain > 0 || luck.chance(20) {
      members.append(("chain", Bytes.quoted(Vocabulary.chains[wish.chain])))
    }
    if luck.chance(50) {
      let patterns = Vocabulary.patterns(using: &luck)
      wish.accepts = patterns
      members.append(("accepts", Bytes.list(patterns)))
    }
    if luck.chance(40) {
      let timeout = luck.chance(50) ? luck.between(1...50) : luck.between(50...2000)
      wish.timeoutMilliseconds = timeout
      members.append(("timeout_ms", Array("\(timeout)".utf8)))
    }
    if luck.chance(40) {
      let window = luck.between(1...4)
      wish.window = window
      members.append(("window", Array("\(window)".utf8)))
    }
  }

  // MARK: The rest

  mutating func subscribe(using luck: inout Generator) -> SentLine {
    var patterns = Vocabulary.patterns(using: &luck)
    if plan.isOverheard, luck.chance(60) { patterns.append(Vocabulary.ownPattern(using: &luck)) }
    return request(
      .subscribe(patterns), [("op", Bytes.quoted("subscribe")), ("topics", Bytes.list(patterns))], using: &luck)
  }

  mutating func unsubscribe(using luck: inout Generator) -> SentLine {
    var members = [("op", Bytes.quoted("unsubscribe"))]
    let patterns = luck.chance(70) ? Vocabulary.patterns(using: &luck) : nil
    if let patterns { members.append(("topics", Bytes.list(patterns))) }
    return request(.unsubscribe(patterns), members, using: &luck)
  }

  mutating func hello(using luck: inout Generator) -> SentLine {
    var members = [("op", Bytes.quoted("hello"))]
    let name = luck.chance(70) ? luck.pick(["cli", "n1", "x.y"]) : nil
    if let name { members.append(("name", Bytes.quoted(name))) }
    let heartbeat = luck.chance(30) ? luck.between(100...500) : nil
    if let heartbeat { members.append(("heartbeat_ms", Array("\(heartbeat)".utf8))) }
    return request(.hello(name: name, heartbeatMilliseconds: heartbeat), members, mayBeSilent: false, using: &luck)
  }

  mutating func ask(using luck: inout Generator) -> SentLine {
    let (op, answer) = luck.pick([("ping", ServerLine.Op.pong), ("inspect", .chains), ("inspect", .chains)])
    if op == "inspect", luck.chance(50) {
      let members = [("op", Bytes.quoted(op)), ("server", Array("true".utf8))]
      return request(.ask(answer), members, mayBeSilent: false, using: &luck)
    }
    if luck.chance(3) { return request(.ask(.help), [("op", Bytes.quoted("help"))], mayBeSilent: false, using: &luck) }
    return request(.ask(answer), [("op", Bytes.quoted(op))], mayBeSilent: false, using: &luck)
  }

  /// Asks what would become of a message, and sends it right behind that.
  mutating func explain(from sender: Int, chain: Int, using luck: inout Generator) -> [SentLine] {
    let message = message(from: sender, chain: chain, isBroadcast: false, using: &luck)
    guard case .send(let number) = message.intent else { return [message] }
    let topic = ledger.messages[number].topic
    var members = [("op", Bytes.quoted("explain")), ("topic", [0x22] + topic.bytes + [0x22])]
    if chain > 0 || luck.chance(50) { members.append(("chain", Bytes.quoted(Vocabulary.chains[chain]))) }
    return [request(.explain(topic, chain: chain), members, mayBeSilent: false, using: &luck), message]
  }

  private mutating func request(
    _ intent: Intent, _ members: [(String, [UInt8])], mayBeSilent: Bool = true, using luck: inout Generator
  ) -> SentLine {
    var members = members
    nextID += 1
    let id = luck.chance(5) ? nil : Bytes.id(nextID, using: &luck)
    if let id { members.append(("id", id)) }
    let wantsReply = !mayBeSilent || !luck.chance(8)
    if !wantsReply { members.append(("reply", Array("false".utf8))) }
    return SentLine(bytes: Bytes.line(members, using: &luck), intent: intent, id: id, wantsReply: wantsReply)
  }

  mutating func verdict(_ verdict: Verdict, using luck: inout Generator) -> SentLine {
    var members = [("op", Bytes.quoted(verdict.kind.rawValue))]
    if let offer = verdict.offer { members.append(("id", Array("\(offer)".utf8))) }
    if let payload = verdict.payload { members.append(("payload", payload)) }
    if let message = verdict.message { members.append(("message", message)) }
    if let code = verdict.code { members.append(("code", code)) }
    return SentLine(bytes: Bytes.line(members, using: &luck), intent: .verdict(verdict))
  }

  static func silence(using luck: inout Generator) -> SentLine {
    let text = luck.pick(["\n", "  \t\r\n", "# a comment\n", "{\"op\":\"pong\"}\n"])
    return SentLine(bytes: Array(text.utf8), intent: .silence)
  }
}
