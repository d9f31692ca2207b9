import BatonClient

/// One thing that the doctor has checked. Its members have the names of the server's own findings (contract, section 8,
/// `Findings`).
struct Finding: Decodable {
  /// How bad it is. The server tells only the last two.
  enum Level: String, Decodable {
    case ok, warning, wrong

    /// A newer server may know more levels.
    init(from decoder: any Decoder) throws {
      self = (try? decoder.singleValueContainer().decode(String.self)).flatMap(Level.init) ?? .warning
    }
  }

  let level: Level
  /// What was checked. It is one word, and stays the same.
  let what: String
  let chain: String?
  let handler: String?
  let connection: Int?
  let name: String?
  let limit: String?
  let sinceMilliseconds: Int?
  /// What was found.
  let why: String
  /// What to do.
  let next: String?

  enum CodingKeys: String, CodingKey {
    case level, what, chain, handler, connection, name, limit, why, next
    case sinceMilliseconds = "since_ms"
  }

  /// A finding of this program.
  init(_ level: Level, _ what: String, _ why: String, next: String? = nil) {
    self.level = level
    self.what = what
    self.why = why
    self.next = next
    (chain, handler, connection, name, limit, sinceMilliseconds) = (nil, nil, nil, nil, nil, nil)
  }

  /// The link, connection or limit that it is about; empty if it is about none.
  var subject: String {
    if let handler { return "\(chain ?? "main")/\(handler)" }
    if let connection { return "connection \(connection)" + (name.map { " (\($0))" } ?? "") }
    return limit ?? chain ?? ""
  }

  /// For people, without the mark: `breaker main/words: 5 timeouts of 200 ms (for 12 s)`.
  var sentence: String {
    let since = sinceMilliseconds.map { " (for \(Figures.milliseconds($0)))" } ?? ""
    return "\(what)\(subject.isEmpty ? "" : " \(subject)"): \(why)\(since)"
  }

  /// For programs: level, what, the subject, why, what to do.
  var fields: String { tabbed([level.rawValue, what, subject, why, next ?? ""]) }

  /// A finding of this program as JSON.
  var json: String {
    let members = [("level", level.rawValue), ("what", what), ("why", why)] + (next.map { [("next", $0)] } ?? [])
    return "{" + members.map { "\"\($0)\":\(Payload(text: $1).json)" }.joined(separator: ",") + "}"
  }

  /// What stands before it for people.
  var mark: String {
    switch level {
    case .ok: Paint.output(Glyphs.current.ok, .green)
    case .warning: Paint.output(Glyphs.current.warning, .yellow)
    case .wrong: Paint.output(Glyphs.current.wrong, .red)
    }
  }
}

extension Finding {
  /// What a finding about the server's certificate checks.
  static let certificate = "certificate"

  /// How long the server's certificate is good, which ends so many seconds after 1970.
  init(certificateUntil end: Int) {
    let days = max(end - WallClock.now.seconds, 0) / 86_400
    let text = "the server's certificate is good for \(counted(days, "more day", "more days"))"
    if days < 14 {
      self.init(
        .warning, Finding.certificate, text,
        next: "put a new one in its place, and let the server read it: baton reload")
    } else {
      self.init(.ok, Finding.certificate, text)
    }
  }

  /// Why the server could not be checked.
  init(unreached error: BatonError, at place: String) {
    switch error {
    case .refused("not_allowed", let message):
      self.init(
        .wrong, "rights", "the server at \(place) answers, and tells this peer nothing: \(message) (not_allowed)",
        next: Finding.remedy(for: "not_allowed"))
    case .refused(let code, let message):
      self.init(
        .wrong, "reachable", "the server at \(place) refuses: \(message) (\(code))", next: Finding.remedy(for: code))
    case .notAPlace: self.init(.wrong, "reachable", error.description, next: "give another place with --server")
    case .badToken, .badTLS: self.init(.wrong, "reachable", error.description)
    case .unreachable where error.faultOfEncryption != nil:
      let fault = error.faultOfEncryption
      self.init(
        .wrong, "encryption", "\(place): \(fault?.what ?? "")",
        next: fault?.help ?? "read the server's log: it says once a minute why encryption fails")
    default:
      self.init(
        .wrong, "reachable", "\(place): \(error.description)",
        next: "start one with baton serve, or give its place with --server or BATON_SERVER")
    }
  }

  private static func remedy(for code: String) -> String {
    switch code {
    case "draining": "wait until it is back, or give another place with --server"
    case "not_leading": "give the place of the one that leads, or all places with commas between them, with --server"
    case "too_many_connections": "close some, or allow more: ulimit -n, and baton serve --set max_connections=N"
    case "not_allowed": "ask the server's operator for this right, or use another token"
    case "auth_required", "auth_failed": "give the token of a peer that may see server: --token-file, or BATON_TOKEN"
    case "not_json_lines": "give its place as tls:HOST:PORT, or another place, with --server"
    default: "read the server's log"
    }
  }
}
