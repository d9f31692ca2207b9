import Lease
import WorldKit

/// Two to five nodes and their register, in a time that is moved. All that happens is made from the seed alone.
final class World {
  enum Step {
    case event(Int, life: Int, Lease.Event)
    /// A question, or a write, comes to the register.
    case look(Int, life: Int, question: Int)
    case write(Int, life: Int, LeaseRecord, expected: UInt64)
    case tick(Int, life: Int)
    case mishap
  }

  var luck: Generator
  let plant: Plant?
  let isLogged: Bool
  var nodes: [Node] = []
  var register: Register
  var now: Int64 = 0
  /// What comes, by time and number.
  private var steps = StepQueue<Step>()
  var isCalm = false
  /// The epochs that were given, each with how often the register had been set back by then.
  private var epochs: [Int64: Int] = [:]
  private var setbacks: Int { reached["losses", default: 0] + reached["steps back", default: 0] }
  private var owners: [Int64: String] = [:]
  private(set) var reached: [String: Int] = [:]
  private let leaseMs: Int64
  private let hasStores: Bool
  private var starts = 0

  init(seed: UInt64, plant: Plant?, isLogged: Bool) {
    (luck, self.plant, self.isLogged) = (Generator(seed: seed), plant, isLogged)
    register = Register(plant: plant)
    leaseMs = [1000, 3000, 15_000][luck.below(3)]
    hasStores = luck.chance(70)
    let count = luck.between(2...5)
    let apart = plant == .clocksApart ? 150 : 50
    for number in 0..<count {
      let name = String(UnicodeScalar(UInt8(97 + number)))
      let rate = Int64([1000 - apart, 1000 + apart, 1000 - apart + luck.below(2 * apart + 1)][luck.below(3)])
      nodes.append(
        Node(
          name: name, rate: rate, offset: Int64(luck.below(1_000_000)), wallOffset: Int64(luck.below(2)) * 1_000_000,
          lease: Lease(terms(name, of: count, number: number))))
    }
    for number in nodes.indices { begin(number) }
    steps.add(.mishap, at: Int64(luck.below(20_000)))
  }

  private func terms(
    _ name: String, of count: Int, number: Int, boots: Int = 0, store: String? = nil
  ) -> LeaseTerms {
    starts += 1
    var names: [String: String] = [:]
    for other in 0..<count { names[String(UnicodeScalar(UInt8(97 + other)))] = "h\(other):1" }
    if plant == .equalEpochs { names = [name: "h\(number):1"] }
    // Where lease times differ, that of the record counts.
    let own = plant == .ownLeaseTime && number > 0 ? leaseMs / 2 : leaseMs
    return LeaseTerms(
      node: name, start: "s\(starts)", leaseMs: own, renewMs: min(2000, own / 7), nodes: names,
      digest: isCalm ? file : luck.chance(plant == .otherFileIgnored ? 50 : 5) ? "other" : "file",
      boot: "\(name)\(boots)", ownStart: store)
  }

  private func begin(_ number: Int) {
    nodes[number].isConnected = true
    post(.connected, to: number, after: luck.below(100))
    steps.add(.tick(number, life: 0), at: Int64(luck.below(100)))
  }

  private func post(_ event: Lease.Event, to number: Int, after milliseconds: Int) {
    steps.add(.event(number, life: nodes[number].life, event), at: now + Int64(milliseconds))
  }

  /// Lives through so many steps, then lets all be calm, and looks whether somebody leads.
  func run(steps count: Int) throws(Broken) {
    for _ in 0..<count { try goOn() }
    calmDown()
    let end = now + leaseMs * 6 + 60_000
    while now < end { try goOn() }
    let leaders = nodes.filter { $0.leads(at: now) && $0.turns }
    guard leaders.count == 1 else {
      throw Broken(promise: .somebody, detail: "\(leaders.count) lead after a calm time at \(now)")
    }
  }

