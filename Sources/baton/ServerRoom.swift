import BatonConfig
import BatonCore
import BatonServer

/// What there was for the server when it started: memory, and open files. It lowers limits, at the start and at each
/// reload alike.
struct ServerRoom {
  /// Later the server itself takes some of it.
  private let memory = MemoryRoom.current

  /// What tells this start of the server from all others.
  private let start = UInt128.random(in: .min ... .max)

  /// The settings in force for a configuration: what it says, and no more than there is room for. Raises the limit of
  /// open files, if more connections need it.
  func settings(for configuration: Configuration) -> Settings {
    var settings = configuration.coreSettings()
    let wanted = ServerRoom.files(for: configuration)
    let limit = FileLimit.raised(forConnections: wanted)
    settings.process.fileLimit = limit.files
    if wanted > limit.room { fit(&settings, configuration, into: limit.room) }
    settings.process.start = start
    memory.lower(&settings, except: Set(configuration.settings.keys))
    return settings
  }

  /// The files that connections and sockets of HTTP may take, if all are there that a configuration allows. Sockets that ask
  /// for pages are no connections of the router: they need files beside them.
  static func files(for configuration: Configuration) -> Int {
    let settings = configuration.coreSettings()
    return FileLimit.files(forConnections: settings.maxConnections)
      + (configuration.http.isEmpty ? 0 : FileLimit.files(forHTTP: settings.maxHTTPConnections))
  }

  /// Where there are too few files, HTTP has half of them at most. Otherwise those who come to one door would shut the others,
  /// and nothing could be told to anybody.
  private func fit(_ settings: inout Settings, _ configuration: Configuration, into room: Int) {
    var left = room
    if !configuration.http.isEmpty {
      settings.maxHTTPConnections = min(settings.maxHTTPConnections, max(1, room / 4))
      left -= FileLimit.files(forHTTP: settings.maxHTTPConnections)
    }
    settings.maxConnections = max(1, min(settings.maxConnections, FileLimit.connections(in: left)))
  }
}
