import ArgumentParser
import BatonConfig
import BatonCore
import BatonServer
import Logging
import TLS
import UV

/// `baton serve`: starts the server, prints its addresses and limits, and serves until a signal ends it.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Start the server.",
    usage: """
      baton serve [--config <file>] [--host <host>] [--port <port>] [--listen <place> ...] [--open] \
      [--set <name=value> ...]
      """,
    discussion: """
      The server prints its addresses to standard output and its log to standard error. On \
      SIGTERM, SIGINT or SIGHUP it finishes what is under way and ends. A second signal ends \
      it at once. Options win over the environment, that over the file. Where other machines \
      can reach it, the server listens only if the file says who may do what (peers), if \
      BATON_TOKEN or BATON_TOKEN_FILE is set, or with --open.

      EXAMPLES:
        baton serve                                  on 127.0.0.1:22866
        baton serve --config baton.yaml              as the file says (baton config init)
        baton serve --host 0.0.0.0 --open            also for other machines, all of them
        baton serve --port 0                         on a free port, which it prints
        baton serve --listen unix:/run/baton.sock    on a Unix socket only
        baton serve --set max_line=65536 --set timeout_ms=5000
      """)

  @OptionGroup(title: "File")
  var file: ConfigOptions

  @OptionGroup(title: "Addresses")
  var addresses: AddressOptions

  @OptionGroup(title: "Access")
  var access: AccessOptions

  @OptionGroup(title: "Encryption")
  var tls: TLSOptions

  @OptionGroup(title: "Limits")
  var limits: LimitOptions

  @OptionGroup(title: "Chains")
  var guards: GuardOptions

  @OptionGroup(title: "Speed")
  var speed: SpeedOptions

  @OptionGroup(title: "Log")
  var log: LogOptions

  func run() throws {
    guard !limits.listSettings else { return say(LimitOptions.list) }
    Heap.keepFreed()
    let configuration = try configured()
    var settings = configuration.coreSettings()
    let limit = FileLimit.raised(forConnections: settings.maxConnections)
    let wanted = settings.maxConnections
    settings.maxConnections = min(wanted, limit.room)
    settings.process.fileLimit = limit.files
    for place in guards.places { settings.declareGuard(place) }
    MemoryRoom.current.lower(&settings, except: Set(configuration.settings.keys))
    settings.hashSeed = UInt64.random(in: .min ... .max)

    let start = StartLines(settings: settings, configuration: configuration, wanted: wanted)
    let logWriter = log.writer()
    defer { logWriter.finish() }
    let logger = log.logger(to: logWriter)
    let server = try Server(settings: settings, access: configuration.rules, logger: logger)
    if let encryption = try encryption(of: configuration) { server.encrypt(with: encryption) }
    say(start.version)
    var places: [Endpoint] = []
    for entry in configuration.listen {
      places.append(try listen(at: entry, of: configuration, with: server))
      let place = "\(places[places.count - 1])"
      say("listening on \(entry.value.isEncrypted ? "tls " + place.dropFirst("tcp ".count) : place)")
    }
    say(start.access(at: places))
    say(start.sources)
    say(start.limits)
    for warning in configuration.warnings {
      logger.warning("\(warning.message)", metadata: ["source": "\(warning.origin)"])
    }
    let path = try file.path()
    if path != nil || server.tls != nil {
      var known = configuration
      server.readAnew = { readAnew(path, known: &known, startedWith: configuration, server: server) }
    }
    guard server.run(spinning: speed.spinUs) else { throw ExitCode.failure }
  }

  /// What file, environment and options say together. Whatever is wrong with it is printed, and ends the program.
  private func configured() throws -> Configuration {
    let path = try file.path()
    let flags = Configuration.Flags(addresses: addresses, access: access, tls: tls, limits: limits.chosen)
    let configuration = try ConfigOptions.telling { () throws(ConfigMistakes) in
      try Configuration.read(path: path, flags: flags, variable: Environment.evenEmpty)
    }
    return configuration
  }

  private func encryption(of configuration: Configuration) throws -> TLSContext? {
    do throws(TLSError) {
      return try configuration.encryption()
    } catch {
      talk(error.description)
      throw ExitCode.validationFailure
    }
  }

  /// The same at a reload: what is wrong is told with the place in the file.
  private func encryptionAnew(of configuration: Configuration) throws(ConfigMistakes) -> TLSContext? {
    do throws(TLSError) {
      return try configuration.encryption()
    } catch {
      let origin = configuration.tls.certificate?.origin ?? .byDefault
      throw ConfigMistakes(all: [ConfigMistake(origin, error.description)], untold: 0)
    }
  }

  /// Reads the file anew, as at the start: options still win. `known` is what is in force; it is replaced.
  private func readAnew(
    _ path: String?, known: inout Configuration, startedWith start: Configuration, server: Server
  ) -> ReloadNews {
    let flags = Configuration.Flags(addresses: addresses, access: access, tls: tls, limits: limits.chosen)
    do throws(ConfigMistakes) {
      let new = try Configuration.read(path: path, flags: flags, variable: Environment.evenEmpty)
      guard !server.listensToOthers || new.mayBeReachedFromOutside else {
        return .refused([
          ConfigurationFault(
            line: 1, column: 1, message: Configuration.threeWays.split(separator: "\n").joined(separator: " "))
        ])
      }
      let encryption = try encryptionAnew(of: new)
      var file = ReloadedFile()
      file.access = new.rules
      file.settings = new.settings.mapValues(\.value)
      (file.changed, file.restart) = new.changes(from: known, startedWith: start)
      if let encryption { server.encrypt(with: encryption) }
      known = new
      return .read(file)
    } catch {
      return .refused(
        error.all.map {
          ConfigurationFault(line: $0.place?.line ?? 1, column: $0.place?.column ?? 1, message: $0.message)
        })
    }
  }

  /// Listens at one place, and returns the place as it really is.
  private func listen(
    at entry: Sourced<ListenEntry>, of configuration: Configuration, with server: Server
  ) throws -> Endpoint {
    let endpoint = Endpoint(entry.value.place)
    var extras = ListeningOptions()
    extras.mode = entry.value.mode
    extras.group = entry.value.group?.number
    extras.takesPlainTokens = entry.value.takesPlainTokens
    extras.isEncrypted = entry.value.isEncrypted
    let place = try server.listen(at: endpoint, extras, givenWith: ListenError.Options(entry.origin))
    // A name may stand for other addresses than it seems.
    guard !place.isReachedFromOutside || configuration.mayBeReachedFromOutside else {
      for line in "\(entry.origin): \(place): \(Configuration.threeWays)".split(separator: "\n") { talk(String(line)) }
      throw ExitCode.validationFailure
    }
    return place
  }
}
