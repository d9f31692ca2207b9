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

    let logWriter = LogWriter.toStandardError()
    defer { logWriter.finish() }
    let server = try Server(settings: settings, logger: log.logger(to: logWriter))
    say("baton \(settings.version), protocol \(Settings.protocolVersion)")
    for endpoint in addresses.endpoints { say("listening on \(try server.listen(at: endpoint))") }
    say(limitsLine(settings, wanted: wanted, limit: limit))
    guard server.run(spinning: speed.spinUs) else { throw ExitCode.failure }
  }

  /// The limits, and what to do if the file limit allows fewer connections than were asked for.
  private func limitsLine(_ settings: Settings, wanted: Int, limit: FileLimit) -> String {
    let connections =
      settings.maxConnections == wanted
      ? "\(wanted) connections"
      : "\(settings.maxConnections) connections (\(wanted) need ulimit -n \(wanted + FileLimit.reserve))"
    let messages = "\(settings.maxTotalBytes >> 20) MiB of messages"
    let lowered = settings.process.limitsLoweredBy.map { ", lowered because \($0.words)" } ?? ""
    return "limits: \(connections), lines of \(settings.maxLine) bytes, \(messages)\(lowered)"
  }
}
