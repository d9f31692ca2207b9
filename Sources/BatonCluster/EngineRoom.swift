internal import BatonLasting
internal import BatonStore
internal import Lease
internal import NATS
internal import UV

/// The engine's side of a node, on its thread: it carries events to the lease and its effects to NATS.
final class EngineRoom {
  var plan: ClusterPlan
  let shared: EngineShare
  let loop: Loop
  private(set) var wakeup: Wakeup.Sender
  private var client: NATSClient?
  private var stream: LeaseStream?
  /// The log and the file of a node with a store.
  private(set) var log: LogRoom?
  var lease: Lease
  var nodes: KnownNodes
  private var timer: Timer?
  private var pulse: Timer?
  private var seenTurns: UInt64 = 0
  var news = NodeNews()
  /// Why NATS cannot be used now; nil if it can.
  private var away: String? = "it was not reached yet"
  private var awayToldAt: Int64?
  private(set) var troubles: [String] = []
  private(set) var leadsSince: Int64 = 0
  /// Since when nobody leads, as far as this node sees; nil if somebody does.
  private var leaderlessSince: Int64?
  private var leaderlessTold = false
  private var nextQuestion: Int64 = 0
  private var triesOfName = 0
  private var readDigest: String?
  /// The leadership for which the log is not open yet.
  private var opening: Lease.Leadership?

  private static let pauseOfTelling: Int64 = 60_000
  /// Different complaints that are told.
  private static let mostTroubles = 8

  init(_ plan: ClusterPlan, _ store: sending Store?, _ shared: EngineShare) throws {
    (self.plan, self.shared) = (plan, shared)
    loop = try Loop()
    lease = Lease(plan.terms)
    nodes = KnownNodes(plan)
    let box = Box()
    wakeup = try Wakeup(on: loop) { box.room?.takeOrders() }.sender
    timer = try Timer(on: loop) { box.room?.take(.tick) }
    pulse = try Timer(on: loop) { box.room?.beat() }
    box.room = self
    if let store {
      let sender = wakeup
      log = try LogRoom(plan, store, on: loop, wake: { sender.wake() }) { [unowned self] in take($0) }
    }
    holdBack()
    news.whyNot = whyNot
  }

  /// Whoever lacks something of the log does not take the lease.
  private func holdBack() { lease.isHeldBack = log?.whyNot != nil }

  /// A reference for closures that are needed before `self` is there.
  private final class Box {
    unowned(unsafe) var room: EngineRoom?
  }

  /// Runs as long as the process.
  func run() {
    do throws(UVError) {
      let first = plan.terms.start.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
      let client = try NATSClient(
        plan.nats, inbox: plan.inbox,
        subjects: [plan.nodesSubject, plan.leaseSubject, plan.subject(of: plan.terms.node)], first: first, on: loop
      ) { [unowned self] in take($0) }
      self.client = client
      stream = LeaseStream(plan, over: client) { [unowned self] in complain($0) }
      log?.begin(over: client)
      beat()
    } catch {
      complain("\(error)")
    }
    loop.run()
  }

  // MARK: NATS

  private func take(_ event: NATSClient.News) {
    switch event {
    case .connected(let info, let place):
      if let why = info.unfitness(at: place, keepsLog: log != nil) { return isAway(why) }
      shared.note(NodeNote("NATS is reached", [("server", "\(place)"), ("version", info.version)]))
      (away, troubles) = (nil, [])
      stream?.check()
      askForName()
      log?.connected()
      take(.connected)
    case .away(let why, let place):
      isAway("\(place): \(why)")
    case .refused(let what): complain("NATS refuses: \(what)")
    case .message(let message):
      switch message.subject {
      case plan.leaseSubject: take(.heard)
      case plan.nodesSubject: answer(message)
      default: if news.leads { log?.lend(message) }
      }
    }
  }

  private func isAway(_ why: String) {
    let (wasThere, now) = (away == nil, BootClock.milliseconds)
    // Several servers that are away have several reasons.
    if wasThere || now - (awayToldAt ?? -EngineRoom.pauseOfTelling) >= EngineRoom.pauseOfTelling {
      awayToldAt = now
      shared.note(NodeNote(isWarning: true, "NATS is away", [("why", why)]))
    }
    away = why
    guard wasThere else { return settle() }
    log?.lost()
    take(.lost)
  }

