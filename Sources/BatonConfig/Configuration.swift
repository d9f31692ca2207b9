public import BatonCore
public import Proxies

/// What the server is to do, from all that says it, each value with where it comes from. It is whole and right: whoever
/// has one can use it without further checks.
public struct Configuration: Sendable {
  /// The configuration file, as it was named; nil without one.
  public let file: String?
  /// Where the server listens.
  public let listen: [Sourced<ListenEntry>]
  /// Where HTTP is served; empty if nowhere. A place that nobody named (`Origin.byDefault`) may be taken: then the server
  /// starts without it.
  public let http: [Sourced<ListenEntry>]
  /// Who says where HTTP is served, or that it is not.
  public let httpOrigin: Origin
  /// Names of hosts under which HTTP may be asked for, in lower case, beside numbers and `localhost`.
  public let httpHosts: [Sourced<String>]
  /// Origins whose pages may ask, as browsers send them.
  public let allowOrigins: [Sourced<String>]
  /// The origin of the server's own pages for browsers that come through a proxy; nil if nobody says it.
  public let publicAddress: Sourced<HTTPName>?
  /// The proxies that are believed when they say for whom they speak.
  public let proxies: [Sourced<AddressRange>]
  /// The header in which they say it over HTTP; nil: none is read.
  public let proxyHeader: Sourced<ForwardingHeader>?
  /// The settings that somebody gave, by name; all others have their defaults.
  public let settings: [String: Sourced<Int>]
  /// The files for encryption.
  public let tls: TLSFiles
  /// Who may do what.
  public let access: Access
  /// The chains that are declared, by the file and by `--guard`; each chain once.
  public let chains: [ChainEntry]
  /// The topics of which events are kept.
  public let topics: [Sourced<KeptTopics>]
  /// The file of the store with durable messages; nil without one.
  public let store: Sourced<String>?
  /// The nodes and the NATS of the cluster; nil without one.
  public let cluster: ClusterEntry?
  /// The SHA-256 of the operator's file, in hex; empty without one.
  public let digest: String
  /// What is recorded; nil: nothing.
  public let record: RecordEntry?
  /// Which messages are traced beyond the server; nil: none.
  public let trace: TraceEntry?
  /// What is allowed and probably not meant.
  public let warnings: [ConfigMistake]

  /// Who may do what.
  public enum Access: Sendable {
    /// Everybody who reaches the server may do everything, and only this machine reaches it (`open: local`, or there is no
    /// file).
    case trusting(Origin)
    /// Everybody may do everything, wherever they are (`--open`, `open: true`).
    case open(Origin)
    /// Whoever shows the one token may do everything, all others nothing.
    case token(TokenDigest, Origin)
    /// What the file says.
    case peers([PeerEntry], Origin)
  }

  /// The machine on which a file is read.
  enum Machine {
    case servers, another
  }

  /// What the command line says.
  public struct Flags: Sendable {
    /// The places of `--host`, `--port` and `--listen`; nil without any of these. They replace those of the file.
    public var listen: [Sourced<ListenEntry>]?
    /// The places of sockets that a service manager has opened and hands over; nil without any. They stand in the place
    /// of all others.
    public var handedOver: [Sourced<ListenEntry>]?
    /// Whether `--port 0` alone says where to listen: then HTTP gets a free port of loopback, too.
    public var takesFreePort = false
    /// The places of `--http`; empty for `off`, nil without it. They replace those of the file.
    public var http: [Sourced<ListenEntry>]?
    /// The names of `--http-host`; nil without it. They replace those of the file.
    public var httpHosts: [Sourced<String>]?
    /// The origins of `--allow-origin`; nil without it. They replace those of the file.
    public var allowOrigins: [Sourced<String>]?
    /// The address of `--public-address`; nil without it. It replaces that of the file.
    public var publicAddress: Sourced<HTTPName>?
    /// The addresses of `--proxy`; nil without it. They replace those of the file.
    public var proxies: [Sourced<AddressRange>]?
    /// The header of `--proxy-header`; nil without it. It replaces that of the file.
    public var proxyHeader: Sourced<ForwardingHeader>?
    /// The values of `--set`, in their order; names and ranges are right.
    public var settings: [(name: String, value: Int)] = []
    /// The files of `--tls-…`.
    public var tls = TLSFiles()
    /// Whether `--open` is there.
    public var isOpen = false
    /// The places of `--guard`, in their order.
    public var guards: [GuardedPlace] = []

