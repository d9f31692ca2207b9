import BatonStore
import CFaultyDisk
import Foundation

/// What goes wrong.
enum Kind: String, CaseIterable {
  /// One call fails.
  case error
  /// Twenty calls fail.
  case errors
  /// The disk is full for twenty calls.
  case full
  /// The power is cut, and comes again.
  case power
  /// The server is killed, and the power is cut while the next one goes on.
  case kill
  /// One piece of memory is missing.
  case memory
  /// Twenty are.
  case memories
}

/// One life after the other, each with one fault.
struct Trial {
  let path: String
  let steps: Int
  private var lives = 0
  private var starts = 0
  private var accepted = 0
  private var ended = 0
  private var refused = 0

  init(path: String, steps: Int) { (self.path, self.steps) = (path, steps) }

  var told: String {
    "\(lives) lives with a fault, \(starts) starts, \(accepted) accepted, \(ended) ended, \(refused) refused: "
      + "every promise holds"
  }

  /// A disk on which nothing is. The mark is no file of SQLite: it stands on a disk that loses nothing.
  private func begin(_ seed: UInt64) {
    disk_reset(seed)
    try? FileManager.default.removeItem(atPath: path + ".mark")
  }

  /// The life after a kill, until the power is cut. Returns what it knows in the end.
  private func goOnAfterKill(_ seed: UInt64, at call: Int, _ ledger: Ledger) -> Ledger {
    disk_kill()
    disk_fail(disk_dead, disk_calls() + 1 + (call * 7 + Int(seed)) % 150, .max)
    guard let life = try? Life(path: path, seed: seed &+ 2, ledger: ledger) else { return ledger }
    for _ in 0..<steps { try? life.step() }
    life.store.close()
    return life.ledger
  }

  /// Calls that a life makes without a fault.
  mutating func count(seed: UInt64, _ kind: Kind) throws -> Int {
    begin(seed)
    memory_fail(0, -1)
    let life = try Life(path: path, seed: seed)
    for _ in 0..<steps { try life.step() }
    let calls = kind == .memory || kind == .memories ? memory_calls() : disk_calls()
    life.store.close()
    return calls
  }

  /// A life with a fault at that call, the start after it, and the end of all that was accepted.
  mutating func run(seed: UInt64, _ kind: Kind, at call: Int) throws {
    begin(seed &+ UInt64(call))
    switch kind {
    case .error: disk_fail(disk_error, call, call)
    case .errors: disk_fail(disk_error, call, call + 19)
    case .full: disk_fail(disk_full, call, call + 19)
    case .power: disk_fail(disk_dead, call, .max)
    case .kill:
      // It begins with a store whose server ended in order.
      try Store(path: path).close()
      disk_fail(disk_dead, disk_calls() + call, .max)
    case .memory: memory_fail(call, call)
    case .memories: memory_fail(call, call + 19)
    }
    var ledger = Ledger()
    var life = try? Life(path: path, seed: seed)
    if life != nil {
      for _ in 0..<steps { try life?.step() }
      ledger = life?.ledger ?? ledger
      // The power is cut in the end, whatever the fault was; or the server ends in order.
      if kind != .power, seed % 2 == 0 { disk_fail(disk_dead, 0, .max) }
      life?.store.close()
      life = nil
    }
    memory_fail(0, -1)
    if kind == .kill { ledger = goOnAfterKill(seed, at: call, ledger) }
    disk_crash()
    starts += 1
    life = try Life(path: path, seed: seed &+ 1, ledger: ledger)
    try life?.end()
    guard let last = life else { return }
    if last.damaged > 0 { throw Broken("rows are damaged") }
    lives += 1
    accepted += last.ledger.countAccepted
    ended += last.ledger.countEnded
    refused += last.ledger.countRefused
    last.store.close()
    if disk_is_unsound() != 0 { throw Broken("the store has no log, and a power cut would bring one back") }
  }
}
