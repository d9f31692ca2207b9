import BatonLasting
import BatonLog
import BatonStore
import LogKit
import WorldKit

extension StoreJob {
  fileprivate var write: StoreWrite? { if case .write(let write) = self { write } else { nil } }
  fileprivate var step: LogStep? { if case .log(let step) = write?.change { step } else { nil } }
}

/// Two to four nodes with their files, and the stream of their log, in a time that is moved. All that happens is made from the
/// seed alone. Who leads is said by chance, and more than one at a time: what is promised of the log does not stand on the lease.
final class World {
  enum Step {
    case event(Int, life: Int, NodeLog.Event)
    case answer(Int, link: Int, NodeLog.Event)
    case ask(Int, link: Int, NodeLog.Effect, streamsLife: Int)
    case commit(Int, life: Int)
    case tick(Int, life: Int)
    case lead
    case write(Int, life: Int)
    case mishap
  }

  var luck: Generator
  let plant: Plant?
  private let isLogged: Bool
  var nodes: [Node] = []
  var stream: MemoryStream
  /// Counts the starts of what has it: what was on its way to an earlier one comes nowhere.
  var streamsLife = 0
  var now: Int64 = 0
  var steps = StepQueue<Step>()
  var isCalm = false
  private var lastEpoch: Int64 = 0
  private var drawn: UInt64 = 0
  private var bodies = 0
  /// What was told accepted, and the order of all that was carried out of the newest log.
  private var accepted: [[UInt8]] = []
  private var truth: [[UInt8]] = []
  private var newestLog: LogPosition?
  /// The leader that opened last.
  var newest: Int?
  private var openEpoch: Int64 = 0
  var reached: [String: Int] = [:]

  private static let storeMs: Int64 = 5000
  private static let lostMs: Int64 = 15_000

  init(seed: UInt64, plant: Plant?, isLogged: Bool) {
    (luck, self.plant, self.isLogged) = (Generator(seed: seed), plant, isLogged)
    stream = MemoryStream(fault: plant?.ofStream)
    for number in 0..<luck.between(2...4) {
      nodes.append(Node(name: number, log: store(nil)))
      connect(number, after: luck.below(100))
    }
    steps.add(.lead, at: 200)
    steps.add(.mishap, at: Int64(luck.below(20_000)))
  }

