import ArgumentParser
import BatonClient

/// The program's exit codes. They are documented and do not change.
extension ExitCode {
  /// `baton config diff`: the server refuses to compare.
  static let refused = ExitCode(2)
  /// `baton when`: it cannot be told whether the message fits.
  static let unknown = ExitCode(2)
  /// No server answers at that place, or the connection was lost.
  static let unreachable = ExitCode(3)
  /// The message's deadline passed.
  static let timedOut = ExitCode(4)
  /// Ctrl-C has cancelled the message.
  static let interrupted = ExitCode(130)
  /// Every link continued, or none matched.
  static let unhandled = ExitCode(10)
  /// A handler rejected the message.
  static let rejected = ExitCode(11)
  /// A link whose failure stops the walk failed.
  static let failed = ExitCode(12)
  /// A durable message is a dead letter.
  static let dead = ExitCode(13)
}

extension ExitCode {
  /// The exit codes as `--help`, the manual and the README show them.
  static let table: [(code: Int32, meaning: String)] = [
    (0, "handled, published, or done"),
    (1, "refused by the server, another error, or ended by a second signal"),
    (2, "baton config diff: refused by the server; baton when: unknown"),
    (3, "the server cannot be reached, or the connection was lost"),
    (4, "timed out, or no answer came in time"),
    (10, "unhandled: no handler took the message"),
    (11, "rejected by a handler"),
    (12, "failed at a link that must not fail"),
    (13, "dead: no attempt of a durable message has brought it to an end"),
    (64, "the command line, the configuration file or its store is wrong"),
    (130, "interrupted: the message was cancelled; a durable one goes on"),
  ]
}

extension SendResult.Status {
  /// The exit code for a message that ended so.
  var exitCode: ExitCode {
    switch self {
    case .handled, .published: .success
    case .unhandled: .unhandled
    case .rejected: .rejected
    case .failed: .failed
    case .timeout: .timedOut
    case .cancelled: .interrupted
    }
  }
}

extension SendResult {
  /// The exit code for a message with this result.
  var exitCode: ExitCode { isDead ? .dead : status.exitCode }
}

extension BatonError {
  /// The exit code for this error.
  var exitCode: ExitCode {
    switch self {
    case .unreachable, .connectionLost: .unreachable
    case .notAPlace, .notJSON, .badToken, .badTLS: .validationFailure
    case .notHandled(let result): result.exitCode
    case .noAnswer: .timedOut
    case .closed, .refused, .backlogFull, .notAGuard: .failure
    }
  }
}