    /// The file of `--store`; nil without it. It replaces that of the file.
    public var store: Sourced<String>?

    /// What the options for a cluster say.
    public var cluster = ClusterEntry()

    /// Options that say nothing.
    public init() {}
  }

  /// Puts together what was said. Flags win over the environment, that over the file, that over the defaults. If it
  /// does not fit together, throws all that is wrong.
  public init(
    file: ConfigurationFile? = nil, environment: ServerEnvironment = ServerEnvironment(), flags: Flags = Flags()
  ) throws(ConfigMistakes) {
    try self.init(file: file, environment: environment, flags: flags, knowing: MistakeList())
  }

  /// The same; mistakes that are known already are thrown with those that are found. `machine` says
  /// whether to look for what the file names on this machine.
  init(
    file: ConfigurationFile?, environment: ServerEnvironment = ServerEnvironment(), flags: Flags,
    knowing mistakes: MistakeList, machine: Machine? = nil
  ) throws(ConfigMistakes) {
    var assembly = Assembly(file: file, environment: environment, flags: flags, mistakes: mistakes)
    assembly.check()
    if let machine { assembly.checkMachine(isServers: machine == .servers) }
    try assembly.mistakes.tell()
    self.file = file?.path
    listen = assembly.listen
    http = assembly.http.value
    httpOrigin = assembly.http.origin
    httpHosts = assembly.httpHosts
    allowOrigins = assembly.allowOrigins
    publicAddress = assembly.publicAddress
    proxies = assembly.proxies
    proxyHeader = assembly.proxyHeader
    settings = assembly.settings
    tls = assembly.tls
    access = assembly.access
    chains = assembly.chains
    topics = file?.topics ?? []
    store = flags.store ?? file?.store
    cluster = assembly.cluster?.name == nil ? nil : assembly.cluster
    digest = file?.digest ?? ""
    record = assembly.record
    trace = file?.trace
    warnings = assembly.warnings
  }

  /// All places at which the server listens: those for lines first, then those for HTTP.
  public var places: [Sourced<ListenEntry>] { listen + http }

  /// The core's settings: the defaults, and what was given.
  public func coreSettings() -> Settings {
    var settings = Settings()
    for (name, value) in self.settings {
      // Names and ranges were checked where the values were read.
      try? settings.set(name, to: value.value)
    }
    settings.chains = chains.map(\.declaration)
    settings.keptTopics = topics.map(\.value)
    settings.trace = trace?.rule
    return settings
  }

  /// The rules for the core; nil if everybody may do everything.
  public var rules: AccessRules? {
    let digest: @Sendable (UnsafeRawBufferPointer) -> TokenDigest = { TokenDigest(of: $0) }
    switch access {
    case .trusting, .open: return nil
    case .peers(let peers, _): return AccessRules(peers: peers.map(\.rule), digest: digest)
    case .token(let token, _):
      var owner = AccessRules.Peer(name: PeerEntry.owner)
      owner.tokens = [token]
      owner.may = (try? [Right(parsing: "everything")]) ?? []
      var rules = AccessRules(peers: [owner], digest: digest)
      rules.takesPlainTokens = true
      return rules
    }
  }

  /// Whether the server may listen where other machines reach it. Ask again for what a host's name turned out to be.
  public var mayBeReachedFromOutside: Bool { if case .trusting = access { false } else { true } }

  /// What to do before the server may listen where other machines reach it: a line, and one for each way.
  public static let threeWays = """
    other machines could reach the server there, and everybody would be allowed to do everything. Do one of three \
    things:
      - say in the configuration file who may do what (peers; baton config init shows how)
      - give the server a token that everybody must show (BATON_TOKEN or BATON_TOKEN_FILE; baton token owner makes one)
      - say that everybody may do everything (--open, or open: true in the file)
    """

  /// What a file has to say that says nothing of it. One that is empty, or was cut off, must not open the server.
  static let silence = """
    the file does not say who may do what; write peers, or open: local (everybody on this machine may do everything), \
    open: true (everybody may), or open: false (who shows the token of the server's environment)
    """
}