  private func goOn() throws(Broken) {
    guard let (at, step) = steps.next() else { throw Broken(promise: .somebody, detail: "nothing goes on") }
    now = max(now, at)
    switch step {
    case .event(let number, let life, let event):
      guard nodes[number].life == life, nodes[number].isUp else { break }
      if nodes[number].isStopped { nodes[number].waiting.append(event) } else { try take(event, at: number) }
    case .look(let number, let life, let question): answer(number, life, question)
    case .write(let number, let life, let record, let expected): carryOut(number, life, record, expected)
    case .tick(let number, let life):
      guard nodes[number].life == life, nodes[number].isUp else { break }
      if !nodes[number].isStopped {
        if nodes[number].turns || plant == .hangsAndRenews { try take(.turned, at: number) }
        try take(.tick, at: number)
      }
      steps.add(.tick(number, life: life), at: now + max(1, leaseMs / 20))
    case .mishap:
      if !isCalm {
        mishap()
        steps.add(.mishap, at: now + Int64(luck.below(luck.chance(30) ? 500 : Int(leaseMs) * 2)))
      }
    }
    try judge()
  }

  // MARK: The register

  /// How long something is on its way.
  private func delay() -> Int64 {
    if isCalm || luck.chance(85) { return Int64(luck.below(20)) }
    return Int64(luck.below(luck.chance(10) ? 20_000 : 3000))
  }

  private var isLost: Bool { !isCalm && luck.chance(3) }

  private func answer(_ number: Int, _ life: Int, _ question: Int) {
    guard !register.isAway, !isLost else { return }
    // Only the late answers to writes say what was written.
    if plant == .countsFromAnswer, nodes[number].until != nil { return }
    let look = register.look
    let back = delay()
    // NATS's client waits for two seconds.
    if back < 2000 { steps.add(.event(number, life: life, .looked(question: question, look)), at: now + back) }
  }

  private func carryOut(_ number: Int, _ life: Int, _ record: LeaseRecord, _ expected: UInt64) {
    guard !register.isAway, !isLost else { return }
    let old = register.look
    var written = register.write(record, expecting: expected)
    if case .number = written {
      noteFile(record, after: old)
      // A write that was long under way: the operator gives all nodes the file that it names.
      if isCalm { for other in nodes.indices { nodes[other].lease.terms.digest = file } }
      for other in nodes.indices where nodes[other].isConnected {
        steps.add(.event(other, life: nodes[other].life, .heard), at: now + delay())
      }
    } else if plant == .errorIsNumber {
      written = .number(expected + 1)
    }
    guard !isLost else { return }
    let late = plant == .takesLate || plant == .countsFromAnswer ? Int64(luck.below(Int(leaseMs))) : 0
    steps.add(.event(number, life: life, .wrote(count: record.count, written)), at: now + delay() + late)
  }

  private var wrongFile: String?
  /// The start that wrote last. Where the register has gone back since, it only renews what it has.
  private var lastWriter: String?

  private func noteFile(_ record: LeaseRecord, after old: Lease.Look) {
    defer { lastWriter = record.start }
    guard case .found(_, let before?) = old, before.start != record.start, lastWriter != record.start, !before.free,
      before.digest != record.digest
    else { return }
    wrongFile = "\(record.node) takes the lease with another file"
  }

  // MARK: Nodes

  private func take(_ original: Lease.Event, at number: Int) throws(Broken) {
    var event = original
    if case .looked(let question, let look) = event { event = .looked(question: question, meddled(look, number)) }
    // It says so in its file before it says so to all.
    if event == .frees, plant != .ownThoughFreed { nodes[number].store = nil }
    let clock = nodes[number].clock(at: now)
    if isLogged { print("\(now) \(nodes[number].name) \(event)") }
    for effect in nodes[number].lease.take(event, at: clock, wall: now + nodes[number].wallOffset) {
      try carryOut(effect, of: number, clock)
    }
  }

