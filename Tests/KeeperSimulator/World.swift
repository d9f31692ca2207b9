import BatonCore
import BatonLasting
import DoorKit
import WorldKit

/// Peers, a router, a keeper and a disk, through many lives of the server. Only the disk outlives a crash. Some worlds have two
/// nodes with a disk each, and a log; one of them leads.
final class World {
  let plant: Plant?
  let isLogged: Bool
  var luck: Generator
  /// The disk of the server.
  var store = MemoryStore()
  let judge: Judge
  private(set) var driver: Driver
  var cluster: Cluster
  /// The node whose server this is.
  var leader: Node?
  /// What the configuration file says, and the server has read.
  var file: OperatorFile
  var peers: [Peer] = []
  /// Connections of this server are numbered as peers are, from this one on.
  private(set) var firstPeer = 0
  let hasIdentities: Bool
  /// The length of long answers.
  let answerBytes: Int
  var isDiskBroken = false
  var isEnding = false
  var crashes = 0
  /// The end of a try as the router told it last: a planted fault tells it again.
  var lastEnd: TryEnd?
  private var marks = 0
  /// Starts of servers.
  private var starts: UInt64 = 0
  private let settings: Settings
  private let access: AccessRules?
  /// The last write that is on disk, in this life of the server.
  private var lastStored: UInt64 = 0

  init(seed: UInt64, plant: Plant?, hasNodes: Bool, isLogged: Bool) {
    (self.plant, self.isLogged) = (plant, isLogged)
    luck = Generator(seed: seed)
    cluster = Cluster(plant: plant)
    settings = World.settings(using: &luck)
    hasIdentities = luck.chance(50)
    file = OperatorFile.random(using: &luck)
    var all = settings
    all.chains = World.read(file, plant)
    let rules = ["ann", "bob", "ops"].map { AccessRules.Peer($0, may: ["everything"]) }
    store.mode = .holds
    judge = Judge(store)
    access = hasIdentities ? AccessRules(forTests: rules) : nil
    driver = Driver(settings: all, access: access, store: store)
    answerBytes = settings.maxStoredBytes < 10_000 ? 1500 : 0
    (judge.file, judge.settings) = (file, settings)
    judge.time = { [unowned self] in now }
    judge.wallTime = { [unowned self] in driver.wall }
    judge.log = { [unowned self] in log($0) }
    // Until a node leads, there is a server of which nothing is kept.
    if hasNodes { makeNodes() } else { store.meddling = self }
    listen()
  }

  static let drainMilliseconds = 1000

  private static func settings(using luck: inout Generator) -> Settings {
    var settings = Settings()
    settings.rememberedMilliseconds = luck.pick([100, 3000, 60_000])
    settings.drainMilliseconds = drainMilliseconds
    settings.breakerOffers = luck.chance(25) ? 1 : 1000
    (settings.breakerMilliseconds, settings.breakerLeastMilliseconds) = (500, 1)
    if luck.chance(30) { settings.maxStoredMessages = luck.between(4...16) }
    if luck.chance(30) { settings.maxDeadLetters = luck.between(2...6) }
    if luck.chance(20) { settings.maxRemembered = luck.between(2...8) }
    switch luck.below(100) {
    case ..<15: settings.maxTotalBytes = 4000
    case ..<35: settings.maxStoredBytes = luck.pick([2500, 6000])
    default: break
    }
    if luck.chance(25) { settings.window = 2 }
    settings.pieces.size = luck.pick([1, 3, 32])
    if luck.chance(30) { settings.pieces.keeper = (steps: 2, tries: 2, bytesRead: 3) }
    if luck.chance(25) { settings.record = RecordRule() }
    return settings
  }

  /// The file as the server reads it: a planted fault may leave something out.
  static func read(_ file: OperatorFile, _ plant: Plant?) -> [ChainDeclaration] {
    guard plant == .guardLeftOut else { return file.chains }
    return file.chains.map {
      ChainDeclaration(chain: $0.chain, links: $0.links.filter { $0.name != "g" }, isOpen: $0.isOpen)
    }
  }

  var now: Int { Int(driver.now.microseconds / 1000) }

  func log(_ text: @autoclosure () -> String) { if isLogged { print("\(now) \(text())") } }

  func newMark() -> Int {
    marks += 1
    return marks
  }

  // MARK: Life

  func run(steps: Int) throws(Broken) {
    haveLeader()
    for _ in 0..<steps {
      begin()
      step()
      if let broken = judge.broken { throw broken }
    }
    end()
    if let broken = judge.broken { throw broken }
  }

  func begin() {
    judge.step += 1
  }

  /// The server is gone, and all connections. What is not on disk is lost; and what is may be more than it knew.
  func crash() {
    if isCluster { return loseLeader() }
    if luck.chance(50) { store.commit(luck.below(store.heldCount + 1), isTold: false) }
    log("crash, \(store.rows.count) rows")
    startServer()
  }

