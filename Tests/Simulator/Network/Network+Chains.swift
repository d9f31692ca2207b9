import BatonCore
import DoorKit

/// The configuration file in the simulated network, and the observer of chains.
extension Network {
  /// The operator changes the file.
  func edit(_ new: [ChainDeclaration]) {
    log.note(now, "the file says \(new.map(\.logged))")
    driver.chains = planter.alter(new, before: file)
    file = new
  }

  /// The server gets SIGHUP.
  func reload() {
    driver.wake()
    ledger.cover(driver.reload() ? "reload" : "reload refused")
    driver.wake()
    settle("reload")
    watch(mayHaveChanged: true)
  }

  /// The server reads the file. What it does in later turns waits for them.
  func beginReload() {
    driver.wake()
    isLooking = true
    driver.settles = false
    endingsBefore = endings
    ledger.cover(driver.reload() ? "reload in pieces" : "reload refused")
    settle("reload begins")
  }

  func turn() {
    driver.turn()
    settle("turn")
  }

  func endReload() {
    driver.settles = true
    driver.wake()
    isLooking = false
    settle("reload ends")
    // Links were lost meanwhile that nobody has seen in the new version.
    if endings > endingsBefore { ledger.watch?.forgetReload() }
    watch(mayHaveChanged: true)
  }

  /// Holds what has come against what the observer sees.
  func watch(mayHaveChanged: Bool) {
    ledger.judgeStages()
    guard ledger.watch != nil, !isLooking else { return }
    if mayHaveChanged { look() }
    if ledger.judgeWalks(isLast: false) { return }
    look()
    _ = ledger.judgeWalks(isLast: true)
  }

  /// The observer looks at all chains, as long as the server lets it.
  func look() {
    isLooking = true
    for chain in Vocabulary.chains {
      guard let observer = ledger.observer else { break }
      send(Requests.look(at: chain, calls), from: observer)
      deliver(.max, from: observer)
      while wires[observer].hasToRead, ledger.violation == nil {
        _ = take(.max, places: 64, of: observer)
      }
      if wires[observer].ending == .open, wires[observer].isRead { continue }
      ledger.observer = nil
      ledger.watch?.isSeeing = false
    }
    isLooking = false
  }
}
