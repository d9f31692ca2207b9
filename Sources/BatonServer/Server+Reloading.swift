internal import BatonCore
internal import Logging
internal import UV

/// Reads the operator's file anew, when a peer asks for it or at SIGHUP.
extension Server {
  /// Milliseconds between two readings: who asks more often waits.
  private static let reloadPause = 1000

  /// A peer may wait for the file to be read. Returns whether it was.
  func reloadIfWanted() -> Bool {
    guard router.pointee.wantsReload else { return false }
    let due = reloadedAt.map { $0.advanced(milliseconds: Server.reloadPause) }
    if let due, due > now {
      setReloadTimer(at: due)
      return false
    }
    reload(because: "a peer asked for it")
    return true
  }

  private func setReloadTimer(at due: Instant) { reloadTimer?.set(microseconds: due.microseconds) }

  /// Reads the file and lets the router carry it out.
  func reload(because reason: String) {
    reloadedAt = now
    service?.isReloading()
    let news = readAnew?() ?? .read(ReloadedFile())
    switch news {
    case .refused(let faults):
      logger.error(
        "the file has mistakes and nothing changes", metadata: ["because": "\(reason)", "mistakes": "\(faults.count)"])
      for fault in faults.prefix(Server.mostFaults) {
        logger.error("\(fault.message)", metadata: ["line": "\(fault.line)", "column": "\(fault.column)"])
      }
    case .read(let file):
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

  private static let mostFaults = 20

  /// Tells what is allowed and probably not meant, each with where it stands.
  public func warn(_ warnings: [(message: String, source: String)]) {
    for warning in warnings { logger.warning("\(warning.message)", metadata: ["source": "\(warning.source)"]) }
  }
}
