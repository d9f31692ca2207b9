import BatonModel
import WorldKit

/// Makes up what the peers of a world send. It looks at the model to see what is there, so that most lines make sense.
struct Maker {
  let plan: Plan
  var lines: RequestMaker<Plan>
  /// The peers that read at once what they are sent. Only these ask for what may be long.
  var eager: Set<Int> = []
  /// How likely each peer is to give each kind of verdict; some give none. There are a few such tempers, and each peer
  /// has one of them.
  private let tempers: [[Int]]
  private static let kinds = Verdict.Kind.allCases

  init(plan: Plan, using luck: inout Generator) {
    self.plan = plan
    lines = RequestMaker(plan: plan)
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
    lines.nextID += 1
    if var asked = introduction(model, connection, using: &luck) {
      if case .wrong = asked.request { return (connection, asked) }
      if !asked.line.isEmpty { return (connection, asked) }
      if luck.chance(80) { asked.id = RequestMaker<Plan>.id(lines.nextID, using: &luck) }
      asked.wantsReply = !luck.chance(6)
      return (connection, asked)
    }
    // Now and then one that a message of it has that is under way.
    let used = luck.chance(10) ? model.walks(of: connection) : []
    let id = luck.chance(5) ? nil : used.isEmpty ? RequestMaker<Plan>.id(lines.nextID, using: &luck) : luck.pick(used)
    let request = request(model, connection, using: &luck)
    let wantsReply = !luck.chance(6)
    if case .wrong(_, _) = request { return (connection, Asked(request)) }
    if case .verdict = request { return (connection, Asked(id: offerID(using: &luck), request)) }
    return (connection, Asked(id: id, wantsReply: wantsReply, request))
  }

  private mutating func request(_ model: Model, _ connection: Int, using luck: inout Generator) -> Request {
    // At first there must be some links.
    if lines.nextID < 40, luck.chance(50) { return .insert(lines.insert(model, using: &luck)) }
    if plan.isClumsy, luck.chance(40) { return wrong(using: &luck) }
    if asksForFindings(model, connection, using: &luck) { return .plain(.findings) }
    switch luck.below(100) {
    case ..<54: return .send(lines.message(using: &luck))
    case ..<55:
      if luck.chance(60), let next = model.nextPage { return next }
      return .explain(
        topic: lines.topic(using: &luck), chain: luck.chance(80) ? luck.pick(plan.chains) : nil,
        key: luck.chance(40) ? luck.pick(RequestMaker<Plan>.keys) : nil,
        payload: luck.chance(40) ? "{\(RequestMaker<Plan>.said(using: &luck))}" : nil, page: page(using: &luck))
    case ..<57:
      return .inspect(inspection(connection, using: &luck))
    case ..<69: return .insert(lines.insert(model, using: &luck))
    case ..<73:
      return luck.chance(plan.moves) ? lines.moving(model, using: &luck) : .replace(lines.replace(model, using: &luck))
    case ..<76: return lines.remove(model, using: &luck)
    case ..<80: return luck.chance(plan.moves) ? lines.moving(model, using: &luck) : lines.mounting(model, using: &luck)
    case ..<82:
      return luck.chance(plan.countsBytes ? 0 : plan.watching / 2)
        ? .subscribe(["$baton.trace"], traces(using: &luck))
        : subscribing(model, using: &luck)
    case ..<83: return .unsubscribe(luck.chance(50) ? nil : lines.subjects(using: &luck))
    case ..<88: return .broadcast(lines.broadcast(using: &luck))
    case ..<90: return lines.hello(using: &luck)
    case ..<92:
      return luck.chance(90)
        ? lines.cancel(model, connection, using: &luck) : luck.chance(50) ? .plain(.ping) : .plain(.pong)
    case ..<94: return wrong(using: &luck)
    case ..<95: return .verdict(lines.verdict(luck.pick(Self.kinds), using: &luck))
    case ..<96: return eager.contains(connection) ? .plain(.findings) : .plain(.ping)
    case ..<97: return luck.chance(plan.closing) ? close(model, connection, using: &luck) : .plain(.ping)
    case ..<99:
      return luck.chance(70) && plan.asksForWalks ? walks(model, using: &luck) : model.nextPage ?? .plain(.ping)
    default: return .send(lines.message(using: &luck))
    }
  }

  /// Mostly any topics. Now and then one of which events are gone, which is seldom, from the first event on.
  private func subscribing(_ model: Model, using luck: inout Generator) -> Request {
    var (subjects, wish) = (lines.subjects(using: &luck), kept(model, using: &luck))
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
      return (connection, Asked(id: id, .verdict(lines.verdict(Self.kinds[kind ?? 0], using: &luck))))
    }
    return nil
  }

  private func offerID(using luck: inout Generator) -> String? {
    luck.chance(20) ? nil : "\(luck.pick([1, 2, 3, 5, 1000, 0, -1]))"
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
