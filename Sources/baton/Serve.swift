import ArgumentParser
import BatonConfig
import BatonCore
import BatonServer
import BatonStore
import Logging
import TLS
import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// `baton serve`: starts the server, prints its addresses and limits, and serves until a signal ends it.
struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Start the server.",
    usage: """
      baton serve [--config <file>] [--host <host>] [--port <port>] [--listen <address> ...] [--http <address> ...] \
      [--open] [--set <name=value> ...]
      """,
    discussion: """
      The server prints its addresses to standard output and its log to standard error. On \
      SIGTERM or SIGINT it finishes what is under way and ends. A second signal ends it at once. \
      SIGHUP lets it read its file and its certificates anew; without both it ends, too. SIGUSR1, SIGUSR2 and other \
      signals that ask for nothing that it does are ignored. Options \
      win over the environment, that over the file. Where other machines can reach it, the server \
      listens only if the file says who may do what (peers, or open: true), if BATON_TOKEN or \
      BATON_TOKEN_FILE is set, or with --open. Sockets that systemd hands over (LISTEN_FDS) stand in the place of \
      all addresses.

      EXAMPLES:
        baton serve                                  on 127.0.0.1:22866, HTTP on 22868
        baton serve --config baton.yaml              as the file says (baton config init)
        baton serve --host 0.0.0.0 --open            also for other machines, all of them
        baton serve --port 0                         on a free port, which it prints
        baton serve --listen unix:/run/baton.sock    on a Unix socket only
        baton serve --http off                       without HTTP and the console
        baton serve --config baton.yaml --node a     one node of a cluster (baton nodes)
        baton serve --set max_line=65536 --set timeout_ms=5000
      """)

  @OptionGroup(title: "File")
  var file: ConfigOptions

  @OptionGroup(title: "Addresses")
  var addresses: AddressOptions

  @OptionGroup(title: "HTTP")
  var http: HTTPOptions

  @OptionGroup(title: "Proxies")
  var proxies: ProxyOptions

  @OptionGroup(title: "Access")
  var access: AccessOptions

  @OptionGroup(title: "Encryption")
  var tls: TLSOptions

  @OptionGroup(title: "Limits")
  var limits: LimitOptions

  @OptionGroup(title: "Chains")
  var guards: GuardOptions

  @OptionGroup(title: "Store")
  var store: StoreOptions

  @OptionGroup(title: "Cluster")
  var cluster: ClusterOptions
  @OptionGroup(title: "Record")
  var record: RecordingOptions

  @OptionGroup(title: "Speed")
  var speed: SpeedOptions

  @OptionGroup(title: "Log")
  var log: LogOptions

  func run() throws {
    guard !limits.listSettings else { return try put(LimitOptions.list) }
    let anew = StartingAnew()
    Server.ignoreNeedless()
    // Before anything else opens a descriptor, or starts something that would see the variables.
    let handed = try handedOver()
    let manager = ServiceManager.takeFromEnvironment()
    Heap.keepFreed()
    var flags = Configuration.Flags(
      addresses: addresses, http: http, proxies: proxies, access: access, tls: tls, limits: limits.chosen,
      guards: guards, store: store, cluster: cluster)
    flags.handedOver = handed?.map(\.entry)
    let sources = ConfigurationSources(path: try file.path(), flags: flags)
    let configuration = try configured(sources)
    let room = ServerRoom()
    var settings = room.settings(for: configuration)
    settings.hashSeed = UInt64.random(in: .min ... .max)
    settings.traceSeed = UInt64.random(in: .min ... .max)
    settings.epoch = String(UInt64.random(in: 1 << 63 ... .max), radix: 16)
    settings.hasStore = configuration.store != nil
    settings.process.node = configuration.cluster?.node?.value
    settings.record = configuration.record?.rule

    let start = StartLines(settings: settings, configuration: configuration)
    let logWriter = log.writer()
    defer { logWriter.finish() }
    let logger = log.logger(to: logWriter)
    let encryption = try encryption(of: configuration)
    let server = try Server(settings: settings, access: configuration.rules(with: encryption), logger: logger)
    server.encrypt(with: encryption)
    say(start.version)
    server.httpRules = configuration.httpRules
    server.proxyRules = configuration.proxyRules
    server.file = Reloading(sources, startedWith: configuration, in: room, of: server)
    do {
      // The engine of a cluster has it alone from then on.
      nonisolated(unsafe) let store = try begin(server, start, over: handed, logger)
      if sources.path != nil || server.tls != nil { try server.readAtHangup() }
      if let manager { try server.report(to: manager) }
      anew.keep(handed?.map(\.socket.number) ?? [])
      try Serve.join(configuration, server, store, settings, logger) { [anew] in
        logWriter.finish()
        anew.start()
      }
    } catch {
      // No file of a socket outlives a start that fails.
      server.closePlaces()
      throw error
    }
    let isInOrder = server.run(spinning: speed.spinUs)
    if server.startsAnew {
      logWriter.finish()
      anew.start()
    }
    // What libraries clear away as a process ends, a thread that reads may be using.
    if server.hasReadingThread {
      logWriter.finish()
      _exit(isInOrder ? 0 : 1)
    }
    guard isInOrder else { throw ExitCode.failure }
  }

  /// Takes the places, then the store, and says what there is. Nobody is heard before the server runs. Returns the store of a
  /// node, which opens it when it leads.
  private func begin(
    _ server: Server, _ start: StartLines, over handed: [ActivatedSocket]?, _ logger: Logger
  ) throws -> Store? {
    let configuration = start.configuration
    var places: [(endpoint: Endpoint, line: String)] = []
    // Those for lines come first, as among all places.
    let sockets = handed.map { all in all.filter { !$0.extras.speaksHTTP } + all.filter(\.extras.speaksHTTP) }
    for (number, entry) in configuration.places.enumerated() {
      guard let place = try listen(at: entry, over: sockets?[number], of: configuration, with: server) else { continue }
      places.append((place, StartLines.place(place, of: entry.value)))
    }
    // A start that gets no place does not touch the store. While that is checked, which may take seconds, a signal ends the
    // process: nothing is lost by that.
    let store = try Serve.store(of: configuration)
    let opened = try Serve.record(of: configuration, beginsAnew: record.recordBeginAnew)
    try server.watchSignals()
    if let opened {
      (server.file as? Reloading)?.recording = try Serve.open(
        opened, of: configuration, startedAs: start.settings.process.startSpelled, with: server)
    }
    let isNode = configuration.cluster?.node != nil
    if let store, !isNode { try Serve.open(store, at: configuration.store?.value ?? "", with: server, logger) }
    // Paths and names come from files.
    let lines = places.map(\.line) + [start.access(at: places.map(\.endpoint)), start.sources, start.limits]
    for line in lines { say(line.displaySafe) }
    server.warn(configuration.warnings.map { ($0.message, "\($0.origin)") })
    server.warnOfCertificate()
    return isNode ? store : nil
  }

  /// What file, environment and options say together. Whatever is wrong with it is printed, and ends the program.
  private func configured(_ sources: ConfigurationSources) throws -> Configuration {
    try ConfigOptions.telling { () throws(ConfigMistakes) in try sources.read() }
  }

  /// What of the files for TLS cannot be used is printed, and ends the program. A reload asks the same of them.
  private func encryption(of configuration: Configuration) throws -> TLSContext? {
    try ConfigOptions.telling { () throws(ConfigMistakes) in
      try configuration.tls.checkFiles()
      return try configuration.encryptionOrMistake()
    }
  }

  /// The sockets that a service manager hands over; nil if it hands none over.
  private func handedOver() throws -> [ActivatedSocket]? {
    do throws(SocketActivation.Mistake) {
      return try SocketActivation.takeFromEnvironment()
    } catch {
      talk(error.description)
      throw ExitCode.validationFailure
    }
  }

  /// Listens at one place, and returns the place as it really is; nil if nobody has named it and it cannot be had.
  private func listen(
    at entry: Sourced<ListenEntry>, over handed: ActivatedSocket?, of configuration: Configuration, with server: Server
  ) throws -> Endpoint? {
    if let handed { return try server.listen(over: handed.socket, handed.extras) }
    let wanted = ListeningEntry(entry)
    guard !wanted.mayBeMissing else {
      do throws(ListenError) {
        return try server.listenIfPossible(at: wanted)
      } catch {
        server.tellMissing(error)
        return nil
      }
    }
    let place = try server.listen(at: wanted.endpoint, wanted.extras, givenWith: wanted.options)
    // A name may stand for other addresses than it seems.
    guard !place.isReachedFromOutside || configuration.mayBeReachedFromOutside else {
      for line in "\(entry.origin): \(place): \(Configuration.threeWays)".split(separator: "\n") { talk(String(line)) }
      throw ExitCode.validationFailure
    }
    return place
  }
}