  private func complain(_ what: String) {
    guard !troubles.contains(what), troubles.count < EngineRoom.mostTroubles else { return }
    troubles.append(what)
    shared.note(NodeNote(isWarning: true, "something is wrong with NATS", [("what", what)]))
    settle()
  }

  // MARK: The lease

  func take(_ event: Lease.Event) {
    let (now, wall) = (BootClock.milliseconds, WallClock.milliseconds)
    for effect in lease.take(event, at: now, wall: wall) { carryOut(effect) }
    settle()
  }

  private func carryOut(_ effect: Lease.Effect) {
    switch effect {
    case .look(let question): stream?.look { [unowned self] in take(.looked(question: question, $0)) }
    case .write(let record, let expected):
      stream?.write(record, expecting: expected) { [unowned self] in take(.wrote(count: record.count, $0)) }
    case .leads(let leadership, let until):
      shared.until.store(until, ordering: .releasing)
      if log == nil { return leads(leadership) }
      opening = leadership
      shared.note(NodeNote("this node has the lease, and reads the log to its end", [("epoch", "\(leadership.epoch)")]))
      askForPositions(then: leadership)
    case .holds(let until): shared.until.store(until, ordering: .releasing)
    case .isFree: shared.setFree()
    case .ends(let why): ends(why)
    }
  }

  private func leads(_ leadership: Lease.Leadership) {
    leadsSince = MonotonicClock.microseconds
    (news.leads, news.why, opening) = (true, leadership.why.rawValue, nil)
    nodes.leads(leadership)
    shared.note(
      NodeNote("this node leads", [("epoch", "\(leadership.epoch)"), ("why", leadership.why.rawValue)]))
  }

  private func ends(_ why: String) {
    shared.until.store(0, ordering: .releasing)
    (news.leads, news.ended, opening) = (false, why, nil)
  }

  // MARK: The log

  private func take(_ event: LogRoom.News) {
    switch event {
    case .isOpen: if let opening { leads(opening) }
    case .ends(let why): ends(why)
    case .trouble(let what): complain(what)
    case .told(let note): shared.note(note)
    case .hasCopy(let error):
      if let error { news.mustEnd = error.description } else { news.startsAnew = true }
    case .changed: break
    }
    holdBack()
    settle()
  }

  /// Another node that lives may have more of the log than its stream has.
  private func askForPositions(then leadership: Lease.Leadership) {
    client?.askAll([], at: plan.nodesSubject, within: EngineRoom.timeOfPositions) { [unowned self] message in
      guard let message else {
        if opening == leadership { log?.leads(epoch: leadership.epoch) }
        return
      }
      guard let word = NodeWord(message.payload), word.start != plan.terms.start, let position = word.position else {
        return
      }
      log?.heard(position)
    }
  }

  /// For how many milliseconds answers of other nodes are waited for.
  private static let timeOfPositions: Int64 = 300

  private func takeOrders() {
    for order in shared.takeOrders() {
      switch order {
      case .leaves(let to): take(.leaves(to: to))
      // A file that says that this start leads would let the next one take what others may have.
      case .frees: if log?.isFree ?? true { take(.frees) }
      case .file(let digest, let names, let pages):
        (plan.pages, lease.terms.digest, lease.terms.nodes) = (pages, digest, names)
        nodes.name(names)
        settle()
      }
    }
    log?.turn()
  }

  /// Lets the server's loop turn, and tells the lease whether it has.
  private func beat() {
    let turns = shared.turns.load(ordering: .relaxed)
    let now = BootClock.milliseconds
    holdBack()
    // A server that takes over does not turn while it reads its file.
    if turns != seenTurns || now < shared.restoringUntil.load(ordering: .relaxed) {
      seenTurns = turns
      take(.turned)
    }
    if news.leads, now >= nextQuestion {
      nextQuestion = now + plan.terms.renewMs
      askForNodes()
    }
    log?.turn()
    log?.lookForCopy(from: otherLeader, leads: news.leads)
    settle()
    shared.wake()
    pulse?.set(microseconds: MonotonicClock.microseconds + max(10, plan.terms.renewMs / 4) * 1000)
  }

  // MARK: Other nodes

  /// Another node that leads, as far as this one sees. A name that its own file does not have is none that it would ask.
  private var otherLeader: (node: String, epoch: Int64)? {
    guard !news.leads, opening == nil, let record = lease.leader, record.node != plan.terms.node,
      lease.terms.nodes[record.node] != nil, !lease.isLeaderless(at: BootClock.milliseconds)
    else { return nil }
    return (record.node, record.epoch)
  }

