import BatonLasting
import BatonLog
import BatonStore
import LogKit
import WorldKit

/// What passes between nodes, their files and the stream of their log.
extension World {
  /// So many things come to pass.
  func flow(_ count: Int) {
    for _ in 0..<count where judge.broken == nil { flowOnce() }
    haveLeader()
  }

  /// What comes within so many milliseconds comes to pass.
  func flow(milliseconds: Int) {
    let end = cluster.now + Int64(milliseconds)
    while judge.broken == nil, let next = cluster.steps.nextTime, next <= end { flowOnce() }
    cluster.now = max(cluster.now, end)
    haveLeader()
  }

  /// Whether something that the leader's server has given is not in its file.
  var isWriting: Bool {
    guard let leader else { return isCluster || store.heldCount > 0 }
    return leader.store.hasGiven || leader.store.heldCount > 0 || !leader.log.isIdle
  }

  /// All that the leader's server has given comes to its file.
  func writeAll() {
    var left = 20_000
    while judge.broken == nil {
      haveLeader()
      guard isWriting else { return settle() }
      left -= 1
      judge.check(left > 0, "what is given is written in time", states)
      flowOnce()
    }
  }

  func flowOnce() {
    feed()
    guard let (at, step) = cluster.steps.next() else { return }
    cluster.now = max(cluster.now, at)
    switch step {
    case .event(let node, let life, let event): if isAlive(node, life) { take(.log(event), at: node) }
    case .answer(let node, let link, let event): if node.isUp, node.link == link { take(.log(event), at: node) }
    case .ask(let node, let link, let effect, let life): if life == cluster.streamsLife { ask(effect, of: node, link) }
    case .commit(let node, let life): if isAlive(node, life) { commitFile(of: node) }
    case .tick(let node, let life):
      guard isAlive(node, life) else { break }
      node.tickAt = .max
      take(.tick, at: node)
    }
  }

  private func isAlive(_ node: Node, _ life: Int) -> Bool { node.isUp && node.life == life }

  /// What servers have given goes to their nodes.
  private func feed() {
    for node in cluster.nodes where node.store.hasGiven {
      let jobs = node.store.takeGiven()
      guard node === leader || node === cluster.old?.node else { continue }
      for case .write(let write) in jobs { node.lastGiven = write.number }
      take(.give(plant == .notTakenBack ? jobs.map(kept) : jobs), at: node)
    }
  }

  func take(_ event: NodeStore.Event, at node: Node) {
    log("  \(cluster.now) node \(node.number): \(String("\(event)".prefix(160)))")
    for effect in node.log.take(event, at: cluster.now) { carryOut(effect, of: node) }
    let wake = node.log.wakeAt
    guard wake < node.tickAt else { return }
    node.tickAt = max(wake, cluster.now + 1)
    cluster.steps.add(.tick(node, life: node.life), at: node.tickAt)
  }

  private func carryOut(_ effect: NodeStore.Effect, of node: Node) {
    log("  \(cluster.now)   node \(node.number): \(String("\(effect)".prefix(160)))")
    switch effect {
    case .stream(let effect): post(effect, of: node)
    case .file(let jobs): keep(jobs, of: node)
    case .isOpen: if cluster.candidate === node { open(node) }
    case .tell(let answers): tell(answers, to: node)
    case .ends: ends(node)
    case .beginsAgain: judge.reach("begun again")
    case .strange: judge.check(false, "a log has records alone", "at node \(node.number)")
    }
  }

  // MARK: The server

  private func tell(_ answers: [StoreAnswer], to node: Node) {
    for answer in answers { say(answer, to: node) }
    if node === leader { settle() } else { hearOld() }
  }

  private func say(_ answer: StoreAnswer, to node: Node) {
    node.store.say(answer)
    guard node === leader else { return }
    switch answer {
    case .storedUpTo(let number): judge.told(upTo: number)
    case .failed:
      judge.failed()
      judge.reach("failed commit")
    default: break
    }
  }

  /// The leader's server is told that all is kept which it has given: a planted fault.
  func tellEarly(_ node: Node) {
    guard node === leader, luck.chance(30) else { return }
    tell([.storedUpTo(node.lastGiven)], to: node)
  }

  // MARK: The stream

  func delay() -> Int64 { Int64(cluster.isCalm || luck.chance(90) ? 1 + luck.below(5) : luck.below(1500)) }

  private var isLost: Bool { !cluster.isCalm && luck.chance(3) }

