import BatonModel
import WorldKit

/// Makes up what the peers of a world send. It looks at the model to see what is there, so that most lines make sense.
struct Maker {
  let plan: Plan
  var nextID = 0
  private var nextMark = 0
  /// The peers that read at once what they are sent. Only these ask for what may be long.
  var eager: Set<Int> = []
  /// How likely each peer is to give each kind of verdict; some give none. There are a few such tempers, and each peer
  /// has one of them.
  private let tempers: [[Int]]
  private static let manyLetters = String(repeating: "x", count: 4000)
  private static let words = ["door", "open", "é", "a"]
  private static let kinds = Verdict.Kind.allCases
  private static let keys = ["k", "ä", "k 2"]

  init(plan: Plan, using luck: inout Generator) {
    self.plan = plan
    tempers = (0..<7).map { number in
      // The kinds: handled, continue, reject, failed, working. A hung peer gives no verdict.
      if number == 6 { return [0, 0, 0, 0, 0] }
      if plan.hasLongPayloads { return [20, 1, 1, 1, 1] }
      return Self.kinds.map { _ in luck.chance(40) ? 0 : luck.between(1...10) }
    }
  }

  /// What one of the peers sends next.
  mutating func ask(
    _ model: Model, _ talking: [Int], using luck: inout Generator
  ) -> (connection: Int, asked: Asked)? {
    guard !talking.isEmpty else { return nil }
    if luck.chance(40), let answer = answer(model, talking, using: &luck) { return answer }
    let connection = luck.pick(talking)
    nextID += 1
    if var asked = introduction(model, connection, using: &luck) {
      if case .wrong = asked.request { return (connection, asked) }
      if !asked.line.isEmpty { return (connection, asked) }
      if luck.chance(80) { asked.id = Self.id(nextID, using: &luck) }
      asked.wantsReply = !luck.chance(6)
      return (connection, asked)
    }
    // Now and then one that a message of it has that is under way.
    let used = luck.chance(10) ? model.walks(of: connection) : []
    let id = luck.chance(5) ? nil : used.isEmpty ? Self.id(nextID, using: &luck) : luck.pick(used)
    let request = request(model, connection, using: &luck)
    let wantsReply = !luck.chance(6)
    if case .wrong(_, _) = request { return (connection, Asked(request)) }
    if case .verdict = request { return (connection, Asked(id: offerID(using: &luck), request)) }
    return (connection, Asked(id: id, wantsReply: wantsReply, request))
  }

  private static func id(_ number: Int, using luck: inout Generator) -> String {
    switch luck.below(4) {
    case 0: "\"q\(number)\""
    case 1: "-\(number)"
    default: "\(number)"
    }
  }

  private mutating func request(_ model: Model, _ connection: Int, using luck: inout Generator) -> Request {
    // At first there must be some links.
    if nextID < 40, luck.chance(50) { return .insert(insert(model, using: &luck)) }
    if plan.isClumsy, luck.chance(40) { return wrong(using: &luck) }
    if asksForFindings(model, connection, using: &luck) { return .findings }
    switch luck.below(100) {
    case ..<54: return .send(message(using: &luck))
    case ..<55:
      if luck.chance(60), let next = model.nextPage { return next }
      return .explain(
        topic: topic(using: &luck), chain: luck.chance(80) ? luck.pick(plan.chains) : nil, page: page(using: &luck))
    case ..<57:
      return .inspect(inspection(connection, using: &luck))
    case ..<69: return .insert(insert(model, using: &luck))
    case ..<73:
      return luck.chance(plan.moves) ? moving(model, using: &luck) : .replace(replace(model, using: &luck))
    case ..<76: return remove(model, using: &luck)
    case ..<80: return luck.chance(plan.moves) ? moving(model, using: &luck) : mounting(model, using: &luck)
    case ..<82:
      return luck.chance(plan.countsBytes ? 0 : plan.watching / 2)
        ? .subscribe(["$baton.trace"], traces(using: &luck))
        : subscribing(model, using: &luck)
    case ..<83: return .unsubscribe(luck.chance(50) ? nil : subjects(using: &luck))
    case ..<88: return .broadcast(broadcast(using: &luck))
    case ..<90: return hello(using: &luck)
    case ..<92: return luck.chance(90) ? cancel(model, connection, using: &luck) : luck.chance(50) ? .ping : .pong
    case ..<94: return wrong(using: &luck)
    case ..<95: return .verdict(verdict(luck.pick(Self.kinds), using: &luck))
    case ..<96: return eager.contains(connection) ? .findings : .ping
    case ..<97: return luck.chance(plan.closing) ? close(model, connection, using: &luck) : .ping
    case ..<99: return luck.chance(70) && plan.asksForWalks ? walks(model, using: &luck) : model.nextPage ?? .ping
    default: return .send(message(using: &luck))
    }
  }

