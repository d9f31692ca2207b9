internal import BatonCore
internal import Logging
internal import UV

/// Reads the configuration file anew, when a peer asks for it or at SIGHUP. One file or text is read at a time.
extension Server {
  /// How far the reading is.
  struct Reloads {
    /// When the latest reading began.
    var begunAt: Instant?
    /// The reading that is under way, and what follows it.
    var reading: FileReading?
    var end: (() -> Void)?
    /// Readings that were given up and are not over: their disks do not answer.
    var hanging: [FileReading] = []
    /// Comes when a reading is over.
    var wake: Wakeup?
    /// Ends the patience with a reading.
    var patience: Timer?
    /// Why the file is to be read once more when this reading is over; nil if it is not.
    var again: String?
    /// Sleeps until the next reading.
    var timer: Timer?

    /// Whether a file or a text is being read.
    var isReading: Bool { reading != nil }

    /// Opens what the loop needs for it.
    mutating func open(for server: Server) throws(UVError) {
      timer = try Timer(on: server.loop) { [unowned server] in server.reloadIfWanted() }
      wake = try Wakeup(on: server.loop) { [unowned server] in server.readingMayBeOver() }
      patience = try Timer(on: server.loop) { [unowned server] in server.giveUpReading() }
    }

    /// Nothing of it keeps the loop running any more. A reading that hangs ends with the process.
    mutating func close() {
      timer?.close()
      wake?.close()
      patience?.close()
      end = nil
    }
  }

  /// Milliseconds between two readings: who asks more often waits.
  private static let reloadPause = 1000

  /// A peer may wait for the file to be read, or for a text to be checked: then that begins.
  func reloadIfWanted() {
    let wantsReload = router.pointee.wantsReload
    guard wantsReload || router.pointee.wantsCheck, !reloads.isReading else { return }
    let due = reloads.begunAt.map { $0.advanced(milliseconds: Server.reloadPause) }
    if let due, due > now {
      reloads.timer?.set(microseconds: due.microseconds)
    } else if wantsReload {
      reload(because: "a peer asked for it")
    } else {
      check()
    }
  }

  /// Tells a peer what the text of a file would change.
  private func check() {
    guard let text = router.pointee.textToCheck() else { return }
    read(text) { [unowned self] news in router.pointee.checked(news, at: now) }
  }

  /// Reads the file and lets the router carry it out. If another reading is under way, it follows.
  func reload(because reason: String) {
    guard !reloads.isReading else { return reloads.again = reason }
    router.pointee.reloadBegins()
    service?.isReloading()
    read(nil) { [unowned self] news in
      tell(news, because: reason)
      router.pointee.reload(news, at: now)
      service?.hasReloaded(news)
      // A peer that asks for reloads again and again does not keep others from their checks.
      check()
    }
  }

  /// Reads a text, or the file.
  private func read(_ text: [UInt8]?, end: @escaping (ReloadNews) -> Void) {
    reloads.begunAt = now
    guard let file else {
      // A file that says nothing would let everybody do everything.
      let nothing = "this server has nothing to read anew"
      return end(text == nil ? .refused(nothing) : .read(ReloadedFile()))
    }
    read(file, text, end: end)
  }

  private func tell(_ news: ReloadNews, because reason: String) {
    switch news {
    case .refused(let faults):
      logger.error(
        "the file has mistakes and nothing changes", metadata: ["because": "\(reason)", "mistakes": "\(faults.count)"])
      for fault in faults.prefix(Server.mostFaults) {
        logger.error("\(fault.message)", metadata: ["line": "\(fault.line)", "column": "\(fault.column)"])
      }
    case .read(let file):
      if let settings = file.settings { take(settings) }
      logger.notice(
        "the file was read anew",
        metadata: [
          "because": "\(reason)", "changed": "\(file.changed.joined(separator: ", "))",
          "restart": "\(file.restart.joined(separator: ", "))",
        ])
    }
  }

  private static let mostFaults = 20

  /// Tells what is allowed and probably not meant, each with where it stands.
  public func warn(_ warnings: [(message: String, source: String)]) {
    for warning in warnings { logger.warning("\(warning.message)", metadata: ["source": "\(warning.source)"]) }
  }
}
