import BatonLasting
import BatonLog
import DoorKit
import WorldKit

/// What happens to nodes and to the stream.
extension World {
  /// Another process of the node: what its disk has is all that it knows.
  func restart(_ node: Node, isUp: Bool = true) {
    if cluster.candidate === node { cluster.candidate = nil }
    node.life += 1
    node.link += 1
    (node.isUp, node.isConnected, node.tickAt, node.lastGiven) = (isUp, false, .max, 0)
    node.store.end()
    node.log = lasting(node.store.position)
    if isUp { connect(node) }
  }

  func connect(_ node: Node) {
    node.isConnected = true
    node.link += 1
    cluster.steps.add(.event(node, life: node.life, .connected), at: cluster.now + delay())
  }

  func disconnect(_ node: Node) {
    guard node.isUp, node.isConnected else { return }
    node.isConnected = false
    node.link += 1
    take(.log(.lost), at: node)
  }

  /// A spare that cannot follow gets a copy of the leader's file.
  func copy() {
    guard let leader, let spare = spares.first(where: { $0.isUp }) else { return }
    let why = spare.log.whyNot(at: cluster.now)
    guard why == .lacks || why == .isOther || why == .wentBack || plant == .copyAhead else { return }
    judge.reach("copies")
    spare.store.become(leader.store)
    spare.records = []
    if plant == .copyAhead, let last = cluster.stream.messages.last, let record = try? LogRecord(last.bytes) {
      var place = record.place
      place.sequence = last.sequence
      spare.store.position = place
    }
    restart(spare)
  }

  // MARK: Mishaps

  func mishap() {
    let spare = spares.any(using: &luck)
    switch luck.below(18) {
    case 0: if luck.chance(60) { cluster.stream.isAway = true }
    case 1, 2, 3: cluster.stream.isAway = false
    case 4: if luck.chance(isLossLikely ? 100 : 25), mayLoseStream { loseStream(by: nil) }
    case 5: if luck.chance(isLossLikely ? 100 : 25), mayLoseStream { loseStream(by: 1 + luck.below(5)) }
    case 6: if leader != nil, luck.chance(50) { cluster.stream.forget(luck.below(20)) }
    case 7: if let spare { restart(spare, isUp: !cluster.isStreamWhole || luck.chance(60)) }
    case 8, 9: for node in cluster.nodes where !node.isUp { restart(node) }
    case 10: cluster.nodes.any(using: &luck).map(disconnect)
    case 11, 12: for node in cluster.nodes where node.isUp && !node.isConnected { connect(node) }
    case 13: copy()
    case 14, 15: if leader != nil, cluster.old == nil, !cluster.isOvertaken, cluster.isStreamWhole { grant() }
    default: if leader != nil, luck.chance(30) { handOver() }
    }
  }

  private var isLossLikely: Bool { plant == .unheard || plant == .otherFile }

  /// Two faults at once are too much: what a lost machine, or a leader with a wrong clock, had alone.
  private var mayLoseStream: Bool {
    guard cluster.old == nil else { return false }
    if leader != nil { return !cluster.isOvertaken }
    return cluster.nodes.allSatisfy(\.isUp) && cluster.best?.store.position == cluster.farthest
  }

  /// All is gone, or so much of its end. All connections to what has the stream are new.
  private func loseStream(by count: Int?) {
    judge.reach(count == nil ? "streams lost" : "streams went back")
    if let count { cluster.stream.goBack(by: count) } else { cluster.stream.lose(at: cluster.now) }
    cluster.streamsLife += 1
    for node in cluster.nodes {
      disconnect(node)
      connect(node)
    }
  }

  // MARK: The end

  /// From here on nothing fails, and one node leads.
  func endMishaps() {
    endOld()
    calmDown()
    var left = 20_000
    while cluster.candidate != nil, judge.broken == nil, left > 0 {
      flowOnce()
      left -= 1
    }
    endOld()
    if cluster.isOvertaken { leaderEnds() }
    haveLeader()
  }

  /// Files that have come as far say the same.
  func checkFiles() {
    for _ in 0..<200 where judge.broken == nil {
      flow(20)
      copy()
      guard let leader, let spare = spares.first, spare.store.position == leader.store.position else { continue }
      judge.reach("files alike")
      let (one, other) = (Set(leader.store.spelled), Set(spare.store.spelled))
      let first = one.symmetricDifference(other).min()
      return judge.check(first == nil, "files say the same", "one of them alone: \(first?.prefix(300) ?? "")")
    }
  }
}
