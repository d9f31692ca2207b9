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
    // Sockets that ask for pages are no connections of the router: they need files beside them.
    let sockets = configuration.http.isEmpty ? 0 : settings.maxHTTPConnections
    let limit = FileLimit.raised(forConnections: settings.maxConnections + sockets)
    settings.maxConnections = min(settings.maxConnections, limit.room)
    settings.process.fileLimit = limit.files
    settings.process.start = start
    memory.lower(&settings, except: Set(configuration.settings.keys))
    return settings
  }
}