  private func meddled(_ look: Lease.Look, _ number: Int) -> Lease.Look {
    guard case .found(let at, var record?) = look, record.start != nodes[number].lease.terms.start else { return look }
    switch plant {
    case .noWait: record.leaseMs = 1
    case .waitsTooLittle: record.leaseMs = record.leaseMs * 3 / 4
    case .waitsNearly: record.leaseMs = record.leaseMs * 7 / 8
    case .ownLeaseTime: record.leaseMs = nodes[number].lease.terms.leaseMs
    case .otherFileIgnored: record.digest = nodes[number].lease.terms.digest
    case .equalEpochs: record.nodes = nodes[number].lease.terms.nodes
    case .startsOver: return .found(at + UInt64(luck.below(1000)), record)
    case .ownOfAnyAge: record.at = nodes[number].clock(at: now)
    case .ownOfAnotherBoot: record.boot = nodes[number].lease.terms.boot
    default: break
    }
    return .found(at, record)
  }

  private func carryOut(_ effect: Lease.Effect, of number: Int, _ clock: Int64) throws(Broken) {
    if isLogged { print("\(now)   \(nodes[number].name) \(effect)") }
    let (life, own) = (nodes[number].life, nodes[number].lease.terms.leaseMs)
    switch effect {
    case .look(let question):
      steps.add(.look(number, life: life, question: question), at: now + delay())
      steps.add(.event(number, life: life, .looked(question: question, .noAnswer)), at: now + 2000)
    case .write(let record, let expected):
      guard owners[record.epoch, default: record.node] == record.node else {
        throw Broken(promise: .epochs, detail: "two nodes have the epoch \(record.epoch)")
      }
      owners[record.epoch] = record.node
      steps.add(.write(number, life: life, record, expected: expected), at: now + delay())
    case .leads(let leadership, let until):
      reached["leaders", default: 0] += 1
      reached[leadership.why.rawValue, default: 0] += 1
      if hasStores { nodes[number].store = nodes[number].lease.terms.start }
      nodes[number].until = plant == .takesLate || plant == .countsFromAnswer ? clock + own : until
      // Where the register has forgotten an epoch, a clock that stands behind it gives it again.
      let mayComeAgain = leadership.epoch / 8 > now + nodes[number].wallOffset
      let given = epochs.updateValue(setbacks, forKey: leadership.epoch)
      guard given.map({ mayComeAgain && $0 < setbacks }) ?? true else {
        throw Broken(promise: .epochs, detail: "\(leadership.epoch) comes twice")
      }
    case .holds(let until):
      nodes[number].until = plant == .countsFromAnswer ? clock + own : until
    case .isFree: restart(number, after: luck.below(2000))
    case .ends:
      if plant == .countsFromAnswer, nodes[number].leads(at: now) { break }
      restart(number, after: luck.below(2000))
    }
  }

  /// Another process of the node, which knows what its store says. The earlier one is dead: two never have one store.
  private func restart(_ number: Int, after milliseconds: Int) {
    nodes[number].life += 1
    (nodes[number].until, nodes[number].isFreeing, nodes[number].waiting) = (nil, false, [])
    (nodes[number].isUp, nodes[number].isStopped, nodes[number].turns) = (true, false, true)
    let (name, boots, store) = (nodes[number].name, nodes[number].boots, nodes[number].store)
    nodes[number].lease = Lease(terms(name, of: nodes.count, number: number, boots: boots, store: store))
    nodes[number].isConnected = true
    steps.add(.tick(number, life: nodes[number].life), at: now + Int64(milliseconds))
    post(.connected, to: number, after: milliseconds)
  }

  // MARK: Mishaps

  private func mishap() {
    let number = luck.below(nodes.count)
    // What is seldom comes more often where it is looked for.
    switch plant.flatMap(World.often).map({ luck.pick($0) }) ?? luck.below(13) {
    case 0: register.isAway.toggle()
    case 1 where luck.chance(30): restartRegister("losses") { $0.lose(at: now) }
    case 2 where luck.chance(plant == nil ? 30 : 70):
      let count = luck.between(1...8)
      restartRegister("steps back") { for _ in 0..<count { $0.goBack() } }
    case 3, 4: stop(number)
    case 5: setConnected(number, !nodes[number].isConnected)
    case 6: nodes[number].turns.toggle()
    case 7: restart(number, after: luck.below(3000)); reached["restarts", default: 0] += 1
    case 8:
      // A machine that starts anew has a clock that begins, and later shows what it showed before.
      nodes[number].boots += 1
      restart(number, after: luck.below(3000))
      if plant == .ownOfAnotherBoot {
        nodes[number].offset -= Int64(luck.below(3 * Int(leaseMs)))
      } else {
        nodes[number].offset = Int64(luck.below(1000)) - now * nodes[number].rate / 1000
      }
      reached["reboots", default: 0] += 1
    case 9: letGo(number)
    case 10: nodes[number].isUp = false
    case 11: if !nodes[number].isUp { restart(number, after: luck.below(1000)) }
    default: register.isAway = false
    }
  }

