import Foundation

/// One run of `baton serve` on a port that the kernel chooses.
package final class ServerProcess {
  /// The port that it listens on.
  package let port: UInt16
  private let process = Process()
  private let ended = DispatchSemaphore(value: 0)
  private let logPath: String

  /// Starts the program and returns when it listens. `settings` are `name=value`; `options` are further words of the
  /// command line.
  package init(program: String, settings: [String], options: [String] = []) throws {
    logPath = NSTemporaryDirectory() + "baton-\(UUID().uuidString).log"
    guard FileManager.default.createFile(atPath: logPath, contents: nil),
      let log = FileHandle(forWritingAtPath: logPath)
    else { throw StageError("cannot write \(logPath)") }
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["serve", "--port", "0"] + settings.flatMap { ["--set", $0] } + options
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = log
    process.terminationHandler = { [ended] _ in ended.signal() }
    do { try Self.run(process) } catch { throw StageError("cannot start \(program): \(error)") }
    try? output.fileHandleForWriting.close()
    guard let port = Self.port(announcedOn: output.fileHandleForReading) else {
      process.terminate()
      let log = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
      throw StageError("the program names no port: \(log)")
    }
    self.port = port
  }

  deinit { try? FileManager.default.removeItem(atPath: logPath) }

  /// What it wrote to its log so far.
  package var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

  /// Its number in the system.
  package var processIdentifier: Int32 { process.processIdentifier }

  /// True until it has ended.
  package var isRunning: Bool { process.isRunning }

  /// Tells it to go in good order.
  package func terminate() { process.terminate() }

  /// Its exit status, once it has ended; nil if it has not within that time. A signal's number counts negative.
  package func exitStatus(within milliseconds: Int) -> Int32? {
    guard ended.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
    ended.signal()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Ends it whatever it does.
  package func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    ended.wait()
    ended.signal()
  }

  /// A program inherits which signals are blocked, and the threads that tests run on block them all.
  private static func run(_ process: Process) throws {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
  }

  /// The port of the line `listening on tcp 127.0.0.1:PORT`.
  private static func port(announcedOn output: FileHandle) -> UInt16? {
    var text = ""
    while true {
      let data = output.availableData
      if data.isEmpty { return nil }
      text += String(decoding: data, as: UTF8.self)
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        guard let place = line.dropping(prefix: "listening on tcp 127.0.0.1:") else { continue }
        return UInt16(place.trimmed)
      }
    }
  }
}
