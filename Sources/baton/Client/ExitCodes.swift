import ArgumentParser
import BatonClient

/// What the program's exit code says. They are documented and kept.
extension ExitCode {
  /// Nobody answers at the server's place, or the connection was lost.
  static let unreachable = ExitCode(3)
  /// The message's deadline passed.
  static let timedOut = ExitCode(4)
  /// Every link continued, or none matched.
  static let unhandled = ExitCode(10)
  /// A handler said a final no.
  static let rejected = ExitCode(11)
  /// A link whose failure stops the walk failed.
  static let failed = ExitCode(12)
}

extension ExitCode {
  /// What `--help`, the manual and the README say of them.
  static let table: [(code: Int32, meaning: String)] = [
    (0, "handled, published, or done"),
    (1, "refused by the server, or anything else"),
    (3, "the server cannot be reached, or the connection was lost"),
    (4, "the time was up"),
    (10, "unhandled: nobody took the message"),
    (11, "rejected by a handler"),
    (12, "failed at a link that must not fail"),
    (64, "the command line is wrong"),
  ]
}

extension SendResult.Status {
  /// How a program ends whose message ended so.
  var exitCode: ExitCode {
    switch self {
    case .handled, .published: .success
    case .unhandled: .unhandled
    case .rejected: .rejected
    case .failed: .failed
    case .timeout: .timedOut
    }
  }
}

extension BatonError {
  /// How a program ends that met this.
  var exitCode: ExitCode {
    switch self {
    case .unreachable, .connectionLost: .unreachable
    case .notAPlace, .notJSON: .validationFailure
    case .notHandled(let result): result.status.exitCode
    case .closed, .refused: .failure
    }
  }
}
