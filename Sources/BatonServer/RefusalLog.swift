internal import BatonCore
internal import Logging

/// Says in the log that newcomers are turned away: at once, and then at most every ten seconds, however many come.
struct RefusalLog {
  /// What there is too little of, and where to get more.
  enum Shortage: String {
    case connections =
      "max_connections is reached, new connections are refused: raise it with --set, and the limit of files (ulimit -n)"
    case requests =
      "max_http_connections is reached, new sockets of HTTP are refused: raise it with --set, and the limit of files"
    case files = "the limit of files is reached, new connections are refused: raise it (ulimit -n)"
  }

  private var nextAt = Instant(microseconds: .min)
  private var count = 0

  private static let pauseMilliseconds = 10_000

  /// Counts one newcomer that was turned away. `details` is called only if a line is written.
  mutating func note(_ shortage: Shortage, at now: Instant, in logger: Logger, details: () -> Logger.Metadata) {
    count += 1
    guard now >= nextAt else { return }
    nextAt = now.advanced(milliseconds: RefusalLog.pauseMilliseconds)
    logger.warning("\(shortage.rawValue)", metadata: details().merging(["refused": .stringConvertible(count)]) { $1 })
    count = 0
  }
}