  /// Mostly any topics. Now and then one of which events are gone, which is seldom, from the first event on.
  private func subscribing(_ model: Model, using luck: inout Generator) -> Request {
    var (subjects, wish) = (subjects(using: &luck), kept(model, using: &luck))
    let topics = wish.after == nil ? [] : model.topicsWithGone
    if !topics.isEmpty, luck.chance(30) { (subjects, wish.after) = ([luck.pick(topics)], 0) }
    return .subscribe(subjects, nil, wish)
  }

  /// Now and then what is kept is asked for. A slow reader does not: the contract leaves open what comes between the
  /// pieces.
  private func kept(_ model: Model, using luck: inout Generator) -> KeptWish {
    var wish = KeptWish()
    guard luck.chance(plan.keeping) else { return wish }
    if luck.chance(50) { wish.retained = luck.chance(90) }
    guard wish.retained == nil || luck.chance(5) else { return wish }
    wish.after = luck.chance(90) ? luck.between(0...model.lastSeq) : model.lastSeq + luck.between(0...2)
    wish.epoch = luck.chance(90) ? "0" : luck.chance(50) ? "another" : nil
    return wish
  }

  /// One of its own messages that are under way, or now and then another id.
  private func cancel(_ model: Model, _ connection: Int, using luck: inout Generator) -> Request {
    let own = model.walks(of: connection)
    if own.isEmpty || luck.chance(10) {
      return .cancel(request: Self.id(luck.between(1...max(1, nextID)), using: &luck))
    }
    return .cancel(request: luck.pick(own))
  }

  // MARK: Verdicts

  private mutating func answer(
    _ model: Model, _ talking: [Int], using luck: inout Generator
  ) -> (connection: Int, asked: Asked)? {
    let start = luck.below(talking.count)
    for offset in talking.indices {
      let connection = talking[(start + offset) % talking.count]
      let row = model.peers[connection].row
      let temper = tempers[connection % tempers.count]
      let sum = temper.reduce(0, +)
      guard !row.isEmpty, sum > 0 else { continue }
      var left = luck.below(sum)
      let kind = temper.firstIndex { weight in
        left -= weight
        return left < 0
      }
      let offer = luck.chance(60) ? row[0] : luck.pick(row)
      // A handler seldom answers an offer that has timed out.
      if !offer.isOpen, luck.chance(50) { continue }
      let id = luck.chance(15) ? nil : "\(offer.id)"
      return (connection, Asked(id: id, .verdict(verdict(Self.kinds[kind ?? 0], using: &luck))))
    }
    return nil
  }

  private func offerID(using luck: inout Generator) -> String? {
    luck.chance(20) ? nil : "\(luck.pick([1, 2, 3, 5, 1000, 0, -1]))"
  }

  private mutating func verdict(_ kind: Verdict.Kind, using luck: inout Generator) -> Verdict {
    var verdict = Verdict(kind)
    switch kind {
    case .handled: if luck.chance(70) { verdict.payload = payload(using: &luck) }
    case .continue: if luck.chance(40) { verdict.payload = payload(using: &luck) }
    case .reject:
      if luck.chance(60) { verdict.message = luck.chance(20) ? words(using: &luck) : "no, \(luck.below(9))" }
      if luck.chance(60) { verdict.code = luck.chance(50) ? "\"c\(luck.below(9))\"" : "-\(luck.below(9))" }
    case .failed: if luck.chance(50) { verdict.message = words(using: &luck) }
    case .working: break
    }
    return verdict
  }

