import BatonCore
import BatonLasting
import BatonLog
import BatonStore
import DoorKit

/// A node of a cluster: its file, and what lasts at it. Where it leads, the world's server is its server.
final class Node {
  let number: Int
  let store = MemoryStore()
  var log: NodeStore
  /// Counts its processes: what was on its way to an earlier one comes nowhere.
  var life = 0
  /// Counts its connections: what was answered on an earlier one comes nowhere.
  var link = 0
  var isUp = true
  var isConnected = false
  /// The time of the next `tick` that is on its way.
  var tickAt: Int64 = .max
  /// The number of the last change that its server has given.
  var lastGiven: UInt64 = 0
  /// What its file has carried out, and the judge does not know.
  var records: [(position: LogPosition, changes: [StoreChange])] = []
  private unowned let world: World

  init(_ number: Int, in world: World, log: NodeStore) {
    (self.number, self.world, self.log) = (number, world, log)
    store.mode = .holds
    store.log = { LogChanges.read($0) ?? [] }
    store.meddling = self
  }

  private var leads: Bool { world.leader === self }
}

/// The server of a node is judged as long as it leads.
extension Node: Meddling {
  func pass(_ requests: [KeeperRequest]) -> [KeeperRequest] { leads ? world.pass(requests) : requests }

  func give(_ job: StoreJob) { if leads { world.give(job) } }

  func commit(_ change: StoreChange) -> StoreChange? {
    guard case .log(let step) = change else { return leads ? world.meddled(change) : world.meddledAtSpare(change) }
    return .log(world.carriesOut(step, at: self))
  }

  func restore(_ row: RestoredRow) -> RestoredRow? { world.restore(row) }

  func start(_ number: UInt64) -> UInt64 { world.nextStart(number) }
}

/// A server that led, and does not know yet that another one does.
struct OldServer {
  let node: Node
  let driver: Driver
  /// The peers that are still with it, by their connections.
  let firstPeer: Int
  var peers: [Int]
}
