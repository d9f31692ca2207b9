/// What programs switch on in an `error` line: the closed set of the contract's section 9, as far as it is here.
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
  case linkMismatch = "link_mismatch"
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

  /// Whether the error is about a line's form, or about an offer that never was: those count towards
  /// `too_many_errors`.
  var isAboutForm: Bool {
    switch self {
    case .badJSON, .tooDeep, .missingMember, .badMember, .unknownMember, .duplicateMember, .unknownOp, .badTopic,
      .badPattern, .badName, .unknownOffer:
      true
    default: false
    }
  }
}

/// Why a line is refused: the code for programs, the sentence for people (what, where, how to mend it).
struct Fault: Error {
  var code: ErrorCode
  var message: String
  /// The offer that it is about, where the line does not name it itself.
  var offer: Int?

  init(_ code: ErrorCode, _ message: String, offer: Int? = nil) {
    self.code = code
    self.message = message
    self.offer = offer
  }
}
