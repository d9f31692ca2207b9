import BatonCore
import WorldKit

/// One bad day: a router, its peers and their random choices, from a seed. Nothing else has an influence, so the same
/// seed makes the same world.
final class World {
  /// What happened in a world.
  struct Report {
    let violation: Violation?
    let covered: Set<String>
    let calls: Int
    let hash: UInt64
    let hasPlanted: Bool
  }

  let plan: Plan
  let ledger: Ledger
  let network: Network
  var luck: Generator
  var requests: Requests
  var peers: [Peer] = []
  /// Peers that are still there.
  var living: [Int] = []
  /// Whether peers have stopped asking for anything new.
  var isCalm = false
  /// Those who listen to what stays.
  var listeners: [StayListener] = []
  /// Who the peers are; and how many connections are none of theirs.
  var identities: [Int: String] = [:]
  var apart = 0
  /// The connection that looks at chains.
  var looking: Int?
  /// In a long world, the most elements that each table had after any step; and the most memory that the process had
  /// taken after a fifth of the steps.
  var peaks: [String: Int] = [:]
  var earlyMemory = 0

  /// A seed makes its own plan, unless there is one.
  init(seed: UInt64, plan known: Plan? = nil, fault: Fault?, log: Log) {
    luck = Generator(seed: seed)
    plan = known ?? Plan(using: &luck)
    ledger = Ledger(plan)
    if plan.declares { ledger.watch = ChainWatch(file: plan.settings.chains) }
    if let stays = plan.stays {
      ledger.stays = StayWatch(settings: plan.settings, identities: stays.identities)
    }
    let isAble =
      (fault?.isOfChains != true || plan.isWatched) && (fault?.isOfWhatStays != true || plan.stays != nil)
      && (fault?.isOfRecord != true
        || plan.settings.record?.isStrict == true && plan.limits == nil && plan.stays == nil)
    let planter = Planter(
      fault: isAble && (fault != .limitUnheard || plan.limits != nil) ? fault : nil, patience: luck.below(12))
    network = Network(
      settings: plan.settings, access: plan.stays?.access ?? plan.limits?.access, ledger: ledger, planter: planter,
      log: log)
    requests = Requests(plan: plan)
    log.note(network.now, plan.description)
  }

  /// Runs the world, up to its first fault.
  func run() -> Report {
    openStays()
    if plan.isWatched { openObserver() }
    for _ in 0..<max(2, plan.peers / 2) { open() }
    var step = 0
    while step < plan.steps, isSound {
      if step == plan.drainsAtStep { network.drain() }
      self.step()
      step += 1
      if plan.lastsLong { note(step) }
      network.auditAccounts()
      if step % 16 == 0 { network.audit() }
    }
    if isSound { network.audit() }
    if isSound, plan.ending == .calm { calmDown() }
    if isSound { part() }
    if isSound, plan.lastsLong { checkGrowth() }
    ledger.noteStays()
    for what in ledger.records?.covered ?? [] { ledger.cover(what) }
    return Report(
      violation: ledger.violation, covered: ledger.covered, calls: network.calls, hash: network.hash,
      hasPlanted: network.planter.hasPlanted)
  }

  var isSound: Bool { ledger.violation == nil }

  // MARK: Coming and going

  func open() {
    // Three machines.
    let connection = network.open(at: UInt64(peers.count % 3))
    peers.append(Peer(plan: plan, using: &luck))
    living.append(connection)
    introduce(connection)
    if luck.chance(1) { network.send(SentLine(bytes: Bytes.http, kind: .fatal), from: connection) }
  }

  func close(_ connection: Int) {
    living.removeAll { $0 == connection }
    network.close(connection)
  }
}