  private static func often(_ plant: Plant) -> [Int]? {
    switch plant {
    case .lossUnheard: [2, 2, 2, 3, 12]
    case .numbersAgain: [1, 1, 3, 12]
    case .ownOfAnyAge: [2, 2, 3, 3, 10, 11, 11, 12]
    case .ownOfAnotherBoot: [2, 2, 2, 8, 12]
    case .ownThoughFreed: [2, 2, 9, 9, 12]
    default: nil
    }
  }

  /// What it has changes behind its back only where it starts anew: then all connections are lost.
  private func restartRegister(_ what: String, _ change: (inout Register) -> Void) {
    reached[what, default: 0] += 1
    change(&register)
    for number in nodes.indices where nodes[number].isConnected {
      if plant == .numbersAgain || plant == .lossUnheard { break }
      post(.lost, to: number, after: 0)
      post(.connected, to: number, after: luck.below(1000) + 1)
    }
  }

  private var stoppedAt: [Int: Int64] = [:]

  private func stop(_ number: Int) {
    guard nodes[number].isUp else { return }
    if nodes[number].isStopped { return wake(number) }
    nodes[number].isStopped = true
    stoppedAt[number] = now
  }

  private func wake(_ number: Int) {
    if plant == .clockSleeps { nodes[number].slept += now - (stoppedAt[number] ?? now) }
    nodes[number].isStopped = false
    let (waiting, life) = (nodes[number].waiting, nodes[number].life)
    nodes[number].waiting = []
    for event in waiting { steps.add(.event(number, life: life, event), at: now) }
  }

  private func setConnected(_ number: Int, _ isConnected: Bool) {
    guard nodes[number].isConnected != isConnected else { return }
    nodes[number].isConnected = isConnected
    if plant == .lossUnheard, !isConnected { return }
    post(isConnected ? .connected : .lost, to: number, after: 0)
  }

  private func letGo(_ number: Int) {
    guard nodes[number].leads(at: now), !nodes[number].isFreeing else { return }
    reached["hand-overs", default: 0] += 1
    nodes[number].isFreeing = true
    post(.leaves(to: luck.chance(50) ? nodes[luck.below(nodes.count)].name : nil), to: number, after: 0)
    post(.frees, to: number, after: luck.below(3000) + 1)
  }

  /// Where the last leader had another file than all nodes, a person would have to decide.
  private var file: String { register.record?.digest ?? "file" }

  private func calmDown() {
    isCalm = true
    register.isAway = false
    for number in nodes.indices {
      if nodes[number].isStopped { wake(number) }
      if !nodes[number].isUp { restart(number, after: 0) }
      nodes[number].lease.terms.digest = file
      if !(plant == .hangsAndRenews && nodes[number].leads(at: now)) { nodes[number].turns = true }
      setConnected(number, true)
    }
  }

  // MARK: The judge

  private func judge() throws(Broken) {
    for number in nodes.indices where nodes[number].isFreeing && plant != .freedEarly {
      // Whoever lets it go has stopped before.
      if nodes[number].lease.hasLetGo { nodes[number].until = nil }
    }
    let leaders = nodes.filter { $0.leads(at: now) || plant == .clockUnlooked && $0.acts }
    guard leaders.count < 2 else {
      throw Broken(promise: .one, detail: "\(leaders.map(\.name).joined(separator: " and ")) lead at \(now)")
    }
    if let wrongFile { throw Broken(promise: .files, detail: wrongFile) }
  }
}
