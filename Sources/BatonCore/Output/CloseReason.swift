/// Why the server ends a connection: a closed set, so that each end has a name in the log and a test.
public enum CloseReason: String, CaseIterable, Sendable {
  /// The peer shut down its writing side, and the server has written everything that it owed to the peer (contract,
  /// section 2).
  case finished
  /// A line was longer than `max_line`.
  case lineTooLong = "line_too_long"
  /// A line was begun but not ended within `line_timeout_ms`, or its bytes × age were most when all unfinished lines took
  /// more than `max_unfinished_bytes`.
  case lineTimeout = "line_timeout"
  /// The first byte cannot begin a line of JSON. The peer may speak HTTP, TLS or another protocol.
  case notJSONLines = "not_json_lines"
  /// The peer made more than `max_errors` errors of form within `errors_ms`.
  case tooManyErrors = "too_many_errors"
  /// The server already has `max_connections` connections.
  case tooManyConnections = "too_many_connections"
  /// The peer does not read what the server sends, or never answers its offers.
  case tooSlow = "too_slow"
  /// Nothing came from the peer for three times its own `heartbeat_ms`, or for `make_room_ms` while the server needed
  /// room.
  case idle
  /// Another peer closed it (`close`).
  case closedByPeer = "closed_by_peer"
  /// It did not say who it is, or asked for something before (contract, section 11).
  case authRequired = "auth_required"
  /// Its token, its certificate or its user names nobody, or somebody else.
  case authFailed = "auth_failed"
  /// The configuration file was read anew, and names somebody else for it, or nobody.
  case identityChanged = "identity_changed"
  /// The server is shutting down.
  case draining
  /// The server is a spare, and another one leads.
  case notLeading = "not_leading"
}
