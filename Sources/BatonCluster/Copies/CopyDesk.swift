internal import BatonLasting
internal import BatonLog
internal import BatonStore
internal import NATS
internal import UV

/// Copies of stores that go from the leader to other nodes: when one is asked for, and what becomes of it.
final class CopyDesk {
  enum News {
    case told(NodeNote)
    /// A copy is there. It takes the place of the node's own file, which keeps this end of its name; nil: it goes.
    case hasCopy(ComingCopy, keeping: String?)
  }

  /// How a node stands to the log.
  struct Standing {
    var stop: LogReader.Stop?
    var position: LogPosition?
    /// The number of the first message that the stream has; nil: that is not known.
    var first: UInt64?
    /// Another node that leads, and the number of its leadership.
    var leader: (node: String, epoch: Int64)?
  }

  private let store: String
  private let plan: ClusterPlan
  private let client: NATSClient
  private let loop: Loop
  private let tell: (News) -> Void
  private let giver: CopyGiver
  private var taker: CopyTaker?
  private var standing = Standing()
  private var next: Int64 = 0
  private var pause: Int64 = CopyDesk.pauses.least

  /// Milliseconds until another copy is asked for: twice as long each time.
  private static let pauses: (least: Int64, most: Int64) = (5000, 3_600_000)

  init(_ store: String, _ plan: ClusterPlan, over client: NATSClient, on loop: Loop, tell: @escaping (News) -> Void) {
    (self.store, self.plan, self.client, self.loop, self.tell) = (store, plan, client, loop, tell)
    giver = CopyGiver(store, over: client, on: loop) { tell(.told($0)) }
  }

  /// How much of a copy has come, or why none has, for people; nil: none was asked for.
  private(set) var progress: String?

  /// Another node asks this one, which leads.
  func answer(_ message: NATSMessage, free: Int?, reaches: UInt64) {
    giver.answer(message, free: free, reaches: reaches)
  }

  /// Looks whether a copy is needed, and can be had.
  func look(_ standing: Standing, leads: Bool, at now: Int64) {
    self.standing = standing
    if leads { giver.turn(at: now) } else { giver.end() }
    let isNeeded = standing.stop == .lacks || standing.stop == .isOther
    guard isNeeded, let leader = standing.leader else {
      taker?.close()
      return (taker, progress) = (nil, nil)
    }
    guard taker == nil, now >= next else { return }
    begin(from: leader.node, at: now)
  }

  private func begin(from leader: String, at now: Int64) {
    next = now + pause
    do throws(UVError) {
      taker = try CopyTaker(store, plan, from: leader, first: standing.first, over: client, on: loop) {
        [unowned self] in take($0)
      }
      tell(.told(NodeNote("a copy of the leader's store is asked for", [("leader", leader)])))
      show(0)
    } catch {
      take(.fails("\(error)"))
    }
  }

  /// In steps: each is news for the server.
  private func show(_ percent: Int) { progress = "a copy of the leader's store comes (\(percent / 10 * 10) %)" }

  private func take(_ news: CopyTaker.News) {
    switch news {
    case .comes(let percent): show(percent)
    case .fails(let why): fails(why)
    case .isThere(let copy, let found):
      let position = found.position
      // It is so old by now that the log does not go on from it.
      guard let first = standing.first, first <= position.sequence + 1, let leader = standing.leader else {
        copy.remove()
        return fails("it came too late: the log has forgotten what follows it; raise log_bytes")
      }
      let isPart = standing.position.map { $0.name == position.name && !$0.isFarther(than: position) } ?? true
      if found.damaged > 0 {
        let words = "the copy of the leader's store has damage: run baton store check at both nodes"
        tell(.told(NodeNote(isWarning: true, words, [("damaged", "\(found.damaged)")])))
      }
      tell(.hasCopy(copy, keeping: isPart && found.damaged == 0 ? nil : ".before-\(leader.epoch)"))
    }
  }

  private func fails(_ why: String) {
    (taker, progress) = (nil, "no copy of the leader's store has come: \(why)")
    next = BootClock.milliseconds + pause
    pause = min(2 * pause, CopyDesk.pauses.most)
    tell(.told(NodeNote(isWarning: true, "no copy of the leader's store has come", [("why", why)])))
  }
}
