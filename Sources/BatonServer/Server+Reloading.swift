internal import BatonCore
internal import Logging
private import Synchronization
internal import UV

/// Reads the operator's file anew, when a peer asks for it or at SIGHUP. One file or text is read at a time.
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

  /// Milliseconds that a reading may take.
  private static let readingPatience = 5000
  /// So many readings may hang, each with a thread. Who may only have texts checked leaves some to the file.
  private static let mostHanging = (texts: 2, all: 4)

  private func read<File: OperatorsFile>(_ file: File, _ text: [UInt8]?, end: @escaping (ReloadNews) -> Void) {
    reloads.hanging.removeAll(where: \.isOver)
    let most = text == nil ? Server.mostHanging.all : Server.mostHanging.texts
    guard reloads.hanging.count < most else {
      return end(.refused("earlier readings still wait for a disk; see that it answers, or start the server anew"))
    }
    let (reading, place) = (FileReading(), ContentPlace<File.Content>())
    let (work, wake) = (file.reading(of: text), reloads.wake?.sender)
    let hasBegun = SideThread.start(stack: .large) {
      SideThread.stepBack()
      place.content = work()
      reading.finish()
      wake?.wake()
    }
    guard hasBegun else { return end(.refused("the system has no thread left to read the file; try it again")) }
    reloads.reading = reading
    reloads.patience?.set(microseconds: now.advanced(milliseconds: Server.readingPatience).microseconds)
    reloads.end = {
      guard reading.isOver, let content = place.content else { return end(.refused(Server.hangs)) }
      end(file.take(content))
    }
  }

  /// Whether a thread still reads, after the end perhaps: what it uses must not be taken away.
  public var hasReadingThread: Bool {
    ([reloads.reading].compactMap(\.self) + reloads.hanging).contains { !$0.isOver }
  }

  private static let hangs =
    "the file, or one that it names, could not be read within \(readingPatience / 1000) s; see that its disk answers"

  /// A thread is done with a reading: perhaps with one that was given up.
  func readingMayBeOver() { if reloads.reading?.isOver == true { endReading() } }

  /// Who waits for the reading is told so, and the next one begins. Its thread may stay for ever.
  func giveUpReading() {
    guard let reading = reloads.reading else { return }
    if !reading.isOver { reloads.hanging.append(reading) }
    endReading()
  }

  private func endReading() {
    let end = reloads.end
    (reloads.reading, reloads.end) = (nil, nil)
    reloads.patience?.unset()
    end?()
    if let again = reloads.again {
      reloads.again = nil
      reload(because: again)
    }
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

/// A reading on a thread of its own, which may wait for a disk for ever.
final class FileReading: Sendable {
  private let state = Atomic(false)

  var isOver: Bool { state.load(ordering: .acquiring) }

  func finish() { state.store(true, ordering: .releasing) }
}

extension ReloadNews {
  /// Refused for a reason that stands at no place of the file.
  fileprivate static func refused(_ words: String) -> ReloadNews {
    .refused([ConfigurationFault(line: 1, column: 1, message: words)])
  }
}

/// Where a reading puts what it has read. The thread that reads is done with it before the loop looks.
private final class ContentPlace<Content: Sendable>: @unchecked Sendable {
  var content: Content?
}
