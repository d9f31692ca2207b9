import BatonCore
import BatonServer
import UV

/// What `baton serve` prints at its start: at most eight lines, one place in each of up to four. Programs wait for
/// `listening on ` and, as the last line, `limits: `.
struct StartLines {
  /// The settings in force.
  let settings: Settings
  /// The settings that were given with `--set`.
  let given: [LimitOptions.Choice]
  /// The connections that were asked for. The limit of files may allow fewer.
  let wanted: Int

  /// The first line.
  var version: String { "baton \(settings.version), protocol \(Settings.protocolVersion)" }

  /// Who may do what. There are no rights, so it depends only on who can connect.
  func access(at places: [Endpoint]) -> String {
    let open = places.filter { $0.isReachedFromOutside }
    if !open.isEmpty {
      let all = open.map { "\($0)" }.joined(separator: ", ")
      return "access: anybody who can connect may do everything. WARNING: other machines can connect at \(all); "
        + "if not all of them are trusted, listen on 127.0.0.1 or on a Unix socket"
    }
    let isPrivate = places.allSatisfy { if case .unix = $0 { true } else { false } }
    let who = isPrivate ? "only this user's programs can connect" : "only programs on this machine can connect"
    return "access: anybody who can connect may do everything; \(who)"
  }

  /// Where the settings come from.
  var sources: String {
    var parts: [String] = []
    let defaults = Settings()
    let changed = Settings.table.filter { setting in
      given.contains { $0.name == setting.name }
        && (given.last { $0.name == setting.name }?.value != defaults[keyPath: setting.path])
    }.map(\.name)
    if !changed.isEmpty { parts.append("\(changed.count) from --set (\(StartLines.list(changed)))") }
    let lowered = Settings.table.filter { setting in
      let asked = given.last { $0.name == setting.name }?.value ?? defaults[keyPath: setting.path]
      return settings[keyPath: setting.path] < asked
    }.map(\.name)
    if !lowered.isEmpty { parts.append("\(lowered.count) lowered to what there is (\(StartLines.list(lowered)))") }
    let guarded = settings.guardedPlaces.count
    let places = guarded == 0 ? "" : "; \(guarded) guarded place\(guarded == 1 ? "" : "s") from --guard"
    let differ = parts.isEmpty ? "" : ", except " + parts.joined(separator: " and ")
    return "settings: the defaults\(differ)\(places); --list-settings lists them"
  }

  /// The main limits, and what to do if the limit of files allows fewer connections than were asked for.
  var limits: String {
    let connections =
      settings.maxConnections == wanted
      ? "\(wanted) connections"
      : "\(settings.maxConnections) connections (\(wanted) need ulimit -n \(wanted + FileLimit.reserve))"
    let lowered = settings.process.limitsLoweredBy.map { ", lowered because \($0.words)" } ?? ""
    return "limits: \(connections), lines of \(settings.maxLine) bytes, \(settings.maxLinks) links, "
      + "\(settings.maxTotalBytes >> 20) MiB of messages, \(settings.maxTotalUnsentBytes >> 20) MiB unsent\(lowered)"
  }

  /// The first few names.
  private static func list(_ names: [String]) -> String {
    names.prefix(4).joined(separator: ", ") + (names.count > 4 ? ", \(Glyphs.current.ellipsis)" : "")
  }
}

extension Endpoint {
  /// Whether peers on other machines may reach it.
  fileprivate var isReachedFromOutside: Bool {
    switch self {
    case .unix: false
    case .tcp(let host, _): !host.hasPrefix("127.") && host != "::1" && host != "localhost"
    }
  }
}
