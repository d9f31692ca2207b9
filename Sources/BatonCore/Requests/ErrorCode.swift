/// The `code` of an `error` line, for programs: the closed set of the contract. Section 9 says when each one is sent.
public enum ErrorCode: String, CaseIterable, Sendable {
  case badJSON = "bad_json"
  case tooDeep = "too_deep"
  case lineTooLong = "line_too_long"
  case lineTimeout = "line_timeout"
  case notJSONLines = "not_json_lines"
  case missingMember = "missing_member"
  case badMember = "bad_member"
  case unknownMember = "unknown_member"
  case duplicateMember = "duplicate_member"
  case unknownOp = "unknown_op"
  case badTopic = "bad_topic"
  case badPattern = "bad_pattern"
  case badName = "bad_name"
  case nameTaken = "name_taken"
  case noSuchHandler = "no_such_handler"
  case noSuchMount = "no_such_mount"
  case noSuchConnection = "no_such_connection"
  case linkMismatch = "link_mismatch"
  case notAllowed = "not_allowed"
  case mountCycle = "mount_cycle"
  case unknownOffer = "unknown_offer"
  case lateVerdict = "late_verdict"
  case busy
  case limitReached = "limit_reached"
  case draining
  case tooManyErrors = "too_many_errors"
  case tooManyConnections = "too_many_connections"
  case tooSlow = "too_slow"
  case idle
  case closedByPeer = "closed_by_peer"
  case authRequired = "auth_required"
  case authFailed = "auth_failed"
  case identityChanged = "identity_changed"
  case badConfiguration = "bad_config"
  case noStore = "no_store"
  case notDeclared = "not_declared"
  case storeFailed = "store_failed"
  case storeFull = "store_full"
  case onceMismatch = "once_mismatch"
  case noSuchMessage = "no_such_message"
  case damaged

  /// Whether the error is about the form of a line, or about an offer that never was there. These errors count towards
  /// `too_many_errors` (section 9).
  var isAboutForm: Bool {
    switch self {
    case .badJSON, .tooDeep, .missingMember, .badMember, .unknownMember, .duplicateMember, .unknownOp, .badTopic,
      .badPattern, .badName, .unknownOffer:
      true
    default: false
    }
  }
}

/// Why the server refuses a line: a code for programs, and a sentence for people that says what is wrong, where, and
/// how to mend it.
struct Fault: Error {
  var code: ErrorCode
  var message: String
  /// The offer that the error is about, if the line itself does not name it.
  var offer: Int?
  /// The right that is missing, as the operator's file would spell it; nil if the fault is another one.
  var right: String?

  init(_ code: ErrorCode, _ message: String, offer: Int? = nil) {
    self.code = code
    self.message = message
    self.offer = offer
  }
}