  private func store(_ position: LogPosition?) -> NodeStore {
    drawn += 1
    return NodeStore(
      position, storeMs: World.storeMs, lostMs: World.lostMs, mostBytes: LogRecord.headCount + 20, nameSeed: drawn)
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
    case .tick(let number, let life): if isAlive(number, life) { try take(NodeStore.Event.tick, at: number) }
    case .ask(let number, let link, let effect, let life): if life == streamsLife { ask(number, link, effect) }
    case .commit(let number, let life): if isAlive(number, life) { try commit(number) }
    case .write(let number, let life): if isAlive(number, life) { try write(number) }
    case .lead: try lead()
    case .mishap: mishap()
    }
  }

  private func isAlive(_ number: Int, _ life: Int) -> Bool { nodes[number].isUp && nodes[number].life == life }

  func delay() -> Int64 { Int64(isCalm || luck.chance(90) ? 1 + luck.below(40) : luck.below(20_000)) }

  var isLost: Bool { !isCalm && luck.chance(5) }

  func connect(_ number: Int, after milliseconds: Int) {
    nodes[number].isConnected = true
    nodes[number].link += 1
    steps.add(.event(number, life: nodes[number].life, .connected), at: now + Int64(milliseconds))
  }

  // MARK: Nodes

  private func take(_ event: NodeLog.Event, at number: Int) throws(Broken) { try take(.log(event), at: number) }

  private func take(_ event: NodeStore.Event, at number: Int) throws(Broken) {
    if isLogged { print("\(now) \(number) \(String("\(event)".prefix(300)))") }
    for effect in nodes[number].log.take(event, at: now) {
      if isLogged { print("\(now)   \(number) \(String("\(effect)".prefix(300)))") }
      try carryOut(effect, of: number)
    }
    let wake = nodes[number].log.wakeAt
    if wake < .max { steps.add(.tick(number, life: nodes[number].life), at: max(wake, now + 1)) }
  }

  private func carryOut(_ effect: NodeStore.Effect, of number: Int) throws(Broken) {
    switch effect {
    case .stream(let effect): ask(effect, of: number)
    case .file(let jobs): keep(jobs, of: number)
    case .isOpen: try open(number)
    case .tell(let answers): for answer in answers { try take(answer, of: number) }
    case .ends: restart(number, after: luck.below(1000))
    case .strange, .beginsAgain: break
    }
  }

  private func ask(_ effect: NodeLog.Effect, of number: Int) {
    guard let silence = MemoryStream.silence(to: effect) else { return }
    let link = nodes[number].link
    var effect = effect
    if case .writer(.publish(let bytes, let expected, let attempt)) = effect {
      if plant == .toldAtPublish { accepted += nodes[number].given.map(\.body) }
      effect = .writer(.publish(meddled(bytes, of: number), expecting: expected, attempt: attempt))
    }
    steps.add(.ask(number, link: link, effect, streamsLife: streamsLife), at: now + delay())
    steps.add(.answer(number, link: link, silence), at: now + 21_000)
  }

  /// What whoever gave jobs is told.
  private func take(_ answer: StoreAnswer, of number: Int) throws(Broken) {
    switch answer {
    case .storedUpTo(let last):
      let stored = nodes[number].given.filter { $0.number <= last }
      nodes[number].given.removeAll { $0.number <= last }
      guard plant != .toldAtPublish, plant != .toldAtWritten else { return }
      for each in stored { try accept(each.body, number) }
    case .failed(let generation):
      guard generation == nodes[number].generation else { return }
      reached["failed", default: 0] += 1
      if plant == .toldLate { accepted += nodes[number].given.map(\.body) }
      (nodes[number].generation, nodes[number].given) = (generation + 1, [])
    default: break
    }
  }

  func post(_ event: NodeLog.Event, to number: Int, after milliseconds: Int) {
    steps.add(.event(number, life: nodes[number].life, event), at: now + Int64(milliseconds))
  }

  /// Another process of the node: what its disk has is all that it knows.
  func restart(_ number: Int, after milliseconds: Int) {
    nodes[number].life += 1
    (nodes[number].isUp, nodes[number].epoch, nodes[number].isOpen) = (true, nil, false)
    (nodes[number].given, nodes[number].queue, nodes[number].isMeddled) = ([], [], false)
    (nodes[number].generation, nodes[number].number, nodes[number].least) = (1, 0, 0)
    // A store that cannot follow gets a copy of that of the leader: a person's work, or the node's.
    let stop = nodes[number].log.whyNot(at: now)
    if stop == .lacks || stop == .isOther, let newest, newest != number {
      nodes[number].file = nodes[newest].file
      reached["copies", default: 0] += 1
    }
    nodes[number].log = store(nodes[number].file.position)
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
    try take(.leads(epoch: lastEpoch), at: number)
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
    // What another one has alone was never accepted, and is gone with its copy.
    truth = nodes[best].file.entries
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
    guard nodes[number].isOpen else { return }
    steps.add(.write(number, life: nodes[number].life), at: now + Int64(1 + luck.below(isCalm ? 500 : 100)))
    guard nodes[number].given.count < 8 else { return }
    var jobs: [StoreJob] = []
    for _ in 0..<luck.between(1...3) {
      bodies += 1
      // Some need two parts, or three.
      let body = Array("\(bodies)".utf8) + Array(repeating: 46, count: luck.chance(30) ? 4 + luck.below(36) : 0)
      nodes[number].number += 1
      nodes[number].given.append((nodes[number].number, body))
      let write = StoreWrite(
        generation: nodes[number].generation, number: nodes[number].number, change: .stays(.removeValue(topic: body)))
      jobs.append(.write(write))
      if luck.chance(20) { jobs.append(.look) }
    }
    try take(.give(jobs), at: number)
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

  private func keep(_ jobs: [StoreJob], of number: Int) {
    nodes[number].queue.append(jobs)
    if plant == .toldAtWritten, nodes[number].isOpen {
      for case .commit(let body, _) in jobs.compactMap(\.step) { accepted += World.bodies(in: body) }
    }
    let wait = 1 + luck.below(isCalm || luck.chance(90) ? 5 : 3000)
    steps.add(.commit(number, life: nodes[number].life), at: now + Int64(wait))
  }

  /// What a record says.
  private static func bodies(in record: [UInt8]) -> [[UInt8]] {
    // What is no record of changes is none of this leader's: it is found by its order.
    guard let changes = LogChanges.read(record) else { return [record] }
    return changes.compactMap { if case .stays(.removeValue(let topic)) = $0 { topic } else { nil } }
  }

  private func commit(_ number: Int) throws(Broken) {
    guard !nodes[number].queue.isEmpty else { return }
    let jobs = nodes[number].queue.removeFirst()
    var answers: [StoreAnswer] = []
    let writes = jobs.compactMap(\.write).filter { $0.generation >= nodes[number].least }
    if let last = writes.last {
      if !isCalm, luck.chance(4) {
        reached["full disks", default: 0] += 1
        nodes[number].least = last.generation + 1
        answers.append(.failed(generation: last.generation))
      } else {
        guard try carryOut(jobs.compactMap(\.step), at: number) else { return }
        answers.append(.storedUpTo(last.number))
      }
    }
    for case .readBase in jobs { answers.append(.base(Array("base".utf8))) }
    try take(.answered(answers), at: number)
  }

  /// Returns whether the node still lives.
  private func carryOut(_ some: [LogStep], at number: Int) throws(Broken) -> Bool {
    guard let position = some.last?.position else { return true }
    let isHalf = luck.chance(10)
    if plant == .positionFirst, isHalf {
      nodes[number].file.position = position
      restart(number, after: 10)
      return false
    }
    for case .commit(let record, _) in some {
      for body in World.bodies(in: record) {
        nodes[number].file.entries.append(body)
        try judge(number)
      }
    }
    if plant == .positionLater, isHalf {
      restart(number, after: 10)
      return false
    }
    nodes[number].file.position = position
    if case .begins = some.last { begun(position, by: number) }
    return true
  }

  /// What others have alone of the log before was never accepted: they get a copy before they go on.
  private func begun(_ position: LogPosition, by number: Int) {
    if nodes[number].isOpen { reached["begun again", default: 0] += 1 }
    guard nodes[number].epoch != nil, position.epoch >= newestLog?.epoch ?? 0 else { return }
    (newestLog, truth) = (position, nodes[number].file.entries)
  }

  private func accept(_ body: [UInt8], _ number: Int) throws(Broken) {
    accepted.append(body)
    reached["accepted", default: 0] += 1
    guard let newest, newest != number, nodes[newest].isOpen, !nodes[newest].file.entries.contains(body) else { return }
    throw Broken(promise: .kept, detail: "\(number) accepts \(text(body)), and \(newest) leads without it")
  }

  /// Of two files of a log one is the beginning of the other, and nothing is twice in one.
  private func judge(_ number: Int) throws(Broken) {
    let entries = nodes[number].file.entries
    guard let last = entries.last else { return }
    guard entries.filter({ $0 == last }).count == 1 else {
      throw Broken(promise: .once, detail: "\(number) has \(text(last)) twice")
    }
    guard nodes[number].file.position?.name == newestLog?.name else { return }
    while truth.count < entries.count { truth.append(entries[truth.count]) }
    guard truth[entries.count - 1] == last else {
      throw Broken(
        promise: .order, detail: "\(number) has \(text(last)) where another one has \(text(truth[entries.count - 1]))")
    }
  }

  private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }
}