  private func post(_ effect: NodeLog.Effect, of node: Node) {
    guard let silence = MemoryStream.silence(to: effect) else { return }
    if case .writer(.publish(let bytes, let expected, _)) = effect {
      if plant == .toldWhenPublished { tellEarly(node) }
      if plant == .fileBeforeLog { carryOutEarly(bytes, expected, at: node) }
    }
    cluster.steps.add(
      .ask(node, link: node.link, effect, streamsLife: cluster.streamsLife), at: cluster.now + delay())
    cluster.steps.add(.answer(node, link: node.link, silence), at: cluster.now + Cluster.silenceMs)
  }

  private func ask(_ effect: NodeLog.Effect, of node: Node, _ link: Int) {
    guard !isLost, let event = cluster.stream.answer(effect, most: 1 + luck.below(8)), !isLost else { return }
    cluster.steps.add(.answer(node, link: link, event), at: cluster.now + delay())
  }

  // MARK: The file

  private func keep(_ jobs: [StoreJob], of node: Node) {
    node.store.carryOut(ofLog: jobs)
    cluster.steps.add(
      .commit(node, life: node.life),
      at: cluster.now + Int64(1 + luck.below(cluster.isCalm || luck.chance(90) ? 5 : 400)))
    if plant == .toldBeforeFile, jobs.contains(where: \.isChange) { tellEarly(node) }
  }

  private func commitFile(of node: Node) {
    let count = node.store.heldCount
    guard count > 0 else { return }
    if !cluster.isCalm, node.store.holdsWrites, isDiskBroken && node === leader || luck.chance(3) {
      return failFile(of: node)
    }
    node.store.isUnreadable = !isEnding && luck.chance(5)
    if node.store.isUnreadable { judge.reach("unreadable") }
    node.store.commit(luck.chance(80) ? count : 1 + luck.below(count))
    node.store.isUnreadable = false
    if node === leader { judge.checkBytes() }
    if node.store.heldCount > 0 { cluster.steps.add(.commit(node, life: node.life), at: cluster.now + 1) }
    take(.answered(node.store.takeDiskAnswers()), at: node)
  }

  /// A commit of the node's file fails; a part of it may be on disk all the same.
  func failFile(of node: Node) {
    guard node.store.holdsWrites else { return }
    judge.reach(node === leader ? "a leader's disk fails" : "a spare's disk fails")
    node.store.failHeld(keeping: luck.chance(20) ? luck.below(node.store.heldCount + 1) : 0)
    take(.answered(node.store.takeDiskAnswers()), at: node)
  }

  /// A file is about to carry out a record. What the leader's file has is kept; what another one has as soon as its node leads.
  func carriesOut(_ step: LogStep, at node: Node) -> LogStep {
    let position = step.position
    if cluster.farthest.map({ position.isFarther(than: $0) }) ?? true { cluster.farthest = position }
    if case .commit(let record, _) = step { node.records.append((position, LogChanges.read(record) ?? [])) }
    if node === leader { judgeRecords(of: node) }
    if node !== leader, case .commit = step, plants(.recordSkipped, percent: 20) {
      return .commit(LogChanges().bytes(), position)
    }
    return step
  }

  func judgeRecords(of node: Node) {
    for record in node.records where cluster.judged.map({ record.position.isFarther(than: $0) }) ?? true {
      cluster.judged = record.position
      for change in record.changes { judge.committed(change) }
    }
    node.records = []
  }

  // MARK: Planted faults

  /// A change that comes to the file of a node that does not lead.
  func meddledAtSpare(_ change: StoreChange) -> StoreChange? {
    switch change {
    case .stays(.reserve): plants(.numbersForgotten) ? nil : change
    case .stays(.setValue): plants(.valueLost) ? nil : change
    default: change
    }
  }

  /// What a commit that failed may have written is not taken back.
  private func kept(_ job: StoreJob) -> StoreJob {
    guard case .write(var write) = job, case .remove = write.change else { return job }
    write.change = .remove(1 << 40)
    return .write(write)
  }

  /// The leader's file has a record before the log, and its server hears of that.
  private func carryOutEarly(_ bytes: [UInt8], _ expected: UInt64, at node: Node) {
    guard node === leader || node === cluster.old?.node, let record = try? LogRecord(bytes), record.kind == .commit,
      luck.chance(30)
    else { return }
    node.store.commit(node.store.heldCount)
    take(.answered(node.store.takeDiskAnswers()), at: node)
    guard node === leader || node === cluster.old?.node else { return }
    var place = record.place
    place.sequence = expected + 1
    let step = LogStep.commit(record.body, place)
    node.store.carryOut(ofLog: [.write(StoreWrite(generation: .max, number: 0, change: .log(step)))])
    node.store.commit(node.store.heldCount)
    _ = node.store.takeDiskAnswers()
    tell([.storedUpTo(node.lastGiven)], to: node)
  }
}
