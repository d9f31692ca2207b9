import BatonModel
import WorldKit

/// The core and the model side by side, from one seed: each step is carried out by both, and what they say to each
/// connection is compared line by line.
final class World {
  /// The first line in which the two differ.
  struct Difference {
    let step: Int
    let connection: Int
    let core: String
    let model: String
  }

  private let plan: Plan
  private var luck: Generator
  private var maker: Maker
  private let door: Door
  private var model: Model
  private var now = 0
  private let log: ((String) -> Void)?
  /// Connections that a peer still holds, and those of them that the server has shut down.
  private var living: [Int] = []
  private var shutDown: Set<Int> = []
  private var toClose: [Int] = []
  private(set) var steps = 0
  private(set) var difference: Difference?

  init(seed: UInt64, broken: Rule?, log: ((String) -> Void)? = nil) {
    luck = Generator(seed: seed)
    plan = Plan(using: &luck)
    maker = Maker(plan: plan, using: &luck)
    door = Door(settings: plan.coreSettings)
    model = Model(settings: plan.modelSettings, broken: broken)
    self.log = log
  }

  /// What has happened, as the model saw it.
  var seen: Seen { model.seen }

  func run() {
    for _ in 0..<plan.peers / 2 + 1 { carryOut(.open) }
    while steps < plan.steps, difference == nil {
      if let connection = toClose.popLast() { carryOut(.close(connection)) } else { carryOut(next()) }
    }
    // What is still open comes to its end: every deadline passes.
    while difference == nil, let step = last(), steps < plan.steps + 2000 { carryOut(step) }
  }

  private func last() -> Step? {
    if let connection = toClose.popLast() { return .close(connection) }
    return (model.nextAlarm ?? door.wakeAt).map { .pass(max(0, $0 - now)) }
  }

  // MARK: Steps

  private func next() -> Step {
    if steps == plan.drainsAt { return .drain }
    switch luck.below(1000) {
    case ..<plan.passing: return pass()
    case 960..<970: return .open
    case 970..<(970 + plan.deaths): return death()
    default:
      // Who is not read from has not got through with anything.
      let talking = living.filter { model.connections[$0].phase == .open && model.connections[$0].stoppedAt == nil }
      guard let asked = maker.ask(model, talking, using: &luck) else { return pass() }
      var lines = [asked.asked]
      while luck.chance(plan.bursts), lines.count < 6, let more = maker.ask(model, [asked.connection], using: &luck) {
        lines.append(more.asked)
      }
      return .lines(asked.connection, lines)
    }
  }

  private func pass() -> Step {
    let toAlarm = (door.wakeAt ?? now + 1) - now
    switch luck.below(100) {
    case ..<40: return .pass(luck.below(4))
    case ..<85: return .pass(max(0, toAlarm))
    case ..<97: return .pass(max(0, toAlarm) + luck.below(plan.lateness))
    default: return .pass(luck.below(plan.leap))
    }
  }

  private func death() -> Step {
    guard living.count > 2, let connection = living.isEmpty ? nil : luck.pick(living) else { return .open }
    if shutDown.contains(connection) || luck.chance(60) { return .close(connection) }
    let peer = model.connections[connection]
    return peer.phase == .open && peer.stoppedAt == nil ? .halfClose(connection) : .pass(1)
  }

  private func carryOut(_ step: Step) {
    if case .open = step, living.count >= plan.peers { return carryOut(pass()) }
    steps += 1
    log?("\(steps) at \(now) ms: \(step.description)")
    switch step {
    case .open:
      living.append(model.open(at: now))
      door.open(at: now)
    case .lines(let connection, let asked):
      model.take(asked, from: connection, at: now)
      door.take(asked.map(\.line), from: connection, at: now)
    case .halfClose(let connection):
      model.halfClose(connection, at: now)
      door.halfClose(connection, at: now)
    case .close(let connection):
      living.removeAll { $0 == connection }
      toClose.removeAll { $0 == connection }
      model.close(connection, at: now)
      door.close(connection, at: now)
    case .drain:
      model.drain(at: now)
      door.drain(at: now)
    case .pass(let milliseconds):
      now += milliseconds
      model.pass(to: now)
      door.pass(to: now)
    }
    compare()
  }

  // MARK: Comparison

  private func compare() {
    var expected: [Int: [String]] = [:]
    for (connection, line) in model.takeSaid() {
      expected[connection, default: []].append(line)
      log?("    ← #\(connection + 1) \(line)")
      if line == Model.Ending.shutDown.rawValue { shutDown.insert(connection) }
      if line == Model.Ending.close.rawValue { toClose.append(connection) }
    }
    for (connection, lines) in door.takeSaid(at: now) {
      if log != nil { logOther(lines, expected[connection] ?? [], connection) }
      let wanted = ordered(expected.removeValue(forKey: connection) ?? [])
      let lines = ordered(lines)
      for index in 0..<max(lines.count, wanted.count) {
        differ(connection, index < lines.count ? lines[index] : nil, index < wanted.count ? wanted[index] : nil)
      }
    }
    for (connection, lines) in expected.sorted(by: { $0.key < $1.key }) { differ(connection, nil, lines.first) }
    compareReading()
  }

  /// When the clocks of somebody who was not read from are looked at again is left open: where that can be, pings are
  /// compared ahead of the other lines.
  private func ordered(_ lines: [String]) -> [String] {
    guard plan.modelSettings.maxOpenMessages < 4096 else { return lines }
    let ping = #"{"op":"ping"}"#
    return lines.filter { $0 == ping } + lines.filter { $0 != ping }
  }

  /// Both must read from the same connections.
  private func compareReading() {
    for connection in living where model.connections[connection].phase == .open {
      let isRead = model.connections[connection].stoppedAt == nil
      guard door.isReading(connection) != isRead else { continue }
      differ(connection, isRead ? "(not read)" : "(read)", isRead ? "(read)" : "(not read)")
    }
  }

  /// Where the core says something else, the log shows that too.
  private func logOther(_ lines: [String], _ expected: [String], _ connection: Int) {
    if lines.elementsEqual(expected, by: { $0 == $1 || Saying.matches($0, $1) }) { return }
    for line in lines { log?("    the core says to #\(connection + 1): \(line)") }
  }

  private func differ(_ connection: Int, _ core: String?, _ model: String?) {
    guard difference == nil else { return }
    if let core, let model, core == model || Saying.matches(core, model) { return }
    difference = Difference(step: steps, connection: connection, core: core ?? "nothing", model: model ?? "nothing")
  }
}
