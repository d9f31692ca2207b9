import BatonLasting
import BatonLog

/// What a node's disk has: what was carried out, and how far.
struct File {
  var position: LogPosition?
  var entries: [[UInt8]] = []
}

/// One node: what lasts at it, its file, and how it is.
struct Node {
  let name: Int
  var file = File()
  var log: NodeStore
  /// Counts its processes: what was on its way to an earlier one comes nowhere.
  var life = 0
  /// Counts its connections: what was answered on an earlier one comes nowhere.
  var link = 0
  var isUp = true
  var isConnected = false
  /// Its leadership, once it has one; until it may write, it only opens.
  var epoch: Int64?
  var isOpen = false
  /// What it was given, and has not told: by their numbers.
  var given: [(number: UInt64, body: [UInt8])] = []
  var generation: UInt64 = 1
  var number: UInt64 = 0
  /// Jobs for the file, one commit after the other. Writes of generations before `least` were given up.
  var queue: [[StoreJob]] = []
  var least: UInt64 = 0
  /// Its fault is planted here: a plant that is done for a node once.
  var isMeddled = false
}
