import BatonCore
import WorldKit

/// One bad day: a router, its peers and their luck, from a seed. Nothing else flows in, so the same seed makes the
/// same world.
final class World {
  /// What came of a world.
  struct Report {
    let violation: Violation?
    let coverage: Coverage
    let calls: Int
    let hash: UInt64
    let hasPlanted: Bool
  }

  let plan: Plan
  let ledger: Ledger
  let door: Door
  var luck: Generator
  var requests: Requests
  var peers: [Peer] = []
  /// Peers that are still there.
  var living: [Int] = []
  /// Peers ask for nothing new any more.
  var isCalm = false

  init(seed: UInt64, fault: Fault?, log: Log) {
    luck = Generator(seed: seed)
    plan = Plan(using: &luck)
    ledger = Ledger(settings: plan.settings, chains: plan.chains)
    let planter = Planter(fault: fault, patience: luck.below(12))
    door = Door(settings: plan.settings, ledger: ledger, planter: planter, log: log)
    requests = Requests(plan: plan, ledger: ledger)
    log.note(door.now, plan.description)
  }

  /// Lives through the world, up to its first fault.
  func run() -> Report {
    for _ in 0..<max(2, plan.peers / 2) { open() }
    var step = 0
    while step < plan.steps, isSound {
      if step == plan.drainsAtStep { drain() }
      self.step()
      step += 1
      if step % 16 == 0 { audit() }
    }
    if isSound, plan.ending == .calm { calmDown() }
    if isSound { part() }
    return Report(
      violation: ledger.violation, coverage: ledger.coverage, calls: door.calls, hash: door.hash,
      hasPlanted: door.planter.hasPlanted)
  }

  var isSound: Bool { ledger.violation == nil }

  func audit() {
    ledger.auditQueues()
    ledger.auditReading()
    ledger.auditHalfClosed()
    door.auditSilence()
    if let due = ledger.earliestDue, door.wakeAt.map({ $0 > due.at.advanced(milliseconds: 1) }) ?? true {
      let next = door.wakeAt.map { "\($0.microseconds) µs" } ?? "never"
      ledger.fail(.onTime, "\(due.what) is due at \(due.at.microseconds) µs, and the next wake-up is \(next)")
    }
    guard let isDrained = ledger.isDrained else { return }
    if door.isDrained != isDrained {
      ledger.fail(.coherentDoor, "isDrained is \(door.isDrained) with \(ledger.openWalks.count) messages open")
    }
  }

  // MARK: Coming and going

  func open() {
    let connection = door.open()
    peers.append(Peer(plan: plan, using: &luck))
    living.append(connection)
    // Newcomers of a drain are turned away, and must not hide that it has come to its end.
    if ledger.drainEnd != nil { audit() }
    if luck.chance(1) { door.send(SentLine(bytes: Bytes.http, intent: .fatal), from: connection) }
  }

  func drain() {
    ledger.coverage.insert(.drain)
    door.drain()
  }

  func close(_ connection: Int) {
    living.removeAll { $0 == connection }
    door.close(connection)
  }
}
