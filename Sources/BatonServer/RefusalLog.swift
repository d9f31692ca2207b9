internal import BatonCore
internal import Logging

/// Says in the log that newcomers are turned away, or sockets closed, and why: at once, and then at most every ten seconds
/// for each reason, however many they are.
struct RefusalLog {
  /// What there is too little of, and where to get more.
  enum Shortage: String {
    case connections =
      "max_connections is reached, new connections are refused: raise it with --set, and the limit of files (ulimit -n)"
    case requests =
      "max_http_connections is reached, new sockets of HTTP are refused: raise it with --set, and the limit of files"
    case unsent =
      "answers that clients of HTTP do not read reach max_total_unsent_bytes, the sockets with the most are closed"
    case files = "the limit of files is reached, new connections are refused: raise it (ulimit -n)"
  }

  private struct Pause {
    var nextAt = Instant(microseconds: .min)
    var count = 0
  }

  private var pauses: [Shortage: Pause] = [:]

  private static let pauseMilliseconds = 10_000

  /// Counts one that was turned away. `details` is called only if a line is written.
  mutating func note(_ shortage: Shortage, at now: Instant, in logger: Logger, details: () -> Logger.Metadata) {
    var pause = pauses[shortage] ?? Pause()
    defer { pauses[shortage] = pause }
    pause.count += 1
    guard now >= pause.nextAt else { return }
    pause.nextAt = now.advanced(milliseconds: RefusalLog.pauseMilliseconds)
    let count: Logger.Metadata = ["refused": .stringConvertible(pause.count)]
    logger.warning("\(shortage.rawValue)", metadata: details().merging(count) { $1 })
    pause.count = 0
  }
}
