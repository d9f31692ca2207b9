import BatonLasting
import BatonLog

/// What a node's disk has: what was carried out, and how far.
struct File {
  var position: LogPosition?
  var entries: [[UInt8]] = []
}

/// One node: its log, its file, and how it is.
struct Node {
  let name: Int
  var file = File()
  var log: NodeLog
  /// Counts its processes: what was on its way to an earlier one comes nowhere.
  var life = 0
  /// Counts its connections: what was answered on an earlier one comes nowhere.
  var link = 0
  var isUp = true
  var isConnected = false
  /// Its leadership, once it has one; until it may write, it only opens.
  var epoch: Int64?
  var isOpen = false
  /// What it writes, and has not been told written.
  var writing: [UInt8]?
  /// Steps that the file carries out, one after the other.
  var queue: [[NodeLog.Step]] = []
  /// Its fault is planted here: a plant that is done for a node once.
  var isMeddled = false
}
