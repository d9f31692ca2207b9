import BatonLasting
import BatonLog
import WorldKit

/// Two to four nodes with their files, and the stream of their log, in a time that is moved. All that happens is made from the
/// seed alone. Who leads is said by chance, and more than one at a time: what is promised of the log does not stand on the lease.
final class World {
  enum Step {
    case event(Int, life: Int, NodeLog.Event)
    case answer(Int, link: Int, NodeLog.Event)
    case publish(Int, link: Int, [UInt8], expected: UInt64, attempt: Int, life: Int)
    case look(Int, link: Int, question: Int, isWriters: Bool)
    case read(Int, link: Int, question: Int, from: UInt64)
    case commit(Int, life: Int)
    case tick(Int, life: Int)
    case lead
    case write(Int, life: Int)
    case mishap
  }

  private var luck: Generator
  private let plant: Plant?
  private let isLogged: Bool
  private var nodes: [Node] = []
  private var stream: Stream
  /// Counts the starts of what has it: what was on its way to an earlier one comes nowhere.
  private var streamsLife = 0
  private var now: Int64 = 0
  private var steps = StepQueue<Step>()
  private var isCalm = false
  private var lastEpoch: Int64 = 0
  private var drawn: UInt64 = 0
  private var bodies = 0
  /// What was told accepted, and the order of all that was carried out.
  private var accepted: [[UInt8]] = []
  private var truth: [[UInt8]] = []
  /// The leader that opened last.
  private var newest: Int?
  private var openEpoch: Int64 = 0
  private(set) var reached: [String: Int] = [:]

  private static let storeMs: Int64 = 5000
  private static let lostMs: Int64 = 15_000

  init(seed: UInt64, plant: Plant?, isLogged: Bool) {
    (luck, self.plant, self.isLogged) = (Generator(seed: seed), plant, isLogged)
    stream = Stream(plant: plant)
    for number in 0..<luck.between(2...4) {
      nodes.append(Node(name: number, log: World.log(nil)))
      connect(number, after: luck.below(100))
    }
    steps.add(.lead, at: 200)
    steps.add(.mishap, at: Int64(luck.below(20_000)))
  }

  private static func log(_ position: LogPosition?) -> NodeLog {
    NodeLog(position, storeMs: storeMs, lostMs: lostMs, mostBytes: LogRecord.headCount + 8)
  }

  /// Lives through so many steps, and then in peace until something was written.
  func run(steps count: Int) throws(Broken) {
    for _ in 0..<count { try step() }
    isCalm = true
    stream.isAway = false
    for number in nodes.indices where !nodes[number].isUp { restart(number, after: 0) }
    for number in nodes.indices { connect(number, after: 1) }
    let (end, before) = (now + 200_000, accepted.count)
    while now < end, accepted.count < before + 3 { try step() }
    guard accepted.count >= before + 3 else {
      throw Broken(promise: .somebody, detail: "nothing is accepted any more: \(states)")
    }
  }

  private var states: String {
    let words = nodes.map { $0.isOpen ? "leads" : $0.log.whyNot(at: now)?.rawValue ?? "could lead" }
    return words.enumerated().map { "\($0) \($1)" }.joined(separator: "; ")
  }

  private func step() throws(Broken) {
    guard let (at, step) = steps.next() else { throw Broken(promise: .somebody, detail: "nothing is due") }
    now = max(now, at)
    switch step {
    case .event(let number, let life, let event): if isAlive(number, life) { try take(event, at: number) }
    case .answer(let number, let link, let event):
      if nodes[number].isUp, nodes[number].link == link { try take(event, at: number) }
    case .tick(let number, let life): if isAlive(number, life) { try take(.tick, at: number) }
    case .publish(let number, let link, let bytes, let expected, let attempt, let life):
      if life == streamsLife { publish(number, link, bytes, expected, attempt) }
    case .look(let number, let link, let question, let isWriters): look(number, link, question, isWriters)
    case .read(let number, let link, let question, let from): read(number, link, question, from)
    case .commit(let number, let life): if isAlive(number, life) { try commit(number) }
    case .write(let number, let life): if isAlive(number, life) { try write(number) }
    case .lead: try lead()
    case .mishap: mishap()
    }
  }

  private func isAlive(_ number: Int, _ life: Int) -> Bool { nodes[number].isUp && nodes[number].life == life }

  private func delay() -> Int64 { Int64(isCalm || luck.chance(90) ? 1 + luck.below(40) : luck.below(20_000)) }

  private var isLost: Bool { !isCalm && luck.chance(5) }

  private func connect(_ number: Int, after milliseconds: Int) {
    nodes[number].isConnected = true
    nodes[number].link += 1
    steps.add(.event(number, life: nodes[number].life, .connected), at: now + Int64(milliseconds))
  }

