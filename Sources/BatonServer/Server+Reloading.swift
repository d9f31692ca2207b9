public import BatonCore
internal import Logging
internal import UV

/// Reads the operator's file anew, when a peer asks for it or at SIGHUP.
extension Server {
  /// Milliseconds between two readings: who asks more often waits.
  private static let reloadPause = 1000

  /// A peer may wait for the file to be read, or for a text to be checked. Returns whether that was done.
  func reloadIfWanted() -> Bool {
    let wantsReload = router.pointee.wantsReload
    guard wantsReload || router.pointee.wantsCheck else { return false }
    let due = reloadedAt.map { $0.advanced(milliseconds: Server.reloadPause) }
    if let due, due > now {
      setReloadTimer(at: due)
      return false
    }
    if wantsReload { reload(because: "a peer asked for it") }
    check()
    return true
  }

  private func setReloadTimer(at due: Instant) { reloadTimer?.set(microseconds: due.microseconds) }

  /// Tells a peer what the text of a file would change.
  private func check() {
    guard let text = router.pointee.textToCheck() else { return }
    reloadedAt = now
    router.pointee.checked(readText?(text) ?? .read(ReloadedFile()), at: now)
  }

  /// Reads the file and lets the router carry it out.
  func reload(because reason: String) {
    reloadedAt = now
    service?.isReloading()
    // A file that says nothing would let everybody do everything.
    let news =
      readAnew?() ?? .refused([ConfigurationFault(line: 1, column: 1, message: "this server has nothing to read anew")])
    switch news {
    case .refused(let faults):
      logger.error(
        "the file has mistakes and nothing changes", metadata: ["because": "\(reason)", "mistakes": "\(faults.count)"])
      for fault in faults.prefix(Server.mostFaults) {
        logger.error("\(fault.message)", metadata: ["line": "\(fault.line)", "column": "\(fault.column)"])
      }
    case .read(let file):
      if let settings = file.settings { handshakeMilliseconds = settings.handshakeMilliseconds }
      logger.notice(
        "the file was read anew",
        metadata: [
          "because": "\(reason)", "changed": "\(file.changed.joined(separator: ", "))",
          "restart": "\(file.restart.joined(separator: ", "))",
        ])
    }
    router.pointee.reload(news, at: now)
    service?.hasReloaded(news)
  }

  /// What of declared chains does not fit to what peers have made.
  public func conflicts(with chains: [ChainDeclaration]) -> [DeclarationConflict] {
    router.pointee.conflicts(with: chains)
  }

  private static let mostFaults = 20

  /// Tells what is allowed and probably not meant, each with where it stands.
  public func warn(_ warnings: [(message: String, source: String)]) {
    for warning in warnings { logger.warning("\(warning.message)", metadata: ["source": "\(warning.source)"]) }
  }
}
