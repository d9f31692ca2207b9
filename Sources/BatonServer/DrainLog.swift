internal import BatonCore
internal import Logging
internal import UV

/// Says in the log how the server ends: what it finishes, what it still waits for every few seconds, and how long it
/// took.
final class DrainLog {
  private unowned let server: Server
  private var timer: Timer?
  private var began: Instant?

  private static let pauseMilliseconds = 5000

  init(of server: Server) throws(UVError) {
    self.server = server
    timer = try Timer(on: server.loop) { [unowned self] in goOn() }
  }

  /// The server begins to drain.
  func begin(on signal: String, at now: Instant) {
    began = now
    let report = server.router.pointee.drainReport(at: now)
    var metadata = DrainLog.metadata(report)
    metadata["signal"] = .string(signal)
    let words =
      report.messages > 0
      ? "finishing \(DrainLog.count(report.messages, "message"))"
      : "ending, no message is under way" + (report.waitsForStore ? ", and the store has not written all" : "")
    server.logger.notice("\(words); a second signal ends the server at once", metadata: metadata)
    wait(from: now)
  }

  /// Nothing is left. The server had finished its work, or was told to leave it.
  func end(_ hasFinishedWork: Bool) {
    guard let began else { return }
    let tenths = (server.now.milliseconds(since: began) + 50) / 100
    let time = "\(tenths / 10).\(tenths % 10) s"
    server.logger.notice(hasFinishedWork ? "done in \(time)" : "ended after \(time), before everything was finished")
  }

  func close() {
    timer?.close()
    timer = nil
  }

  private func wait(from now: Instant) {
    timer?.set(microseconds: now.advanced(milliseconds: DrainLog.pauseMilliseconds).microseconds)
  }

  private func goOn() {
    let report = server.router.pointee.drainReport(at: server.now)
    let words =
      report.messages > 0
      ? "still waiting for \(DrainLog.count(report.messages, "message"))"
      : "all messages are finished; still waiting for "
        + (report.waitsForStore ? "the store" : DrainLog.count(report.connections, "connection"))
    var metadata = DrainLog.metadata(report)
    if report.readers > 0 {
      metadata["readers"] = .stringConvertible(report.readers)
      metadata["unsent"] = .stringConvertible(report.unsentBytes)
    }
    server.logger.notice("\(words)", metadata: metadata)
    wait(from: server.now)
  }

  private static func metadata(_ report: DrainReport) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "connections": .stringConvertible(report.connections), "left_ms": .stringConvertible(report.milliseconds),
    ]
    if !report.places.isEmpty { metadata["at"] = .string(report.places.joined(separator: ", ")) }
    return metadata
  }

  private static func count(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}