  // MARK: Nodes

  private func take(_ event: NodeLog.Event, at number: Int) throws(Broken) {
    if isLogged { print("\(now) \(number) \(String("\(event)".prefix(300)))") }
    for effect in nodes[number].log.take(event, at: now) {
      if isLogged { print("\(now)   \(number) \(String("\(effect)".prefix(300)))") }
      try carryOut(effect, of: number)
    }
    let wake = nodes[number].log.wakeAt
    if wake < .max { steps.add(.tick(number, life: nodes[number].life), at: max(wake, now + 1)) }
  }

  private func carryOut(_ effect: NodeLog.Effect, of number: Int) throws(Broken) {
    let (life, link) = (nodes[number].life, nodes[number].link)
    switch effect {
    case .look(let question):
      steps.add(.look(number, link: link, question: question, isWriters: false), at: now + delay())
      steps.add(.answer(number, link: link, .noAnswer(question: question)), at: now + 21_000)
    case .read(let question, let from):
      steps.add(.read(number, link: link, question: question, from: from), at: now + delay())
      steps.add(.answer(number, link: link, .noAnswer(question: question)), at: now + 21_000)
    case .writer(.look(let question)):
      steps.add(.look(number, link: link, question: question, isWriters: true), at: now + delay())
      steps.add(.answer(number, link: link, .writer(.looked(question: question, .noAnswer))), at: now + 21_000)
    case .writer(.publish(let bytes, let expected, let attempt)):
      if plant == .toldAtPublish, let body = nodes[number].writing { accepted.append(body) }
      steps.add(
        .publish(
          number, link: link, meddled(bytes, of: number), expected: expected, attempt: attempt, life: streamsLife),
        at: now + delay())
    case .writer: break
    case .apply(let steps): keep(steps, of: number)
    case .written(let step):
      nodes[number].writing = nil
      if plant == .toldAtWritten, case .commit(let body, _) = step { accepted.append(body) }
      keep([step], of: number)
      steps.add(.write(number, life: life), at: now + Int64(luck.below(50)))
    case .isOpen: try open(number)
    case .isLate:
      reached["late", default: 0] += 1
      if plant == .toldLate, let body = nodes[number].writing { accepted.append(body) }
    case .needsBase:
      reached["begun again", default: 0] += 1
      post(.begins(name: name(), base: Array("base".utf8)), to: number, after: luck.below(100))
    case .ends: restart(number, after: luck.below(1000))
    case .strange: break
    }
  }

  private func post(_ event: NodeLog.Event, to number: Int, after milliseconds: Int) {
    steps.add(.event(number, life: nodes[number].life, event), at: now + Int64(milliseconds))
  }

  private func name() -> LogName {
    drawn += 1
    return LogName(high: drawn, low: 7)
  }

  /// Another process of the node: what its disk has is all that it knows.
  private func restart(_ number: Int, after milliseconds: Int) {
    nodes[number].life += 1
    (nodes[number].isUp, nodes[number].epoch, nodes[number].isOpen) = (true, nil, false)
    (nodes[number].writing, nodes[number].queue, nodes[number].isMeddled) = (nil, [], false)
    // A store that cannot follow gets a copy of that of the leader: a person's work, or the node's.
    let stop = nodes[number].log.whyNot(at: now)
    if stop == .lacks || stop == .isOther, let newest, newest != number {
      nodes[number].file = nodes[newest].file
      reached["copies", default: 0] += 1
    }
    nodes[number].log = World.log(nodes[number].file.position)
    connect(number, after: milliseconds)
  }

  // MARK: Leading

  private func lead() throws(Broken) {
    steps.add(.lead, at: now + Int64(isCalm ? 25_000 : 500 + luck.below(30_000)))
    let able = nodes.indices.filter {
      nodes[$0].isUp && nodes[$0].epoch == nil && nodes[$0].log.whyNot(at: now) == nil
    }
    if isCalm, nodes.contains(where: \.isOpen) { return }
    // Where another one has more, the chosen one finds that out.
    let best = nodes.indices.map(far).max { $0 < $1 } ?? (0, 0)
    if !able.contains(where: { far($0) == best }), !nodes.contains(where: \.isOpen) { decide() }
    guard !able.isEmpty else { return }
    // Whoever found that another one has more waits again, and the other one comes first.
    let decided = able.filter { nodes[$0].file.position?.isToBegin == true }
    let fit = !isCalm ? able : !decided.isEmpty ? decided : able.filter { far($0) == best }
    guard !fit.isEmpty else { return }
    let number = fit[luck.below(fit.count)]
    lastEpoch += plant == .equalEpochs && luck.chance(30) ? 0 : plant == .lowerEpoch && luck.chance(20) ? -3 : 1
    nodes[number].epoch = lastEpoch
    reached["leaderships", default: 0] += 1
    for other in nodes where other.isUp && other.name != number {
      if let position = other.file.position { try take(.heard(position), at: number) }
    }
    let isEmpty = nodes[number].file.position == nil
    try take(.leads(epoch: lastEpoch, name: name(), base: Array("base".utf8), isEmpty: isEmpty), at: number)
  }

