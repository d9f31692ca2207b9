/// The `code` of an error that a door of HTTP writes itself. Those that the router has too are spelled as in section 9
/// of the contract.
enum HTTPCode: String, CaseIterable, Sendable {
  case badRequest = "bad_request"
  case noSuchPage = "no_such_page"
  case badMethod = "bad_method"
  case badType = "bad_type"
  case wrongHost = "wrong_host"
  case headTooLong = "head_too_long"
  case foreignPage = "foreign_page"
  case badJSON = "bad_json"
  case tooDeep = "too_deep"
  case lineTooLong = "line_too_long"
  case lineTimeout = "line_timeout"
  case missingMember = "missing_member"
  case badMember = "bad_member"
  case unknownMember = "unknown_member"
  case duplicateMember = "duplicate_member"
  case badName = "bad_name"
  case badTopic = "bad_topic"
  case authRequired = "auth_required"
  case authFailed = "auth_failed"
  case busy
  case storeFailed = "store_failed"
  case draining
  case notLeading = "not_leading"
  case tooManyConnections = "too_many_connections"
  case tooSlow = "too_slow"
  case closedByPeer = "closed_by_peer"
}
