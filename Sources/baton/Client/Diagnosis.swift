import BatonClient
import BatonCore
import BatonServer

/// What the server says of itself, and what that means.
struct Diagnosis {
  private let welcome: Welcome
  private let server: Server
  private let roundTrip: Duration

  private struct Welcome: Decodable {
    let server, version: String
    let `protocol`: Int
  }

  private struct Inspected: Decodable { let server: Server }

  /// Only what is checked: a server of another version may not have the rest.
  private struct Server: Decodable {
    let connections, open, open_bytes, unsent_bytes, memory_bytes, file_limit: Int
    let draining: Bool?
    let paused: [Paused]
    let limits: [String: Int]?
    let limits_lowered_by: String?
  }

  private struct Paused: Decodable {
    let connection, why: String
    let for_ms, open, unsent_bytes: Int
  }

  init(welcome: Payload, inspected: Payload, roundTrip: Duration) throws {
    do {
      self.welcome = try welcome.decode(Welcome.self)
      server = try inspected.decode(Inspected.self).server
    } catch is DecodingError {
      throw BatonError.unreachable("the answer does not come from a Baton server that this program knows")
    }
    self.roundTrip = roundTrip
  }

  func findings(at place: String) -> [Finding] {
    [
      Finding(.ok, "server", "\(welcome.server) \(welcome.version) answers at \(place) within \(roundTrip.words)"),
      version, files, memory, limits, draining,
    ] + paused
  }

  private var version: Finding {
    let (ours, theirs) = (Settings.protocolVersion, welcome.protocol)
    if ours != theirs {
      return Finding(
        .wrong, "version", "the server speaks protocol \(theirs), this program speaks protocol \(ours)",
        remedy: "use the baton that came with the server, version \(welcome.version)")
    }
    if welcome.version == Settings.version {
      return Finding(.ok, "version", "protocol \(ours), the same as this program")
    }
    return Finding(
      .note, "version",
      "the server has version \(welcome.version), this program \(Settings.version); both speak protocol \(ours)",
      remedy: "if something does not work, install the same version")
  }

  private var files: Finding {
    let room = max(server.file_limit - FileLimit.reserve, 1)
    let wanted = Settings().maxConnections
    let text = "\(counted(server.connections, "connection", "connections")), room for \(room)"
    let remedy = "ulimit -n \(wanted + FileLimit.reserve) before baton serve, or LimitNOFILE= in its systemd unit"
    if server.connections >= room - room / 10 { return Finding(.wrong, "files", text, remedy: remedy) }
    return room < wanted ? Finding(.note, "files", text, remedy: remedy) : Finding(.ok, "files", text)
  }

  private var memory: Finding {
    let held = server.open_bytes + server.unsent_bytes
    let text =
      "\(Figures.bytes(server.memory_bytes)), of which \(Figures.bytes(held)) for what is under way "
      + "(\(counted(server.open, "message", "messages")))"
    let isMuch = held >= (server.limits?["max_total_bytes"] ?? Settings().maxTotalBytes) / 2
    return isMuch
      ? Finding(.wrong, "memory", text, remedy: "handlers are slow or hang; baton chains shows where messages wait")
      : Finding(.ok, "memory", text)
  }

  /// The limits on what all peers take together.
  private var limits: Finding {
    let known = Settings.totals.compactMap { total in
      server.limits?[total.name].map { "\(total.name) \(total.isBytes ? Figures.bytes($0) : "\($0)")" }
    }
    let text = known.isEmpty ? "the server does not tell them" : known.joined(separator: ", ")
    guard let short = server.limits_lowered_by else { return Finding(.ok, "limits", text) }
    let reason = ShortMemory(rawValue: short)?.words ?? "there is little \(short)"
    return Finding(
      .note, "limits", "\(text): they were lowered, because \(reason)",
      remedy: "give the server more memory, or choose the limits yourself with --set")
  }

  private var draining: Finding {
    server.draining == true
      ? Finding(
        .wrong, "draining", "the server is shutting down",
        remedy: "wait until it is back, or give another place with --server")
      : Finding(.ok, "draining", "no: the server accepts messages")
  }

  /// Connections that the server has not read from for a second. A shorter pause is normal.
  private var paused: [Finding] {
    let long = server.paused.filter { $0.for_ms >= 1000 }
    if long.isEmpty { return [Finding(.ok, "reading", "the server reads from every connection")] }
    return long.map { connection in
      Finding(
        .wrong, "reading",
        "the server has not read from \(connection.connection) for \(Duration.milliseconds(connection.for_ms).words): "
          + Diagnosis.words(for: connection),
        remedy: Diagnosis.remedy(for: connection.why))
    }
  }

  private static func words(for paused: Paused) -> String {
    switch paused.why {
    case "unsent": "it does not read; \(paused.unsent_bytes) bytes wait for it"
    case "total": "all messages together take too much memory"
    default: "it has \(counted(paused.open, "message", "messages")) under way"
    }
  }

  private static func remedy(for why: String) -> String {
    switch why {
    case "unsent": "mend that program: it must read what it gets"
    case "total": "handlers are slow or hang; or raise it with --set max_total_bytes=N"
    default: "handlers are slow or hang; or raise max_open_messages and max_open_bytes with --set"
    }
  }
}