  /// Nobody can lead, and those who follow cannot go on: a person takes the file that has come farthest.
  private func decide() {
    guard isCalm || luck.chance(20), !nodes.contains(where: { $0.isOpen }) else { return }
    for number in nodes.indices where nodes[number].log.whyNot(at: now) == .isReading { return }
    guard let best = nodes.indices.max(by: { far($0) < far($1) }), nodes[best].log.whyNot(at: now) != nil else {
      return
    }
    reached["decided", default: 0] += 1
    // All are stopped before.
    for other in nodes.indices where nodes[other].epoch != nil { restart(other, after: 0) }
    nodes[best].file.position = .toBegin(after: lastEpoch)
    newest = best
    restart(best, after: 0)
  }

  private func far(_ number: Int) -> (Int64, UInt64) {
    (nodes[number].file.position?.epoch ?? -1, nodes[number].file.position?.number ?? 0)
  }

  private func open(_ number: Int) throws(Broken) {
    nodes[number].isOpen = true
    steps.add(.write(number, life: nodes[number].life), at: now + Int64(luck.below(100)))
    // Whoever hears late that its record was written may not be the newest any more: nothing that it writes is taken.
    guard let epoch = nodes[number].epoch, epoch >= openEpoch || plant != nil else { return }
    (newest, openEpoch) = (number, epoch)
    let entries = nodes[number].file.entries
    if let lost = accepted.first(where: { !entries.contains($0) }) {
      throw Broken(promise: .kept, detail: "\(number) leads without \(text(lost))")
    }
  }

  private func write(_ number: Int) throws(Broken) {
    guard nodes[number].isOpen, nodes[number].writing == nil else { return }
    bodies += 1
    // Some need two parts, or three.
    let body = Array("\(bodies)".utf8) + Array(repeating: 46, count: luck.chance(30) ? 4 + luck.below(16) : 0)
    nodes[number].writing = body
    try take(.write(body), at: number)
  }

  private func meddled(_ bytes: [UInt8], of number: Int) -> [UInt8] {
    guard var record = try? LogRecord(bytes), record.kind == .commit else { return bytes }
    switch plant {
    case .otherContent where nodes[number].isMeddled && !record.body.isEmpty: record.body[0] ^= 1
    case .newNumber where nodes[number].isMeddled:
      record.follows = record.place
      record.place.number += 1
    case .partIsWhole: record.isLast = true
    default: break
    }
    nodes[number].isMeddled = luck.chance(50)
    return record.bytes
  }

  // MARK: The file

  private func keep(_ some: [NodeLog.Step], of number: Int) {
    nodes[number].queue.append(some)
    let wait = 1 + luck.below(isCalm || luck.chance(90) ? 5 : 3000)
    steps.add(.commit(number, life: nodes[number].life), at: now + Int64(wait))
  }

  private func commit(_ number: Int) throws(Broken) {
    guard !nodes[number].queue.isEmpty else { return }
    let some = nodes[number].queue.removeFirst()
    guard let position = some.last?.position else { return }
    let isHalf = luck.chance(10)
    if plant == .positionFirst, isHalf {
      nodes[number].file.position = position
      return restart(number, after: 10)
    }
    for case .commit(let body, _) in some {
      nodes[number].file.entries.append(body)
      try judge(number)
      if nodes[number].isOpen, plant != .toldAtPublish, plant != .toldAtWritten { try accept(body, number) }
    }
    if plant == .positionLater, isHalf { return restart(number, after: 10) }
    nodes[number].file.position = position
    try take(.applied(position), at: number)
  }

  private func accept(_ body: [UInt8], _ number: Int) throws(Broken) {
    accepted.append(body)
    reached["accepted", default: 0] += 1
    guard let newest, newest != number, nodes[newest].isOpen, !nodes[newest].file.entries.contains(body) else { return }
    throw Broken(promise: .kept, detail: "\(number) accepts \(text(body)), and \(newest) leads without it")
  }

