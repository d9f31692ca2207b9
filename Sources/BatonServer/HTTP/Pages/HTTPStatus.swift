internal import BatonCore

/// The statuses of HTTP that the doors answer with.
enum HTTPStatus {
  /// The status that an error's `code` means, of the router's errors and of the door's own. Codes that are not named
  /// are 400: the request was wrong.
  static func of(code: String) -> Int {
    switch code {
    case "auth_required", "auth_failed": 401
    case "not_allowed", "foreign_page": 403
    case "no_such_page", "no_such_message": 404
    case "bad_method": 405
    case "line_timeout": 408
    case "once_mismatch", "not_declared", "damaged": 409
    case "line_too_long": 413
    case "bad_type": 415
    case "wrong_host": 421
    case "limit_reached": 429
    case "head_too_long": 431
    case "busy", "too_many_connections", "draining", "no_store", "store_failed", "store_full", "record_failed",
      "closed_by_peer", "too_slow", "idle", "identity_changed", "not_leading", "no_spare":
      503
    case "loop": 508
    default: 400
    }
  }

  /// The status that a result's `status` means.
  static func of(_ result: Outcome.Status) -> Int {
    switch result {
    case .handled, .published: 200
    case .unhandled: 404
    case .rejected: 422
    case .failed, .timeout, .cancelled: 500
    }
  }

  /// The words behind the number in the first line of an answer.
  static func reason(_ status: Int) -> StaticString {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 202: "Accepted"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    case 508: "Loop Detected"
    default: "Answer"
    }
  }
}
