import BatonCore
import BatonModel
import DoorKit
import WorldKit

/// The core and the model side by side, from one seed. Both carry out each step. What they send to each connection is
/// compared line by line.
final class World {
  /// The first line in which the two differ.
  struct Difference {
    let step: Int
    let connection: Int
    let core: String
    let model: String
  }

  let plan: Plan
  var luck: Generator
  var maker: Maker
  let driver: Driver
  var model: Model
  private(set) var now = 0
  private let log: ((String) -> Void)?
  private var planter: Planter
  /// Connections that a peer still holds, and those of them that the server has shut down.
  private(set) var living: [Int] = []
  private(set) var shutDown: Set<Int> = []
  private var toClose: [Int] = []
  var peers: [Player] = []
  private(set) var steps = 0
  /// Nil, too, from the moment on at which one turn of the core had no room for all timers that were due. Which of them
  /// fire before peers have their turn depends on what they cost, and the model knows no costs.
  var difference: Difference? { isBeyondModel ? nil : found }
  private var found: Difference?
  /// Whether that has happened: the world ends there. The other reason is a difference in the millisecond in which a slow
  /// reader was ended: in which order that and other ends of time happen then is open.
  var isBeyondModel: Bool { driver.hasSplitTimers || isOrderOpen }
  private var isOrderOpen = false
  var isDraining = false
  var hasPlanted: Bool { planter.hasPlanted }

  /// What the comparison knows of a connection.
  struct Player {
    enum Reading { case eager, slow, stuck }

    var reading: Reading
    /// How many of its unsent bytes have been compared.
    var known = 0
    var ending: Model.Ending?
    /// A line that the peer has begun, and the part of it that is not sent yet.
    var begun: (asked: Asked, rest: [UInt8])?
  }

  init(seed: UInt64, broken: Rule? = nil, fault: Fault? = nil, log: ((String) -> Void)? = nil) {
    luck = Generator(seed: seed)
    var plan = Plan(using: &luck)
    plan.askWhoIsThere(seed)
    self.plan = plan
    maker = Maker(plan: plan, using: &luck)
    driver = Driver(settings: plan.coreSettings, access: plan.modelSettings.entries.map(CoreAccess.rules))
    model = Model(settings: plan.modelSettings, broken: broken)
    planter = Planter(fault: fault, patience: Int(seed % 12))
    self.log = log
  }

  /// What has happened, as the model saw it.
  var seen: Seen { model.seen }

  func run() {
    for _ in 0..<plan.peers / 2 + 1 { carryOut(.open) }
    while steps < plan.steps, found == nil, !isBeyondModel {
      if plan.isPaced { carryOut(.pass(1)) }
      if let connection = toClose.popLast() { carryOut(.close(connection)) } else { carryOut(next()) }
    }
    if plan.isPaced { carryOut(.pass(1)) }
    // Now everything that is open ends: all peers read, and every deadline passes.
    for connection in peers.indices { peers[connection].reading = .eager }
    while found == nil, !isBeyondModel, let step = last(), steps < plan.steps + 2000 { carryOut(step) }
  }

  private func last() -> Step? {
    if let connection = toClose.popLast() { return .close(connection) }
    return (model.nextAlarm ?? wakeAt).map { .pass(max(0, $0 - now)) }
  }

  /// When the core wants to be woken next, in milliseconds.
  var wakeAt: Int? { driver.wakeAt.map { Int($0.microseconds / 1000) } }

  // MARK: Steps

  private func carryOut(_ step: Step) {
    if case .open = step, living.count >= plan.peers { return carryOut(.pass(1)) }
    steps += 1
    log?("\(steps) at \(now) ms: \(step.description)")
    switch step {
    case .open: open()
    case .lines(let connection, let asked): say(asked, connection)
    case .beginning(let connection, let asked, let count): begin(asked, count, connection)
    case .reads(let connection, let count): read(count, connection)
    case .halfClose(let connection):
      both({ driver.end(connection) }, { model.halfClose(connection, at: now) })
    case .close(let connection):
      living.removeAll { $0 == connection }
      toClose.removeAll { $0 == connection }
      both({ driver.close(connection) }, { model.close(connection, at: now) })
    case .edit(let entries, let chains, let isRead):
      driver.access = entries.map(CoreAccess.rules)
      driver.chains = chains.map(CoreChains.declaration)
      model.edit(entries, chains)
      if isRead {
        both(
          {
            driver.reload(); driver.wake()
          }, { model.reload(at: now) })
      }
    case .limit(let settings):
      driver.settings = plan.inCore(settings)
      model.edit(settings)
      both(
        {
          driver.reload(); driver.wake()
        }, { model.reload(at: now) })
    case .drain: both({ driver.drain() }, { model.drain(at: now) })
    case .pass(let milliseconds): pass(to: now + milliseconds)
    }
    readAll()
    compareReading()
  }

  /// Time passes. Turns come late, but never more than 50 ms: later turns have a rule of their own, which is not in the
  /// model (contract, section 5, `Time`).
  private func pass(to end: Int) {
    while now < end || wakeAt.map({ $0 <= now }) ?? false {
      let next = max(now, min(end, (wakeAt ?? end) + 50))
      driver.pass(milliseconds: next - now)
      now = next
      both({ driver.wake() }, { model.pass(to: now) })
      if now == end { return }
    }
    both({ driver.wake() }, { model.pass(to: now) })
  }