  /// Of two files one is the beginning of the other, and nothing is twice in one.
  private func judge(_ number: Int) throws(Broken) {
    let entries = nodes[number].file.entries
    guard let last = entries.last else { return }
    guard entries.filter({ $0 == last }).count == 1 else {
      throw Broken(promise: .once, detail: "\(number) has \(text(last)) twice")
    }
    while truth.count < entries.count { truth.append(entries[truth.count]) }
    guard truth[entries.count - 1] == last else {
      throw Broken(
        promise: .order, detail: "\(number) has \(text(last)) where another one has \(text(truth[entries.count - 1]))")
    }
  }

  private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

  // MARK: The stream

  private func publish(_ number: Int, _ link: Int, _ bytes: [UInt8], _ expected: UInt64, _ attempt: Int) {
    guard !stream.isAway, !isLost else { return post(answer: .none, attempt, number, link, after: 21_000) }
    let answer = stream.publish(bytes, expecting: expected)
    guard !isLost else { return post(answer: .none, attempt, number, link, after: 21_000) }
    post(answer: answer, attempt, number, link, after: delay())
  }

  private func post(answer: LogWriter.Answer, _ attempt: Int, _ number: Int, _ link: Int, after milliseconds: Int64) {
    steps.add(.answer(number, link: link, .writer(.answered(attempt: attempt, answer))), at: now + milliseconds)
  }

  private func look(_ number: Int, _ link: Int, _ question: Int, _ isWriters: Bool) {
    guard !stream.isAway, !isLost else { return }
    let event: NodeLog.Event =
      isWriters
      ? .writer(.looked(question: question, stream.look))
      : .seen(question: question, first: stream.first, last: stream.last)
    steps.add(.answer(number, link: link, event), at: now + delay())
  }

  private func read(_ number: Int, _ link: Int, _ question: Int, _ from: UInt64) {
    guard !stream.isAway, !isLost else { return }
    var messages = stream.read(from: from, most: 1 + luck.below(8))
    if plant == .gapIgnored || plant == .beginningIgnored { messages = messages.map { meddled($0, of: number) } }
    steps.add(.answer(number, link: link, .read(question: question, messages)), at: now + delay())
  }

  /// A record that says to follow whatever the reader has.
  private func meddled(_ message: NodeLog.Message, of number: Int) -> NodeLog.Message {
    guard var record = try? LogRecord(message.bytes), let position = nodes[number].file.position else { return message }
    switch record.kind {
    case .commit, .leads: if plant == .gapIgnored { record.follows = position }
    case .begins, .beginsEmpty: if plant == .beginningIgnored { record.follows = position }
    }
    return NodeLog.Message(sequence: message.sequence, bytes: record.bytes)
  }

  // MARK: Mishaps

  /// Whether the node has what the stream has lost. Where such a machine is lost, too, nobody knows what was there.
  private func isAhead(_ number: Int) -> Bool {
    guard let sequence = nodes[number].file.position?.sequence else { return false }
    return sequence < stream.first || sequence > stream.last
  }

  /// The stream is another one. A leader whose clock is wrong beside it would be too much for the fence.
  private func beginAnew() {
    // A stream that is another one than before was away, and all connections are new.
    if plant != .numbersAgain { streamsLife += 1 }
    for number in nodes.indices where nodes[number].isUp {
      nodes[number].link += 1
      post(.lost, to: number, after: 0)
      connect(number, after: 1 + luck.below(1000))
    }
    for other in nodes.indices where nodes[other].epoch != nil && other != newest { restart(other, after: 0) }
  }

  private var isNobodyDown: Bool { nodes.allSatisfy(\.isUp) }

  private func mishap() {
    steps.add(.mishap, at: now + Int64(luck.below(8000)))
    guard !isCalm else { return }
    let number = luck.below(nodes.count)
    switch luck.below(12) {
    case 0: stream.isAway.toggle()
    case 1, 2: stream.isAway = false
    case 3 where luck.chance(15) && isNobodyDown:
      stream.lose(at: now)
      beginAnew()
      reached["losses", default: 0] += 1
    case 4 where luck.chance(15) && isNobodyDown:
      stream.goBack(by: 1 + luck.below(5))
      beginAnew()
      reached["steps back", default: 0] += 1
    case 5 where luck.chance(40): stream.forget(luck.below(20))
    case 6, 7:
      restart(number, after: luck.below(3000))
      reached["restarts", default: 0] += 1
    case 8: if !isAhead(number) { nodes[number].isUp = false }
    case 9: if !nodes[number].isUp { restart(number, after: luck.below(1000)) }
    case 10:
      guard nodes[number].isUp, nodes[number].isConnected else { break }
      nodes[number].isConnected = false
      nodes[number].link += 1
      post(.lost, to: number, after: 0)
    default:
      if nodes[number].isUp, !nodes[number].isConnected { connect(number, after: 0) }
    }
  }
}
