import BatonLasting
import BatonLog
import BatonStore
import DoorKit
import LogKit
import WorldKit

/// Which node leads.
extension World {
  var isCluster: Bool { !cluster.nodes.isEmpty }

  func makeNodes() {
    for number in 0..<2 { cluster.nodes.append(Node(number, in: self, log: lasting(nil))) }
    for node in cluster.nodes { connect(node) }
  }

  func lasting(_ position: LogPosition?) -> NodeStore {
    cluster.drawn += 1
    return NodeStore(
      position, storeMs: Cluster.storeMs, lostMs: Cluster.lostMs, mostBytes: LogRecord.headCount + 400,
      nameSeed: cluster.drawn)
  }

  var states: String {
    let words = cluster.nodes.map { node in
      node === leader ? "leads" : !node.isUp ? "is down" : node.log.whyNot(at: cluster.now)?.rawValue ?? "could lead"
    }
    return words.enumerated().map { "\($0) \($1)" }.joined(separator: "; ")
  }

  /// Nobody else than the leader's server is asked; the one before may be.
  var spares: [Node] { cluster.nodes.filter { $0 !== leader && $0 !== cluster.old?.node } }

  // MARK: Leading

  /// Until a node leads, nothing else happens than what passes between nodes and stream.
  func haveLeader() {
    guard isCluster, leader == nil, !cluster.isTakingOver else { return }
    cluster.isTakingOver = true
    var count = 0
    while leader == nil, judge.broken == nil {
      count += 1
      if count == 300 { calmDown() }
      judge.check(count < 30_000, "somebody leads in time", states)
      if cluster.candidate == nil { grant() }
      flowOnce()
      if !cluster.isCalm, luck.chance(3) { mishap() }
    }
    (cluster.isTakingOver, cluster.isCalm) = (false, isEnding)
  }

  /// Nothing goes wrong any more.
  func calmDown() {
    cluster.isCalm = true
    cluster.stream.isAway = false
    for node in cluster.nodes {
      if !node.isUp { restart(node) } else if !node.isConnected { connect(node) }
    }
  }

  /// A node gets the lease, whoever else believes that it leads.
  func grant() {
    let able = spares.filter { $0.isUp && $0.log.whyNot(at: cluster.now) == nil }
    let best = cluster.best
    if leader == nil, !able.contains(where: { $0 === best }) { decide() }
    let fit = able.filter { node in cluster.wanted.map { $0 === node } ?? true }
    guard let node = (cluster.isCalm ? able.filter { $0 === best } : fit.isEmpty ? able : fit).any(using: &luck) else {
      return
    }
    cluster.lastEpoch += 1
    for other in cluster.nodes where other !== node && other.isUp {
      if let position = other.store.position, plant != .unheard { take(.log(.heard(position)), at: node) }
    }
    (cluster.candidate, cluster.isOvertaken) = (node, leader != nil)
    take(.leads(epoch: cluster.lastEpoch), at: node)
    if plant == .restoredEarly, cluster.candidate === node { open(node) }
  }

  /// No node can lead: a person takes the file that has come farthest.
  private func decide() {
    guard cluster.isCalm || luck.chance(20), cluster.candidate == nil, cluster.old == nil else { return }
    for node in cluster.nodes where !node.isUp || node.log.whyNot(at: cluster.now) == .isReading { return }
    guard var node = cluster.best, node.log.whyNot(at: cluster.now) != nil else { return }
    if plants(.otherFile), let other = cluster.nodes.first(where: { $0 !== node }) { node = other }
    judge.reach("decided")
    node.store.position = .toBegin(after: cluster.lastEpoch)
    restart(node)
  }

  /// The node has all that the log has, and has said there that it leads: its server begins with its file.
  func open(_ node: Node) {
    if let leader {
      judge.reach("old leader")
      let open = peers.indices.filter { peers[$0].isOpen }
      cluster.old = OldServer(node: leader, driver: driver, firstPeer: firstPeer, peers: open)
    }
    log("node \(node.number) leads, \(node.store.rows.count) rows")
    (leader, cluster.candidate, cluster.wanted, cluster.isOvertaken) = (node, nil, nil, false)
    judge.reach("leads")
    judgeRecords(of: node)
    cluster.farthest = node.store.position
    (store, judge.store) = (node.store, node.store)
    startServer()
  }

  /// What a node's log says: its server is over.
  func ends(_ node: Node) {
    if node === cluster.old?.node {
      judge.reach("fenced")
      endOld()
    } else if node === leader {
      leaderEnds()
    } else {
      restart(node)
    }
  }

  func leaderEnds(isUp: Bool = true) {
    guard let node = leader else { return }
    for peer in peers.indices { peers[peer].isOpen = false }
    (leader, cluster.isOvertaken) = (nil, false)
    restart(node, isUp: isUp)
  }

  /// The leader's process is gone, perhaps with its machine and its disk.
  func loseLeader() {
    endOld()
    guard let node = leader else { return }
    if luck.chance(50) { node.store.commit(luck.below(node.store.heldCount + 1)) }
    log("node \(node.number) is lost")
    let isWhole = cluster.isStreamWhole
    leaderEnds(isUp: !isWhole || luck.chance(60))
    if isWhole, spares.contains(where: { $0 !== node && canFollow($0, node) }), luck.chance(15) {
      node.store.become(MemoryStore())
      node.records = []
      restart(node)
      judge.reach("lost disks")
    }
    haveLeader()
  }

  /// Whether it can go on with what the stream has, to where the other one has come.
  func canFollow(_ node: Node, _ other: Node) -> Bool {
    guard node.isUp, node.log.whyNot(at: cluster.now) == nil, let position = node.store.position,
      position.name == other.store.position?.name
    else { return false }
    return position.sequence + 1 >= cluster.stream.first && position.sequence <= cluster.stream.last
  }

  /// The leader ends in order, and the spare is to lead.
  func handOver() {
    guard let leader, let spare = spares.first(where: { canFollow($0, leader) }), cluster.isStreamWhole,
      !cluster.isOvertaken
    else { return }
    drain()
    pass(World.drainMilliseconds)
    for _ in 0..<200 where isWriting && self.leader === leader { flowOnce() }
    endOld()
    guard self.leader === leader else { return haveLeader() }
    judge.reach("handed over")
    cluster.wanted = spare
    leaderEnds()
    haveLeader()
  }
}
