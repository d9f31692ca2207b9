import ArgumentParser
import BatonCore
import BatonServer
import Logging
import UV

/// `baton serve`: starts the server, prints its addresses and limits, and serves until a signal ends it.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Start the server.",
    usage: "baton serve [--host <host>] [--port <port>] [--listen <place> ...] [--set <name=value> ...]",
    discussion: """
      The server prints its addresses to standard output and its log to standard error. On \
      SIGTERM, SIGINT or SIGHUP it finishes what is under way and ends. A second signal ends \
      it at once.

      EXAMPLES:
        baton serve                                  on 127.0.0.1:22866
        baton serve --host 0.0.0.0 --port 4000       also for other machines
        baton serve --port 0                         on a free port, which it prints
        baton serve --listen unix:/run/baton.sock    on a Unix socket only
        baton serve --set max_line=65536 --set timeout_ms=5000
      """)

  @OptionGroup(title: "Addresses")
  var addresses: AddressOptions

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
    var settings = try limits.settings()
    let limit = FileLimit.raised(forConnections: settings.maxConnections)
    let wanted = settings.maxConnections
    settings.maxConnections = min(wanted, limit.room)
    settings.process.fileLimit = limit.files
    settings.guardedPlaces = guards.places
    MemoryRoom.current.lower(&settings, except: Set(limits.choices.map(\.name)))
    settings.hashSeed = UInt64.random(in: .min ... .max)

    let start = StartLines(settings: settings, given: limits.choices, wanted: wanted)
    let logWriter = log.writer()
    defer { logWriter.finish() }
    let server = try Server(settings: settings, logger: log.logger(to: logWriter))
    say(start.version)
    var places: [Endpoint] = []
    for (endpoint, options) in addresses.endpoints {
      places.append(try server.listen(at: endpoint, givenWith: options))
      say("listening on \(places[places.count - 1])")
    }
    say(start.access(at: places))
    say(start.sources)
    say(start.limits)
    guard server.run(spinning: speed.spinUs) else { throw ExitCode.failure }
  }
}