  private var word: NodeWord {
    NodeWord(
      node: plan.terms.node, start: plan.terms.start, address: lease.terms.nodes[plan.terms.node] ?? "",
      version: plan.version, leads: news.leads, whyNot: news.leads ? nil : whyNot,
      wallMs: WallClock.milliseconds, log: log?.position, freeBytes: log?.freeBytes)
  }

  /// Why a spare could not lead now; nil if it could.
  private var whyNot: String? { lease.whyNotInStep?.rawValue ?? log?.whyNot }

  private func answer(_ question: NATSMessage) {
    guard let reply = question.reply else { return }
    client?.publish(JSONText.write(word), to: reply)
  }

  private func askForNodes() {
    let asked = WallClock.milliseconds
    client?.askAll([], at: plan.nodesSubject, within: min(1000, plan.terms.renewMs)) { [unowned self] message in
      if let message, let word = NodeWord(message.payload) {
        nodes.heard(word, asked: asked, at: BootClock.milliseconds)
      }
      settle()
    }
  }

  /// Looks whether another process has this node's name: three times, for it may just be ending.
  private func askForName() {
    var isTaken = false
    client?.askAll([], at: plan.nodesSubject, within: 900) { [unowned self] message in
      guard let message else {
        triesOfName = isTaken ? triesOfName + 1 : 0
        if triesOfName == 3 {
          news.mustEnd =
            "another process is the node \(plan.terms.node) of the cluster \(plan.name); end it, or choose another name"
          settle()
        } else if isTaken {
          askForName()
        }
        return
      }
      guard let word = NodeWord(message.payload) else { return }
      if word.node == plan.terms.node, word.start != plan.terms.start { isTaken = true }
    }
  }

  // MARK: What the server sees

  /// Sets the clock for what is due, and tells the server what is new.
  func settle() {
    let now = BootClock.milliseconds
    let wait = max(0, min(lease.wakeAt == .max ? Int64(60_000) : lease.wakeAt - now, 60_000))
    timer?.set(microseconds: MonotonicClock.microseconds + wait * 1000)
    noteLeader(at: now)
    news.engineAway = away
    news.sight = news.leads ? sight : nil
    guard news != shared.news else { return }
    shared.set(news)
    shared.wake()
  }

  private func noteLeader(at now: Int64) {
    let record = lease.leader
    let isLeaderless = lease.isLeaderless(at: now) || opening != nil
    leaderlessSince = isLeaderless ? leaderlessSince ?? now : nil
    news.leader = isLeaderless ? nil : record?.node
    news.leaderAddress = news.leader.flatMap { record?.nodes[$0] }
    news.leaderPages = news.leader.flatMap { plan.pages[$0] }
    news.whyNot = whyNot
    news.tellsNewcomers = leaderlessSince.map { now - $0 > 2 * plan.terms.leaseMs } ?? true
    noteSilence(at: now)
    // The leader has another file than before: perhaps this node's is the same by now.
    if !news.leads, let digest = record?.digest, digest != lease.terms.digest, digest != readDigest {
      readDigest = digest
      news.readings += 1
    }
  }

  /// Logs once what keeps this node back, where nobody leads for so long.
  private func noteSilence(at now: Int64) {
    guard let leaderlessSince, !news.leads else { return leaderlessTold = false }
    guard !leaderlessTold, now - leaderlessSince > 2 * plan.terms.leaseMs else { return }
    leaderlessTold = true
    let taken = client?.milliseconds ?? 0
    let why =
      away.map { "NATS is away: \($0)" } ?? log?.whyNot
      ?? (taken > plan.terms.renewMs ? "NATS takes \(taken) ms to answer, and renew_ms is \(plan.terms.renewMs)" : nil)
      ?? whyNot ?? "nothing keeps this node back: look at the way to NATS, and at the other node"
    shared.note(NodeNote(isWarning: true, "nobody leads", [("why", why)]))
  }

  private var sight: NodesSight {
    var sight = nodes.sight(
      leading: lease.leadershipNumber, since: leadsSince, why: news.why, log?.position, free: log?.freeBytes,
      at: BootClock.milliseconds)
    sight.logBeganAgain = log?.beganAgain
    sight.engineAway = away
    sight.engineVersion = client?.info?.version
    sight.engineMilliseconds = client?.milliseconds
    sight.engineTroubles = troubles
    return sight
  }
}
