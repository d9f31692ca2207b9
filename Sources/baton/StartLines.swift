import BatonConfig
import BatonCore
import BatonServer
import UV

/// What `baton serve` prints at its start: at most eight lines, one place in each of up to four, those of HTTP among them.
/// Programs wait for `listening on `, `console at ` and, as the last line, `limits: `.
struct StartLines {
  /// The settings in force.
  let settings: Settings
  /// What file, environment and options say.
  let configuration: Configuration
  /// What was asked for. The limit of files may allow fewer connections, and fewer sockets of HTTP.
  private var wanted: Settings { configuration.coreSettings() }

  /// The first line.
  var version: String { "baton \(settings.version), protocol \(Settings.protocolVersion)" }

  /// One place, as it really is: `listening on tcp 127.0.0.1:22866`, or what a browser takes.
  static func place(_ place: Endpoint, of entry: ListenEntry) -> String {
    let address = "\(place)".dropFirst("tcp ".count)
    if entry.speaksHTTP { return "console at \(entry.isEncrypted ? "https" : "http")://\(address)/" }
    return "listening on \(entry.isEncrypted ? "tls \(address)" : "\(place)")"
  }

  /// Who may do what, and who says so.
  func access(at places: [Endpoint]) -> String {
    "access: \(who)\(connecting(to: places))"
  }

  private var who: String {
    switch configuration.access {
    case .trusting(.byDefault): "anybody who can connect may do everything"
    case .trusting(let origin), .open(let origin): "anybody who can connect may do everything (\(origin))"
    case .token(_, let origin): "whoever shows the token may do everything (\(origin))"
    case .peers(let peers, let origin):
      "\(StartLines.list(StartLines.names(of: peers))) may do what \(file(of: origin)) says, and nobody else anything"
    }
  }

  /// Their names. Whoever else can connect comes first: that matters most, and the list is cut off.
  private static func names(of peers: [PeerEntry]) -> [String] {
    (peers.filter(\.isAnonymous) + peers.filter { !$0.isAnonymous }).map(\.name)
  }

  /// The path of the file, without a line.
  private func file(of origin: Origin) -> String { configuration.file ?? "\(origin)" }

  private func connecting(to places: [Endpoint]) -> String {
    let outside = places.filter(\.isReachedFromOutside)
    guard outside.isEmpty else {
      let all = outside.map { "\($0)" }.joined(separator: ", ")
      switch configuration.access {
      case .peers: return "; other machines can connect at \(all)"
      case .token:
        return ". WARNING: other machines can connect at \(all), and anybody on the way can read the token where it is "
          + "not encrypted"
      case .trusting, .open:
        return
          ". WARNING: other machines can connect at \(all); if not all of them are trusted, listen on 127.0.0.1 or "
          + "on a Unix socket, or say who may do what (baton config init)"
      }
    }
    // Whoever hands a socket over decides whose programs can connect.
    let isShared = configuration.places.contains {
      if case .environment = $0.origin { true } else { $0.value.mode != nil || $0.value.group != nil }
    }
    let isPrivate = !isShared && places.allSatisfy { if case .unix = $0 { true } else { false } }
    return isPrivate ? "; only this user's programs can connect" : "; only programs on this machine can connect"
  }

  /// Where the settings come from.
  var sources: String {
    var parts: [String] = []
    let defaults = Settings()
    let changed = Settings.table.filter { setting in
      configuration.settings[setting.name].map { $0.value != defaults[keyPath: setting.path] } ?? false
    }.map(\.name)
    let isFlag = { (name: String) in
      if case .flag = configuration.settings[name]?.origin { true } else { false }
    }
    let fromFile = changed.filter { !isFlag($0) }
    let fromFlags = changed.filter(isFlag)
    if !fromFile.isEmpty, let file = configuration.file {
      parts.append("\(fromFile.count) from \(file) (\(StartLines.list(fromFile)))")
    }
    if !fromFlags.isEmpty { parts.append("\(fromFlags.count) from --set (\(StartLines.list(fromFlags)))") }
    let lowered = Settings.table.filter { setting in
      let asked = configuration.settings[setting.name]?.value ?? defaults[keyPath: setting.path]
      return settings[keyPath: setting.path] < asked
    }.map(\.name)
    if !lowered.isEmpty { parts.append("\(lowered.count) lowered to what there is (\(StartLines.list(lowered)))") }
    let (links, chains) = (settings.chains.reduce(0) { $0 + $1.links.count }, settings.chains.count)
    let places =
      chains == 0
      ? "" : "; \(links) declared link\(links == 1 ? "" : "s") in \(chains) chain\(chains == 1 ? "" : "s")"
    let differ = parts.isEmpty ? "" : ", except " + parts.joined(separator: " and ")
    return "settings: the defaults\(differ)\(places); \(whereToLook)"
  }

  private var whereToLook: String {
    configuration.file == nil ? "--list-settings lists them" : "baton config show tells all"
  }

  /// The main limits, and what to do if the limit of files allows fewer connections than were asked for.
  var limits: String {
    let files = "need ulimit -n \(ServerRoom.files(for: configuration) + FileLimit.reserve)"
    var connections = "\(settings.maxConnections) connections"
    if settings.maxHTTPConnections != wanted.maxHTTPConnections {
      connections += " and \(settings.maxHTTPConnections) sockets of HTTP"
      connections += " (\(wanted.maxConnections) and \(wanted.maxHTTPConnections) \(files))"
    } else if settings.maxConnections != wanted.maxConnections {
      connections += " (\(wanted.maxConnections) \(files))"
    }
    let lowered = settings.process.limitsLoweredBy.map { ", lowered because \($0.words)" } ?? ""
    return "limits: \(connections), lines of \(settings.maxLine) bytes, \(settings.maxLinks) links, "
      + "\(settings.maxTotalBytes >> 20) MiB of messages, \(settings.maxTotalUnsentBytes >> 20) MiB unsent\(lowered)"
  }

  /// The first few names.
  private static func list(_ names: [String]) -> String {
    names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", \(Glyphs.current.ellipsis)" : "")
  }
}
