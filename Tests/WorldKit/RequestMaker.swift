/// What peers of a world are like: what they name, and how often they ask for what.
package protocol Habits {
  var chains: [String] { get }
  var names: [String] { get }
  /// In percent, how many topics are new.
  var newTopics: Int { get }
  /// Settings of links by name: most inserts of one name give the same settings.
  var recipes: [GivenSettings] { get }
  /// The timeouts that messages and links may have.
  var timeouts: [Int] { get }
  var holds: [Int] { get }
  /// In percent, how many messages ask for a trace, and how many subscriptions are for the server's own topics.
  var tracing: Int { get }
  var watching: Int { get }
  /// In percent, how many broadcasts leave a value.
  var keeping: Int { get }
  /// Whether the chains have so many links that messages take more steps than are kept.
  var isLong: Bool { get }
  /// Of twenty messages, how many go to all links, and how many wait for no result.
  var toAll: Int { get }
  var notifying: Int { get }
  /// Whether bytes of messages count: then few of them say more than one thing.
  var countsBytes: Bool { get }
  /// Whether links may stop messages, and whether their places may stay without them.
  var mayStop: Bool { get }
  var mayRequire: Bool { get }
  /// In percent, how many links that are replaced get another name.
  var renaming: Int { get }
  /// In percent, how many inserts are of a shadow.
  var shadows: Int { get }
  /// In percent, how likely a link asks for `hold_ms`; `usual` in most worlds.
  func holding(_ usual: Int) -> Int
  /// Whether peers often mount a chain in front of the place where the file mounts it.
  var mountsEarly: Bool { get }
  /// Ranks that links may have.
  var ranks: [String] { get }
  /// The server's own topics to which peers subscribe.
  var serverSubjects: [String] { get }
  /// JSON in which this number stands first.
  func payload(_ mark: Int, using luck: inout Generator) -> String
}

/// Of most worlds.
extension Habits {
  package var newTopics: Int { 0 }
  package var keeping: Int { 0 }
  package var isLong: Bool { false }
  package var toAll: Int { 5 }
  package var notifying: Int { 3 }
  package var countsBytes: Bool { false }
  package var mayStop: Bool { true }
  package var mayRequire: Bool { true }
  package var renaming: Int { 25 }
  package var shadows: Int { 8 }
  package func holding(_ usual: Int) -> Int { usual }
  package var mountsEarly: Bool { false }
  package var ranks: [String] { ["-1.5", "0", "1", "1", "2", "2.25", "1e3", "-1e9", "1e9", "999999999"] }
  package var serverSubjects: [String] {
    ["$baton.>", "$baton.*.*", "$baton.trace", "$baton.link.*", "$baton.message.>"]
  }
  package func payload(_ mark: Int, using luck: inout Generator) -> String {
    luck.chance(50) ? "\(mark)" : "{ \"m\":[\(mark), 1.50, \"\\u00e9\"] }"
  }
}

/// What a world knows of what is there, so that most lines make sense.
package protocol Surroundings {
  /// The ids of a connection's messages that are under way.
  func walks(of connection: Int) -> [String]
  func names(in chain: String, isMount: Bool) -> [String]
}

