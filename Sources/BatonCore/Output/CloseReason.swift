/// Why the server ends a connection: one closed set, so that every end has a name in the log and a test.
public enum CloseReason: String, CaseIterable, Sendable {
  /// The peer shut down its writing side, and everything that it was owed has been said (contract, section 2).
  case finished
  /// A line went over `max_line`.
  case lineTooLong = "line_too_long"
  /// A line was begun and not ended within `line_timeout_ms`, or was the oldest when unfinished lines took too much.
  case lineTimeout = "line_timeout"
  /// The first byte was no JSON line's: HTTP, TLS or something else.
  case notJSONLines = "not_json_lines"
  /// More than `max_errors` errors about form within `errors_ms`.
  case tooManyErrors = "too_many_errors"
  /// The server has no room for another connection.
  case tooManyConnections = "too_many_connections"
  /// The peer does not read what it is sent.
  case tooSlow = "too_slow"
  /// The peer said nothing through three times its own `heartbeat_ms`.
  case idle
  /// The server is going.
  case draining
}