  /// What a handler says, as lines spell it: some of it is cut where it is told of.
  private func words(using luck: inout Generator) -> String {
    if luck.chance(60) { return "stuck, é" }
    let word = luck.pick(["e", "é", "€", "😀", #"\""#, #"\\"#, #"\n"#, #"\u0001"#])
    return String(repeating: "x", count: luck.between(200...256)) + String(repeating: word, count: luck.between(1...40))
  }

  // MARK: Messages

  private mutating func message(using luck: inout Generator) -> Send {
    var message = Send(topic: topic(using: &luck))
    if luck.chance(80) { message.payload = payload(using: &luck) }
    if luck.chance(20) { message.meta = "{\"trace\": \(luck.below(100))}" }
    if luck.chance(60) { message.chain = luck.pick(plan.chains) }
    if luck.chance(50) { message.timeoutMilliseconds = luck.pick(plan.timeouts) }
    switch luck.below(20) {
    case ..<(plan.hasLongPayloads ? 15 : 5): message.mode = plan.countsBytes ? .first : .all
    case 17...:
      message.mode = .notify
      if !luck.chance(5) { message.timeoutMilliseconds = nil }
    default: if luck.chance(20) { message.mode = .first }
    }
    if luck.chance(message.mode == .notify && !plan.countsBytes ? 2 : plan.tracing) { message.trace = true }
    if luck.chance(message.mode == .notify ? 2 : 20) { message.key = luck.pick(Self.keys) }
    return message
  }

  private mutating func broadcast(using luck: inout Generator) -> Broadcast {
    var message = Broadcast(topic: topic(using: &luck))
    if luck.chance(80) { message.payload = payload(using: &luck) }
    if luck.chance(20) { message.meta = "[1, \"m\"]" }
    if luck.chance(40) { message.echo = luck.chance(40) }
    if luck.chance(plan.keeping) { message.retain = luck.chance(90) }
    if message.retain == true, luck.chance(20) { message.payload = luck.chance(50) ? nil : "null" }
    if luck.chance(60) { message.via = luck.pick(plan.chains) }
    guard message.via != nil || luck.chance(3) else { return message }
    if luck.chance(50) { message.timeoutMilliseconds = luck.pick(plan.timeouts) }
    if luck.chance(30) { message.key = luck.pick(Self.keys) }
    if luck.chance(plan.tracing) { message.trace = true }
    return message
  }

  private mutating func payload(using luck: inout Generator) -> String {
    nextMark += 1
    if plan.hasLongPayloads, luck.chance(70) {
      return "\"\(nextMark)\(Self.manyLetters.prefix(luck.between(500...3900)))\""
    }
    return luck.chance(50) ? "\(nextMark)" : "{ \"m\":[\(nextMark), 1.50, \"\\u00e9\"] }"
  }

  func topic(using luck: inout Generator) -> String {
    (0..<luck.between(1...3)).map { _ in luck.pick(Self.words) }.joined(separator: ".")
  }

  private func patterns(using luck: inout Generator) -> [String] {
    (0..<luck.between(1...2)).map { _ in Self.pattern(using: &luck) }
  }

  /// Patterns to subscribe to, with those of the server's own topics.
  private func subjects(using luck: inout Generator) -> [String] {
    var subjects = patterns(using: &luck)
    if luck.chance(plan.watching) { subjects.append(luck.pick(plan.serverSubjects)) }
    return subjects
  }

  static func pattern(using luck: inout Generator) -> String {
    if luck.chance(30) { return ">" }
    var tokens = (0..<luck.between(1...3)).map { _ in luck.chance(40) ? "*" : luck.pick(words) }
    if luck.chance(60) { tokens[tokens.count - 1] = ">" }
    return tokens.joined(separator: ".")
  }

  // MARK: Links

  private func insert(_ model: Model, using luck: inout Generator) -> Insert {
    let chain = luck.pick(plan.chains)
    let number = luck.below(plan.names.count)
    if luck.chance(8) {
      var wish = Insert(chain: chain, handler: "shade")
      wish.settings.shadow = true
      wish.place = place(model, chain, using: &luck)
      return wish
    }
    var wish = Insert(chain: chain == "main" && luck.chance(50) ? nil : chain, handler: plan.names[number])
    wish.settings = luck.chance(75) ? plan.recipes[number] : Self.settings(plan, isFull: true, using: &luck)
    wish.place = place(model, chain, using: &luck)
    return wish
  }

  private func place(_ model: Model, _ chain: String, using luck: inout Generator) -> Place? {
    switch luck.below(12) {
    case 0: .front
    case 1: .back
    case 2: .before(name(model, chain, using: &luck))
    case 3: .after(name(model, chain, using: &luck))
    case 4, 5:
      .rank(
        luck.pick(["-1.5", "0", "1", "1", "2", "2.25", "1e3"] + (plan.mayCrowd ? [] : ["-1e9", "1e9", "999999999"])))
    default: nil
    }
  }

  /// Mostly a link that is there.
  private func name(_ model: Model, _ chain: String, using luck: inout Generator) -> String {
    let there = model.names(in: chain, isMount: false) + model.names(in: chain, isMount: true)
    return there.isEmpty || luck.chance(10) ? luck.pick(plan.names) : luck.pick(there)
  }

  /// A link that is there and is not a shadow; shadows come and go, but are never changed.
  private func victim(_ model: Model, _ chain: String, using luck: inout Generator) -> String {
    let there = model.names(in: chain, isMount: luck.chance(3)).filter { $0 != "shade" }
    return there.isEmpty || luck.chance(5) ? luck.pick(plan.names) : luck.pick(there)
  }

  private func replace(_ model: Model, using luck: inout Generator) -> Replace {
    let chain = luck.pick(plan.chains)
    var wish = Replace(chain: chain, handler: victim(model, chain, using: &luck))
    if luck.chance(25) { wish.newName = luck.pick(plan.names) }
    wish.settings = Self.settings(plan, isFull: false, using: &luck)
    return wish
  }

  private func remove(_ model: Model, using luck: inout Generator) -> Request {
    let chain = luck.pick(plan.chains)
    if luck.chance(10) { return .removeEmpty(chain: chain == "main" && luck.chance(50) ? nil : chain) }
    let name = luck.chance(10) ? "shade" : victim(model, chain, using: &luck)
    return .remove(chain: chain == "main" && luck.chance(50) ? nil : chain, handler: name)
  }

  private func moving(_ model: Model, using luck: inout Generator) -> Request {
    let chain = luck.pick(plan.chains)
    let mounts = model.names(in: chain, isMount: true)
    let isMount = luck.chance(30) && !mounts.isEmpty
    let name = isMount ? luck.pick(mounts) : victim(model, chain, using: &luck)
    let place = place(model, chain, using: &luck) ?? (luck.chance(50) ? .front : .back)
    let isMain = chain == "main" && luck.chance(50)
    return .move(Move(chain: isMain ? nil : chain, name: name, isMount: isMount, place: place))
  }

  private func mounting(_ model: Model, using luck: inout Generator) -> Request {
    let isEarly = plan.mountsEarly && luck.chance(50)
    let (chain, on) = isEarly ? (plan.chains[1], plan.chains[2]) : (luck.pick(plan.chains), luck.pick(plan.chains))
    if luck.chance(isEarly ? 10 : 35) {
      let there = model.names(in: chain, isMount: true)
      return .unmount(chain: chain, on: there.isEmpty ? on : luck.pick(there))
    }
    var wish = Mount(chain: chain, on: on)
    if luck.chance(50) { wish.accepts = patterns(using: &luck) }
    wish.place = place(model, chain, using: &luck)
    return .mount(wish)
  }

  /// Settings of a link: all of them for a recipe, or the few that a `replace` changes.
  static func settings(_ plan: Plan, isFull: Bool, using luck: inout Generator) -> GivenSettings {
    var given = GivenSettings()
    let often = isFull ? 40 : 15
    if luck.chance(plan.isLong ? 3 : often) { given.accepts = [pattern(using: &luck)] }
    if luck.chance(often) { given.timeoutMilliseconds = luck.pick(plan.timeouts) }
    if plan.isLong { given.timeoutMilliseconds = 1 }
    if luck.chance(often) { given.window = luck.between(1...3) }
    if luck.chance(often), plan.mayStop { given.onFailure = policy(using: &luck) }
    if luck.chance(often) { given.share = luck.chance(70) }
    if luck.chance(plan.holding(often)) { given.holdMilliseconds = luck.chance(20) ? 0 : luck.pick(plan.holds) }
    if luck.chance(often / 2) { given.required = luck.chance(70) }
    return given
  }

  private static func policy(using luck: inout Generator) -> Policy {
    switch luck.below(4) {
    case 0: .continue
    case 1: .stop
    default:
      .perCause(
        Dictionary(uniqueKeysWithValues: Cause.allCases.filter { _ in luck.chance(50) }.map { ($0, luck.chance(70)) }))
    }
  }

  // MARK: The rest

  private func hello(using luck: inout Generator) -> Request {
    let name = luck.chance(60) ? luck.pick(["cli", "n1", "x.y"]) : nil
    return .hello(name: name, heartbeatMilliseconds: luck.chance(30) ? luck.between(100...2000) : nil)
  }

  func wrong(using luck: inout Generator) -> Request {
    let (line, code) = luck.pick([
      (#"{"op":"send"}"#, "missing_member"), ("{", "bad_json"), (#"{"op":"nope"}"#, "unknown_op"),
      (#"{"op":"ping","zzz":1}"#, "unknown_member"), (#"{"op":"send","topic":"a..b"}"#, "bad_topic"),
      (#"{"op":"insert","handler":"a b"}"#, "bad_name"), (#"{"op":"subscribe","topics":["a.>.b"]}"#, "bad_pattern"),
      (#"{"op":"subscribe","topics":["*.*.*.*.*"]}"#, "bad_pattern"),
      (#"{"op":"send","topic":"1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17"}"#, "bad_topic"),
      (#"{"op":"send","topic":"a","timeout_ms":0}"#, "bad_member"),
    ])
    return .wrong(line: line, code: code)
  }
}