/// Makes up what peers ask: the form is right, the meaning may not be.
package struct RequestMaker<Plan: Habits> {
  package let plan: Plan
  package var nextID = 0
  private var nextMark = 0

  package init(plan: Plan) { self.plan = plan }

  private static var words: [String] { ["door", "open", "é", "a"] }
  package static var keys: [String] { ["k", "ä", "k 2", "bob"] }
  /// How many messages led to one.
  private static var depths: [Int] { [0, 1, 2, 16, 17, 1000] }
  /// Parts of the messages; the keys and the numbers of walks are on both sides of each.
  package static var parts: [Int] { [0, 5, 36, 50, 99, 100] }
  /// Conditions on what messages say here: on payloads with a mark, on meta, keys and topics.
  package static var conditions: [String] {
    [
      #"{"key":["k"]}"#, #"{"key":[{"exists":false}]}"#, #"{"topic":[{"prefix":"door"}]}"#,
      #"{ "payload" : {"m":[{"numeric":[">",3]}]} }"#, #"{"payload":{"n":[1,"1",{"prefix":"x"}]}}"#,
      #"{"payload":{"n":[{"anything-but":2}]}}"#, #"{"meta":{"trace":[{"numeric":["<",50]}]}}"#,
      #"{"meta":[{"exists":true}]}"#,
      #"{"$or":[{"payload":[{"exists":false}]},{"key":[{"equals-ignore-case":"BOB"}]}]}"#,
      #"{"payload":{"o":{"p":["q"]}}}"#, "{}",
    ]
  }
  /// What payloads say of that, beside their mark.
  package static func said(using luck: inout Generator) -> String {
    luck.pick([
      #""n":1"#, #""n":2"#, #""n":"x""#, #""n":[2,1]"#, #""N":1"#, #""n":1,"n":1"#, #""o":{"p":"q"}"#, #""o":"{}""#,
      #""o":[{"p":"r"}]"#,
    ])
  }

  package static func id(_ number: Int, using luck: inout Generator) -> String {
    switch luck.below(4) {
    case 0: "\"q\(number)\""
    case 1: "-\(number)"
    default: "\(number)"
    }
  }

  // MARK: Verdicts

  package mutating func verdict(_ kind: Verdict.Kind, using luck: inout Generator) -> Verdict {
    var verdict = Verdict(kind)
    switch kind {
    case .handled, .continue:
      if luck.chance(kind == .handled ? 70 : 40) { verdict.payload = payload(using: &luck) }
      if luck.chance(20) { verdict.message = words(using: &luck) }
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

  /// A meta that says a trace: mostly one that is well formed.
  private func traceparent(using luck: inout Generator) -> String {
    let flags = luck.pick(["01", "01", "01", "00", "ff", "0"])
    let spans = luck.pick(["00f067aa0ba902b7", "00f067aa0ba902b8", "00f067aa0ba902B7", "0000000000000000"])
    let member = "\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-\(spans)-\(flags)\""
    return luck.chance(90) ? "{\(member)}" : "{\(member), \(member)}"
  }

  package mutating func message(using luck: inout Generator) -> Send {
    var message = Send(topic: topic(using: &luck))
    if luck.chance(80) { message.payload = payload(using: &luck) }
    if luck.chance(20) { message.meta = "{\"trace\": \(luck.below(100))}" }
    if luck.chance(plan.tracing) { message.meta = traceparent(using: &luck) }
    if luck.chance(60) { message.chain = luck.pick(plan.chains) }
    if luck.chance(50) { message.timeoutMilliseconds = luck.pick(plan.timeouts) }
    switch luck.below(20) {
    case ..<plan.toAll: message.mode = plan.countsBytes ? .first : .all
    case (20 - plan.notifying)...:
      message.mode = .notify
      if !luck.chance(5) { message.timeoutMilliseconds = nil }
    default: if luck.chance(20) { message.mode = .first }
    }
    if luck.chance(message.mode == .notify && !plan.countsBytes ? 2 : plan.tracing) { message.trace = true }
    if luck.chance(message.mode == .notify ? 2 : 20) { message.key = luck.pick(Self.keys) }
    if luck.chance(10) { message.within = luck.pick(Self.depths) }
    return message
  }

  package mutating func broadcast(using luck: inout Generator) -> Broadcast {
    var message = Broadcast(topic: topic(using: &luck))
    if luck.chance(80) { message.payload = payload(using: &luck) }
    if luck.chance(20) { message.meta = "[1, \"m\"]" }
    if luck.chance(40) { message.echo = luck.chance(40) }
    if luck.chance(plan.keeping) { message.retain = luck.chance(90) }
    if message.retain == true, luck.chance(20) { message.payload = luck.chance(50) ? nil : "null" }
    if luck.chance(10) { message.within = luck.pick(Self.depths) }
    if luck.chance(60) { message.via = luck.pick(plan.chains) }
    guard message.via != nil || luck.chance(3) else { return message }
    if luck.chance(50) { message.timeoutMilliseconds = luck.pick(plan.timeouts) }
    if luck.chance(30) { message.key = luck.pick(Self.keys) }
    if luck.chance(plan.tracing) { message.trace = true }
    return message
  }

  package mutating func payload(using luck: inout Generator) -> String {
    nextMark += 1
    return plan.payload(nextMark, using: &luck)
  }

  package func topic(using luck: inout Generator) -> String {
    let topic = (0..<luck.between(1...3)).map { _ in luck.pick(Self.words) }.joined(separator: ".")
    return plan.newTopics > 0 && luck.chance(plan.newTopics) ? "\(topic).t\(nextID)" : topic
  }

  package func patterns(using luck: inout Generator) -> [String] {
    (0..<luck.between(1...2)).map { _ in Self.pattern(using: &luck) }
  }

  /// Patterns to subscribe to, with those of the server's own topics.
  package func subjects(using luck: inout Generator) -> [String] {
    var subjects = patterns(using: &luck)
    if luck.chance(plan.watching) { subjects.append(luck.pick(plan.serverSubjects)) }
    return subjects
  }

  package static func pattern(using luck: inout Generator) -> String {
    if luck.chance(30) { return ">" }
    var tokens = (0..<luck.between(1...3)).map { _ in luck.chance(40) ? "*" : luck.pick(words) }
    if luck.chance(60) { tokens[tokens.count - 1] = ">" }
    return tokens.joined(separator: ".")
  }

  /// One of its own messages that are under way, or now and then another id.
  package func cancel(_ there: some Surroundings, _ connection: Int, using luck: inout Generator) -> Request {
    let own = there.walks(of: connection)
    if own.isEmpty || luck.chance(10) {
      return .cancel(request: Self.id(luck.between(1...max(1, nextID)), using: &luck))
    }
    return .cancel(request: luck.pick(own))
  }

  // MARK: Links

  package func insert(_ there: some Surroundings, using luck: inout Generator) -> Insert {
    let chain = luck.pick(plan.chains)
    let number = luck.below(plan.names.count)
    if luck.chance(plan.shadows) {
      var wish = Insert(chain: chain, handler: "shade")
      wish.settings.shadow = true
      if luck.chance(20) { wish.settings.percent = luck.pick(Self.parts) }
      if luck.chance(20) { wish.settings.when = luck.pick(Self.conditions) }
      wish.place = place(there, chain, using: &luck)
      return wish
    }
    var wish = Insert(chain: said(chain, using: &luck), handler: plan.names[number])
    wish.settings = luck.chance(75) ? plan.recipes[number] : Self.settings(plan, isFull: true, using: &luck)
    wish.place = place(there, chain, using: &luck)
    return wish
  }

  /// The chain `main` need not be said.
  private func said(_ chain: String, using luck: inout Generator) -> String? {
    chain == "main" && luck.chance(50) ? nil : chain
  }

  private func place(_ there: some Surroundings, _ chain: String, using luck: inout Generator) -> Place? {
    switch luck.below(12) {
    case 0: .front
    case 1: .back
    case 2: .before(name(there, chain, using: &luck))
    case 3: .after(name(there, chain, using: &luck))
    case 4, 5: .rank(luck.pick(plan.ranks))
    default: nil
    }
  }

  /// Mostly a link that is there.
  private func name(_ there: some Surroundings, _ chain: String, using luck: inout Generator) -> String {
    let known = there.names(in: chain, isMount: false) + there.names(in: chain, isMount: true)
    return known.isEmpty || luck.chance(10) ? luck.pick(plan.names) : luck.pick(known)
  }

  /// A link that is there and is not a shadow; shadows come and go, but are never changed.
  private func victim(_ there: some Surroundings, _ chain: String, using luck: inout Generator) -> String {
    let known = there.names(in: chain, isMount: luck.chance(3)).filter { $0 != "shade" }
    return known.isEmpty || luck.chance(5) ? luck.pick(plan.names) : luck.pick(known)
  }

  package func replace(_ there: some Surroundings, using luck: inout Generator) -> Replace {
    let chain = luck.pick(plan.chains)
    var wish = Replace(chain: chain, handler: victim(there, chain, using: &luck))
    if luck.chance(plan.renaming) { wish.newName = luck.pick(plan.names) }
    wish.settings = Self.settings(plan, isFull: false, using: &luck)
    return wish
  }

  package func remove(_ there: some Surroundings, using luck: inout Generator) -> Request {
    let chain = luck.pick(plan.chains)
    if luck.chance(10) { return .removeEmpty(chain: said(chain, using: &luck)) }
    let name = luck.chance(10) ? "shade" : victim(there, chain, using: &luck)
    return .remove(chain: said(chain, using: &luck), handler: name)
  }

  package func moving(_ there: some Surroundings, using luck: inout Generator) -> Request {
    let chain = luck.pick(plan.chains)
    let mounts = there.names(in: chain, isMount: true)
    let isMount = luck.chance(30) && !mounts.isEmpty
    let name = isMount ? luck.pick(mounts) : victim(there, chain, using: &luck)
    let place = place(there, chain, using: &luck) ?? (luck.chance(50) ? .front : .back)
    let isMain = chain == "main" && luck.chance(50)
    return .move(Move(chain: isMain ? nil : chain, name: name, isMount: isMount, place: place))
  }

  package func mounting(_ there: some Surroundings, using luck: inout Generator) -> Request {
    let isEarly = plan.mountsEarly && luck.chance(50)
    let (chain, on) = isEarly ? (plan.chains[1], plan.chains[2]) : (luck.pick(plan.chains), luck.pick(plan.chains))
    if luck.chance(isEarly ? 10 : 35) {
      let known = there.names(in: chain, isMount: true)
      return .unmount(chain: chain, on: known.isEmpty ? on : luck.pick(known))
    }
    var wish = Mount(chain: chain, on: on)
    if luck.chance(50) { wish.accepts = patterns(using: &luck) }
    if luck.chance(20) { wish.percent = luck.pick(Self.parts) }
    if luck.chance(20) { wish.when = luck.pick(Self.conditions) }
    if luck.chance(40) { wish.together = luck.chance(90) }
    wish.place = place(there, chain, using: &luck)
    return .mount(wish)
  }

  /// Settings of a link: all of them for a recipe, or the few that a `replace` changes.
  package static func settings(_ plan: Plan, isFull: Bool, using luck: inout Generator) -> GivenSettings {
    var given = GivenSettings()
    let often = isFull ? 40 : 15
    if luck.chance(plan.isLong ? 3 : often) { given.accepts = [pattern(using: &luck)] }
    if luck.chance(often) { given.timeoutMilliseconds = luck.pick(plan.timeouts) }
    if plan.isLong { given.timeoutMilliseconds = 1 }
    if luck.chance(often) { given.window = luck.between(1...3) }
    if luck.chance(often), plan.mayStop { given.onFailure = policy(using: &luck) }
    if luck.chance(often) { given.share = luck.chance(70) }
    if luck.chance(plan.holding(often)) { given.holdMilliseconds = luck.chance(20) ? 0 : luck.pick(plan.holds) }
    if plan.mayRequire, luck.chance(often / 2) { given.required = luck.chance(70) }
    if !plan.isLong, luck.chance(often / 3) { given.percent = luck.pick(parts) }
    if !plan.isLong, luck.chance(often / 2) { given.when = luck.pick(conditions) }
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

  package func hello(using luck: inout Generator) -> Request {
    let name = luck.chance(60) ? luck.pick(["cli", "n1", "x.y"]) : nil
    return .hello(name: name, heartbeatMilliseconds: luck.chance(30) ? luck.between(100...2000) : nil)
  }
}
