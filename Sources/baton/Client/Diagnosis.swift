import BatonClient
import BatonCore
import BatonServer

/// What only a client sees of the server, and what the server says of its limits.
struct Diagnosis {
  /// An answer that takes longer is a warning.
  private static let slow = Duration.seconds(1)

  private let welcome: Welcome
  /// Nil if this peer may not see it.
  private let server: Server?
  private let roundTrip: Duration

  private struct Welcome: Decodable {
    let server, version: String
    let `protocol`: Int
  }

  private struct Inspected: Decodable { let server: Server }

  /// Only what is checked: a server of another version may not have the rest.
  private struct Server: Decodable {
    let connections, file_limit, uptime_ms: Int
    let draining: Bool?
    let limits: [String: Int]?
    let limits_lowered_by: String?
  }

  init(welcome: Payload, inspected: Payload?, roundTrip: Duration) throws {
    do {
      self.welcome = try welcome.decode(Welcome.self)
      server = try inspected?.decode(Inspected.self).server
    } catch is DecodingError {
      throw BatonError.unreachable("the answer does not come from a Baton server that this program knows")
    }
    self.roundTrip = roundTrip
  }

  func findings(at place: String) -> [Finding] {
    let reached = Finding(.ok, "reachable", "\(welcome.server) \(welcome.version) answers at \(place)")
    guard let server else { return [reached, version, clock, Self.unseen] }
    return [reached, version, clock, Self.files(server), Self.limits(server), Self.draining(server)]
  }

  private static let unseen = Finding(
    .warning, "rights", "you see what is wrong with chains, and not with the server: its limits, disk and connections",
    next: "ask the server's operator for the right: see server")

  private var version: Finding {
    let (ours, theirs) = (Settings.protocolVersion, welcome.protocol)
    if ours != theirs {
      return Finding(
        .wrong, "version", "the server speaks protocol \(theirs), this program speaks protocol \(ours)",
        next: "use the baton that came with the server, version \(welcome.version)")
    }
    if welcome.version == Settings.version {
      return Finding(.ok, "version", "protocol \(ours), the same as this program")
    }
    return Finding(
      .warning, "version",
      "the server has version \(welcome.version), this program \(Settings.version); both speak protocol \(ours)",
      next: "if something does not work, install the same version")
  }

  private var clock: Finding {
    let up = server.map { "; up for \(Figures.milliseconds($0.uptime_ms))" } ?? ""
    let text = "an answer takes \(roundTrip.words)\(up)"
    return roundTrip < Diagnosis.slow
      ? Finding(.ok, "clock", text)
      : Finding(
        .warning, "clock", text, next: "the server or the network is busy; baton top shows what the server does")
  }

  private static func files(_ server: Server) -> Finding {
    let room = max(server.file_limit - FileLimit.reserve, 1)
    let settings = Settings()
    let wanted =
      FileLimit.files(forConnections: settings.maxConnections) + FileLimit.files(forHTTP: settings.maxHTTPConnections)
    let text = "\(counted(server.connections, "connection", "connections")), room for \(room)"
    let next = "ulimit -n \(wanted + FileLimit.reserve) before baton serve, or LimitNOFILE= in its systemd unit"
    return room < wanted ? Finding(.warning, "files", text, next: next) : Finding(.ok, "files", text)
  }

  /// The limits on what all peers take together.
  private static func limits(_ server: Server) -> Finding {
    let known = Settings.totals.compactMap { total in
      server.limits?[total.name].map { "\(total.name) \(total.isBytes ? Figures.bytes($0) : "\($0)")" }
    }
    let text = known.isEmpty ? "the server does not tell them" : known.joined(separator: ", ")
    guard let short = server.limits_lowered_by else { return Finding(.ok, "limits", text) }
    let reason = ShortMemory(rawValue: short)?.words ?? "there is little \(short)"
    return Finding(
      .warning, "limits", "\(text): they were lowered, because \(reason)",
      next: "give the server more memory, or choose the limits yourself with --set")
  }

  private static func draining(_ server: Server) -> Finding {
    server.draining == true
      ? Finding(
        .wrong, "draining", "the server is shutting down",
        next: "wait until it is back, or give another place with --server")
      : Finding(.ok, "draining", "no: the server accepts messages")
  }
}
