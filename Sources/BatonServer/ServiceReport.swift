internal import BatonCore
internal import UV

/// Tells the service manager when the server listens, reads its file anew and ends, and in a line how it is. It decides
/// nothing.
final class ServiceReport {
  private unowned let server: Server
  private let socket: NotifySocket
  private let watchdogMicroseconds: Int64?
  private var timer: Timer?
  /// Mistakes of the last reload; 0 if it was carried out, or there was none.
  private var mistakes = 0
  private var lastStatus = ""

  /// Microseconds between two looks at how the server is.
  private static let pauseMicroseconds: Int64 = 5_000_000

  init(of server: Server, to manager: ServiceManager) throws(UVError) {
    self.server = server
    socket = NotifySocket(manager.socket)
    watchdogMicroseconds = manager.watchdogMicroseconds
    timer = try Timer(on: server.loop) { [unowned self] in goOn() }
  }

  func isReady() {
    lastStatus = status
    socket.tell("READY=1", "STATUS=\(lastStatus)")
    wait()
  }

  func isReloading() {
    socket.tell("RELOADING=1", "MONOTONIC_USEC=\(MonotonicClock.microseconds)", "STATUS=reading the file anew")
  }

  func hasReloaded(_ news: ReloadNews) {
    if case .refused(let faults) = news { mistakes = max(faults.count, 1) } else { mistakes = 0 }
    if !server.isDraining { isReady() }
  }

  func isStopping() {
    lastStatus = status
    socket.tell("STOPPING=1", "STATUS=\(lastStatus)")
  }

  func close() { timer?.close() }

  private func goOn() {
    if watchdogMicroseconds != nil { socket.tell("WATCHDOG=1") }
    let status = status
    if status != lastStatus { socket.tell("STATUS=\(status)") }
    lastStatus = status
    wait()
  }

  /// Half of the time after which the manager would take the server for stuck is early enough.
  private func wait() {
    let pause = min(ServiceReport.pauseMicroseconds, (watchdogMicroseconds ?? .max) / 2)
    timer?.set(microseconds: MonotonicClock.microseconds + pause)
  }

  private var status: String {
    guard !server.isDraining else {
      let report = server.router.pointee.drainReport(at: server.now)
      return "draining: messages under way: \(report.messages), connections: \(report.connections)"
    }
    let refused = mistakes > 0 ? "; the last reload was refused (mistakes: \(mistakes))" : ""
    return "connections: \(server.openConnections)\(refused)"
  }
}

extension Server {
  /// Tells the service manager how the server is, from now on.
  public func report(to manager: ServiceManager) throws(StartError) {
    do { service = try ServiceReport(of: self, to: manager) } catch { throw StartError(error) }
  }
}