  private func open() {
    let reading: Player.Reading = !plan.hasSlowReaders || luck.chance(50) ? .eager : luck.chance(85) ? .slow : .stuck
    peers.append(Player(reading: reading))
    living.append(peers.count - 1)
    let facts = plan.facts(using: &luck)
    both({ _ = driver.open(CoreAccess.facts(facts)) }, { _ = model.open(facts, at: now) })
    if reading == .eager { maker.eager.insert(peers.count - 1) }
  }

  private func say(_ asked: [Asked], _ connection: Int) {
    var lines = asked.map(\.line)
    planter.alter(&lines, asked)
    var bytes = lines.map { Array("\($0)\n".utf8) }
    if let begun = peers[connection].begun { bytes[0] = begun.rest }
    peers[connection].begun = nil
    both({ driver.receive(Array(bytes.joined()), from: connection) }, { model.take(asked, from: connection, at: now) })
  }

  private func begin(_ asked: Asked, _ count: Int, _ connection: Int) {
    let line = Array("\(asked.line)\n".utf8)
    peers[connection].begun = (asked, Array(line[count...]))
    both(
      { driver.receive(line[..<count], from: connection) },
      { model.take(beginning: count, from: connection, at: now) })
  }

  private func read(_ most: Int, _ connection: Int) {
    var count = 0
    both(
      {
        count = driver.take(atMost: most, of: connection).count
        peers[connection].known -= count
      }, { if count > 0 { model.took(count, of: connection, at: now) } })
  }

  /// All eager readers read.
  private func readAll() {
    var goesOn = true
    while goesOn {
      goesOn = false
      for connection in living where peers[connection].reading == .eager && found == nil {
        // Nothing is shown for one that is to be closed at once.
        guard driver.unsentCount(of: connection) > 0, driver.wish(of: connection).ending != .close else { continue }
        read(.max, connection)
        goesOn = true
      }
    }
  }

  // MARK: Comparison

  /// Does the same to the core and to the model, and compares what each of them sends.
  private func both(_ inCore: () -> Void, _ inModel: () -> Void) {
    inCore()
    if plan.reloads > 0 { model.reviewOrder = living.sorted { driver.id(of: $0).index < driver.id(of: $1).index } }
    var said: [(connection: Int, lines: [String])] = []
    while let connection = driver.nextChanged() { said.append((connection, newLines(to: connection))) }
    for (connection, lines) in said { model.lengths[connection] = lines.map { $0.utf8.count + 1 }[...] }
    inModel()
    compare(said)
  }

  private func newLines(to connection: Int) -> [String] {
    let bytes = driver.unsent(of: connection, from: peers[connection].known)
    peers[connection].known += bytes.count
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  private func compare(_ said: [(connection: Int, lines: [String])]) {
    var expected: [Int: [String]] = [:]
    for (connection, line) in model.takeSaid() {
      expected[connection, default: []].append(line)
      log?("    ← #\(connection + 1) \(line)")
      if line == Model.Ending.shutDown.rawValue { shutDown.insert(connection) }
      if line == Model.Ending.close.rawValue { toClose.append(connection) }
    }
    for (connection, said) in said {
      var lines = said
      planter.alter(&lines)
      if let ending = newEnding(of: connection) { lines.append(ending.rawValue) }
      if log != nil { logOther(lines, expected[connection] ?? [], connection) }
      let wanted = ordered(expected.removeValue(forKey: connection) ?? [])
      lines = ordered(lines)
      for index in 0..<max(lines.count, wanted.count) {
        differ(connection, index < lines.count ? lines[index] : nil, index < wanted.count ? wanted[index] : nil)
      }
    }
    for (connection, lines) in expected.sorted(by: { $0.key < $1.key }) { differ(connection, nil, lines.first) }
  }

  private func newEnding(of connection: Int) -> Model.Ending? {
    let ending: Model.Ending? =
      switch driver.wish(of: connection).ending {
      case .open: nil
      case .shutDown: .shutDown
      case .closeWhenWritten, .close: .close
      }
    defer { peers[connection].ending = ending }
    return ending == peers[connection].ending ? nil : ending
  }

  /// The contract leaves open when the server looks again at the clocks of a connection from which it did not read. In
  /// worlds in which that happens, pings are compared ahead of the other lines.
  private func ordered(_ lines: [String]) -> [String] {
    guard plan.mayPause else { return lines }
    let ping = #"{"op":"ping"}"#
    return lines.filter { $0 == ping } + lines.filter { $0 != ping }
  }

  /// Both must read from the same connections.
  private func compareReading() {
    for connection in living where model.peers[connection].phase == .open {
      let isRead = model.peers[connection].stoppedAt == nil
      let isReadByCore = planter.hears(driver.wish(of: connection).reading)
      guard isReadByCore != isRead else { continue }
      differ(connection, isRead ? "(not read)" : "(read)", isRead ? "(read)" : "(not read)")
    }
  }

  /// If the core sends something else, the log shows that too.
  private func logOther(_ lines: [String], _ expected: [String], _ connection: Int) {
    if lines.elementsEqual(expected, by: { $0 == $1 || Saying.matches($0, $1) }) { return }
    for line in lines { log?("    the core says to #\(connection + 1): \(line)") }
  }

  private func differ(_ connection: Int, _ core: String?, _ model: String?) {
    guard found == nil else { return }
    if let core, let model, core == model || Saying.matches(core, model) || planter.isForged(core) { return }
    isOrderOpen = self.model.slowEndedAt == now
    found = Difference(step: steps, connection: connection, core: core ?? "nothing", model: model ?? "nothing")
  }
}