  /// Another server begins with what is on disk.
  func startServer() {
    crashes += 1
    for index in peers.indices { peers[index].isOpen = false }
    // While the server was gone the clock may have been set.
    if luck.chance(4) { driver.wallOffset += Int64(luck.below(7_200_000)) - 3_600_000 }
    judge.crashed()
    (isDiskBroken, lastStored) = (false, 0)
    if isCluster { startAtNode() } else { driver.startAgain() }
    settle()
    listen()
    if isCluster { view() }
  }

  private func startAtNode() {
    firstPeer = peers.count
    var all = settings
    (all.chains, all.keptTopics) = (World.read(file, plant), World.keptTopics)
    driver = Driver(settings: all, access: access, store: store, at: driver.now, wallOffset: driver.wallOffset)
  }

  /// The number of a start of a server: all nodes' have different ones.
  func nextStart(_ number: UInt64) -> UInt64 {
    starts += 1
    return plant == .startReused ? 1 : isCluster ? starts : number
  }

  /// Somebody listens to what becomes of messages.
  private func listen() { say(#"{"op":"subscribe","topics":["$baton.message.dead"]}"#, open(.listener)) }

  func pass(_ milliseconds: Int) {
    driver.advance(to: driver.now.advanced(milliseconds: milliseconds)) { collect() }
    driver.wake()
    collect()
    if isCluster { flow(milliseconds: min(milliseconds, isEnding ? 300 : 3000)) }
  }

  func reload(_ new: OperatorFile) {
    let walk = probe()
    log("the file says \(new.chains.map { "\($0.chain): \($0.links.map(\.name))" })")
    file = new
    judge.file = new
    (judge.fileStep, judge.fileRequest) = (judge.step, judge.nextID)
    driver.chains = World.read(new, plant)
    driver.reload()
    driver.wake()
    collect()
    for chain in OperatorFile.names {
      judge.undeclaredAt[chain] = new.declares(chain) ? nil : min(judge.undeclaredAt[chain] ?? walk, walk)
    }
    judge.reach("reload")
  }

  /// The server drains, and perhaps its time for that is over at once.
  func drain() {
    if judge.drainedAt == nil {
      judge.drainedAt = probe()
      log("drain")
      judge.drainEndsAt = now + World.drainMilliseconds
      driver.drain()
      collect()
      judge.reach("drain")
    }
    if luck.chance(50) { pass(World.drainMilliseconds) }
  }

  /// The number of a walk that begins now; all that have begun have smaller ones.
  private func probe() -> Int {
    let peer = open(.prober)
    say(#"{"op":"send","id":0,"topic":"probe","chain":"nowhere"}"#, peer)
    let walk = peers[peer].probed
    close(peer)
    return walk == 0 ? .max : walk
  }

  // MARK: The disk

  func commit(_ count: Int, isTold: Bool = true) {
    let last = store.held.prefix(count).compactMap { job in
      if case .write(let write) = job { write.number } else { nil }
    }
    store.isUnreadable = !isEnding && luck.chance(5)
    if store.isUnreadable, count > 0 { judge.reach("unreadable") }
    store.commit(count, isTold: isTold)
    store.isUnreadable = false
    judge.checkBytes()
    lastStored = max(lastStored, last.last ?? 0)
    if isTold { judge.told(upTo: lastStored) }
    log("stored \(count)\(isTold ? "" : ", and nobody hears of it")")
    settle()
  }

  func failCommit() {
    if isCluster, let node = luck.chance(70) ? leader : cluster.nodes.any(using: &luck) {
      failFile(of: node)
      return haveLeader()
    }
    guard store.holdsWrites else { return }
    log("a commit fails")
    let early = refusedEarly()
    store.failHeld(keeping: luck.chance(40) ? luck.below(store.heldCount + 1) : 0)
    judge.told(upTo: lastStored)
    judge.failed()
    judge.reach("failed commit")
    for (line, peer) in early { hear(line, peer) }
    settle()
  }

  func settle() {
    driver.wake()
    collect()
    if let figures = driver.figures { judge.checkFigures(figures) }
  }
}

extension World {
  /// What a thousand worlds must have reached: otherwise they prove nothing about it.
  static let mustReach = [
    "accepted", "again", "at rest", "crash with a try under way", "cut off", "dead", "dead page", "death told",
    "discarded", "does not count", "drain", "ended", "expired", "failed commit", "forgotten result", "key",
    "key of both", "known", "cancelled", "not cancelled", "refused draining", "refused not_declared",
    "refused once_mismatch", "refused record_failed", "refused store_failed", "refused store_full", "reload", "resent",
    "result handled", "result rejected", "result timeout", "result unhandled", "stored", "truncated", "unreadable",
    "window",
    // Of worlds with nodes:
    "a leader's disk fails", "a spare's disk fails", "begun again", "copies", "decided", "events given again", "fenced",
    "files alike", "handed over", "leads", "lost disks", "old leader", "refused by an old leader", "streams lost",
    "streams went back", "values given", "values kept",
  ]
}
