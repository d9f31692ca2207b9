import BatonLasting
import BatonLog
import LogKit
import WorldKit

/// The nodes of a world, the stream of their log, and what is on its way between them and their files, in a time of its own.
struct Cluster {
  enum Step {
    case event(Node, life: Int, NodeLog.Event)
    case ask(Node, link: Int, NodeLog.Effect, streamsLife: Int)
    case answer(Node, link: Int, NodeLog.Event)
    case commit(Node, life: Int)
    case tick(Node, life: Int)
  }

  /// None: the world has one server, and no log.
  var nodes: [Node] = []
  var stream: MemoryStream
  /// Counts the starts of what has the stream: what was on its way to an earlier one comes nowhere.
  var streamsLife = 0
  var steps = StepQueue<Step>()
  /// Milliseconds of the log's clock.
  var now: Int64 = 0
  /// Nothing goes wrong any more.
  var isCalm = false
  /// The node that has the lease, and does not lead yet; and the one that is to have it next.
  var candidate: Node?
  var wanted: Node?
  /// Whether another node had the lease since the leader began: its time is over, and it does not know that.
  var isOvertaken = false
  /// The server that led before, and does not know that it is over.
  var old: OldServer?
  var lastEpoch: Int64 = 0
  /// Names that were drawn for logs.
  var drawn: UInt64 = 0
  var isTakingOver = false
  /// How far any file has come, and the last record of which the judge knows that it is kept.
  var farthest: LogPosition?
  var judged: LogPosition?

  static let storeMs: Int64 = 300
  static let lostMs: Int64 = 1000
  /// After so many milliseconds nobody waits for an answer any more.
  static let silenceMs: Int64 = 1000

  init(plant: Plant?) { stream = MemoryStream(fault: plant?.ofStream) }

  /// The node whose file has come farthest.
  var best: Node? {
    nodes.max { one, other in other.store.position.map { $0.isFarther(than: one.store.position) } ?? false }
  }

  /// Whether the stream has all that a file has. If not, a machine that is lost, too, would be too much.
  var isStreamWhole: Bool {
    guard let position = best?.store.position else { return true }
    return stream.first <= position.sequence && position.sequence <= stream.last
  }
}

extension LogPosition {
  fileprivate func isFarther(than other: LogPosition?) -> Bool { other.map { isFarther(than: $0) } ?? true }
}
