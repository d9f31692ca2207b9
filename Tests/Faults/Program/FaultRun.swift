import Foundation
import ProgramKit

/// What went wrong in a run.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// One life of the program with calls that fail.
struct FaultRun {
  let shim: Shim
  let program: String
  let faults: Faults
  let times: Int
  let household: Household

  /// How it went.
  struct Outcome: Sendable {
    /// Whether the program did not even start, and said why.
    var isRefusedStart = false
    var failed: [String] = []
    var calls: Int?
    /// The scenes in which peers noticed something.
    var disturbances: [String] = []
    /// Kilobytes of memory, after each time that everything was played.
    var memory: [Int] = []
    /// What went wrong; nil if nothing did.
    var failure: String?
    var log: [String] = []
  }

  private static let settings = [
    // Waits are short, and limits are low.
    "linger_ms=1", "max_connections=24", "events_unsent_bytes=100000", "reading_unsent_bytes=3000000",
  ]

  /// Plays the program's life to its end.
  func play() throws -> Outcome {
    let name = UUID().uuidString.prefix(13)
    let (report, socket) = (shim.path("\(name).report"), shim.path("\(name)"))
    let folder = shim.path("\(name).files")
    let file = try household.furnish(folder)
    defer { for path in [report, folder] { try? FileManager.default.removeItem(atPath: path) } }
    let server = try Program(
      [
        "serve", "--config", file, "--listen", "127.0.0.1:0", "--listen", "tls:127.0.0.1:0", "--listen",
        "unix:\(socket)",
      ]
        + FaultRun.settings.flatMap { ["--set", $0] },
      environment: shim.environment(failing: faults, report: report), path: program)
    var outcome = Outcome()
    var world: World?
    do {
      let places = server.places()
      outcome.isRefusedStart = places.count < 3
      if !outcome.isRefusedStart {
        let played = World(server, household, folder: folder, places: places, allowedLosses: faults.allowedLosses)
        world = played
        try played.play(times: times)
        try played.end()
      }
    } catch {
      outcome.failure = "\(error)"
      server.send(SIGKILL)
    }
    outcome.disturbances = world?.disturbances ?? []
    outcome.memory = world?.memory ?? []
    // Connections of peers that are still there would keep a draining server from ending.
    world = nil
    outcome.log = server.remainingErrorLines()
    let status = server.wait()
    let told = ShimReport(path: report)
    outcome.failed = told.failed.map(String.init)
    outcome.calls = told.calls
    outcome.failure = outcome.failure ?? FaultRun.faultOfTheEnd(outcome, status: status, socket: socket)
    return outcome
  }

  /// What is wrong with how the program ended.
  private static func faultOfTheEnd(_ outcome: Outcome, status: Int32, socket: String) -> String? {
    if outcome.isRefusedStart {
      // What is wrong with the files, such as a certificate that cannot be read, is a mistake of whoever starts it.
      let isMistake = status == 64
      if status != 1, !isMistake { return "it does not start and ends with status \(status) instead of 1 or 64" }
      if outcome.log.count != 1 || !isMistake && outcome.log.first?.hasPrefix("Error: ") != true {
        return "it does not start and does not say why in one line"
      }
    } else if status != 0 {
      return "it ends with status \(status)"
    }
    return FileManager.default.fileExists(atPath: socket) ? "its socket stays behind" : nil
  }
}

extension Faults {
  /// A call that fails may end one connection at most.
  fileprivate var allowedLosses: Int {
    switch self {
    case .one: 1
    case .every: .max
    case .none: 0
    }
  }
}
