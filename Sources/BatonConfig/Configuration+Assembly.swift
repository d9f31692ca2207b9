internal import BatonCore
internal import Proxies

extension Configuration {
  /// Puts a configuration together, and finds out what of it does not fit together.
  struct Assembly {
    let file: ConfigurationFile?
    let environment: ServerEnvironment
    let flags: Flags
    let listen: [Sourced<ListenEntry>]
    /// Where HTTP is served, and who says so.
    let http: Sourced<[Sourced<ListenEntry>]>
    let httpHosts: [Sourced<String>]
    let allowOrigins: [Sourced<String>]
    let publicAddress: Sourced<HTTPName>?
    let proxies: [Sourced<AddressRange>]
    let proxyHeader: Sourced<ForwardingHeader>?
    let settings: [String: Sourced<Int>]
    let tls: TLSFiles
    let chains: [ChainEntry]
    let cluster: ClusterEntry?
    /// What is recorded, with the operator's file as the record names it.
    let record: RecordEntry?
    private(set) var access = Access.trusting(.byDefault)
    private(set) var mistakes: MistakeList
    private(set) var warnings: [ConfigMistake] = []

    init(file: ConfigurationFile?, environment: ServerEnvironment, flags: Flags, mistakes: MistakeList) {
      self.mistakes = mistakes
      self.file = file
      self.environment = environment
      self.flags = flags
      listen =
        flags.handedOver?.filter { !$0.value.speaksHTTP } ?? flags.listen ?? file?.listen
        ?? [Sourced(.byDefault, from: .byDefault)]
      http = Assembly.http(file: file, flags: flags)
      httpHosts = flags.httpHosts ?? file?.httpHosts ?? []
      allowOrigins = flags.allowOrigins ?? file?.allowOrigins ?? []
      publicAddress = flags.publicAddress ?? file?.publicAddress
      proxies = flags.proxies ?? file?.proxies ?? []
      proxyHeader = flags.proxyHeader ?? file?.proxyHeader
      tls = flags.tls.completed(by: file?.tls ?? TLSFiles())
      var settings = file?.settings ?? [:]
      for (name, value) in flags.settings { settings[name] = Sourced(value, from: .flag("--set")) }
      self.settings = settings
      chains = (file?.chains ?? []) + .guarding(flags.guards)
      var cluster = flags.cluster.completed(by: file?.cluster)
      cluster.node = cluster.node ?? environment.node
      self.cluster = cluster
      record = file?.recordEntry
    }

    /// A default is served only where nobody says where to listen: who says it, says all.
    private static func http(file: ConfigurationFile?, flags: Flags) -> Sourced<[Sourced<ListenEntry>]> {
      if let handed = flags.handedOver {
        let places = handed.filter(\.value.speaksHTTP)
        return Sourced(places, from: places.first?.origin ?? .byDefault)
      }
      if let places = flags.http { return Sourced(places, from: .flag("--http")) }
      if let places = file?.http { return Sourced(places, from: file?.httpOrigin ?? .byDefault) }
      if flags.takesFreePort {
        return Sourced([Sourced(ListenEntry(.http(host: "127.0.0.1", port: 0)), from: .byDefault)], from: .byDefault)
      }
      guard flags.listen == nil, file?.listen == nil else { return Sourced([], from: .byDefault) }
      return Sourced([Sourced(.httpByDefault, from: .byDefault)], from: .byDefault)
    }

    /// All places.
    var places: [Sourced<ListenEntry>] { listen + http.value }

    mutating func check() {
      checkHandedOver()
      checkSharedPlaces()
      checkSocketPaths()
      checkOneName()
      checkAccess()
      checkReach()
      checkProxies()
      checkTLS()
      checkChains()
      checkCluster()
      checkRecord()
      warnAboutPeers()
      warnAboutTokens()
      warnAboutHTTP()
      warnOfOpenDoors()
      checkSaysAccess()
    }

    // MARK: Where it listens

    private mutating func checkHandedOver() {
      guard let handed = flags.handedOver?.first else { return }
      for other in [flags.listen, file?.listen, flags.http, file?.http].compactMap({ $0?.first }) {
        wrong(
          other.origin,
          "beside sockets that are handed over (\(handed.origin)) the server listens nowhere else; leave this out, or "
            + "start the server without the socket unit")
      }
    }

    /// Where the system wants to know it, the path of a Unix socket has little room.
    private mutating func checkSocketPaths() {
      for entry in listen {
        guard case .unix(let path) = entry.value.place, path.utf8.count > SystemNames.mostSocketPath else { continue }
        let most = SystemNames.mostSocketPath
        wrong(
          entry.origin,
          "the path of this socket has \(path.utf8.count) bytes, and the system allows \(most); choose a shorter one: "
            + path)
      }
    }

    /// How many places are looked for in the file system, and compared with each other: a file may have many.
    static let mostPlaces = 1000

    /// A socket has one name, and is not the store.
    private mutating func checkOneName() {
      var known: [String: String] = [:]
      if let store = flags.store ?? file?.store {
        let path = FileFacts.resolved(store.value)
        known[path] = "the store (\(store.origin))"
        for end in [".mark", "-wal", "-shm", "-journal"] {
          known[path + end] = "a file beside the store (\(store.origin))"
        }
      }
      for entry in listen.prefix(Self.mostPlaces) {
        guard case .unix(let path) = entry.value.place else { continue }
        let resolved = FileFacts.resolved(path)
        if let other = known[resolved] { wrong(entry.origin, "\(entry.value.place) is \(other); choose another path") }
        known[resolved] = "\(entry.value.place) (\(entry.origin))"
      }
    }

    /// One port has one place, for lines or for HTTP. (Two for lines are told where they are read, or by the system.)
    private mutating func checkSharedPlaces() {
      var known: [Address: Sourced<ListenEntry>] = [:]
      for entry in listen { if let address = Address(entry) { known[address] = known[address] ?? entry } }
      for entry in http.value {
        guard let address = Address(entry) else { continue }
        if let other = known[address] {
          wrong(entry.origin, "\(other.value.place) (\(other.origin)) has this port; choose another one for HTTP")
        } else {
          known[address] = entry
        }
      }
    }

    /// A host and a port that is not just any.
    private struct Address: Hashable {
      let host: String?
      let port: UInt16

      init?(_ entry: Sourced<ListenEntry>) {
        guard let port = entry.value.place.port, port != 0 else { return nil }
        (host, self.port) = (entry.value.place.host, port)
      }
    }

    // MARK: Who may do what

    private mutating func checkAccess() {
      let open = file?.open
      if let token = environment.token {
        access = .token(token.value, token.origin)
        if let peers = file?.peersOrigin {
          wrong(
            token.origin,
            "beside peers (\(peers)) the server has no token of its own: each entry has one; unset it for the server")
        }
        checkNobodyOpens(beside: "\(token.origin)")
      } else if let origin = file?.peersOrigin {
        access = .peers(file?.peers ?? [], origin)
        checkNobodyOpens(beside: "peers (\(origin))")
      } else if let open, open.value == .no {
        checkNobodyOpens(beside: "open: false (\(open.origin))")
        if !flags.isOpen {
          let ways = "set BATON_TOKEN or BATON_TOKEN_FILE for the server, or write peers"
          wrong(open.origin, "it lets in who shows the token of the server's environment, and that has none; \(ways)")
        }
      } else if flags.isOpen {
        access = .open(.flag("--open"))
      } else if let open {
        access = open.value == .local ? .trusting(open.origin) : .open(open.origin)
      }
    }

    private mutating func checkNobodyOpens(beside other: String) {
      var openers: [Origin] = flags.isOpen ? [.flag("--open")] : []
      if let open = file?.open, open.value != .no { openers.append(open.origin) }
      for opener in openers { wrong(opener, "beside \(other) it says the opposite; leave one of them out") }
    }

    /// Where anything else is wrong, that may be why nothing is said of it.
    private mutating func checkSaysAccess() {
      guard mistakes.isEmpty, let file, case .trusting(.byDefault) = access else { return }
      wrong(.whole(file.path), Configuration.silence)
    }

    private mutating func checkReach() {
      guard case .trusting = access else { return }
      for entry in places where entry.value.isReachedFromOutside {
        wrong(entry.origin, "\(entry.value.place): \(Configuration.threeWays)")
        return
      }
      checkReachThroughProxies()
    }

    // MARK: Encryption

    private mutating func checkTLS() {
      let encrypted = places.first(where: \.value.isEncrypted)
      if let encrypted, tls.certificate == nil {
        let message = "\(encrypted.value.place) needs a certificate and its key; write them under tls"
        wrong(encrypted.origin, message)
      }
      if let certificate = tls.certificate, tls.key == nil {
        wrong(certificate.origin, "the certificate needs its key")
      }
      if let key = tls.key, tls.certificate == nil { wrong(key.origin, "the key needs its certificate") }
      if let require = tls.requireClients, require.value, tls.clients == nil {
        wrong(require.origin, "require_clients needs clients: the authorities whose certificates count")
      }
      if encrypted == nil, let certificate = tls.certificate, !places.isEmpty {
        warn(certificate.origin, "no listener is tls:HOST:PORT or https:HOST:PORT, so the certificate is not used")
      }
    }

    // MARK: Chains

    private mutating func checkChains() {
      let inFile = Dictionary((file?.chains ?? []).map { ($0.name, $0.origin) }) { first, _ in first }
      for chain in [ChainEntry].guarding(flags.guards) {
        guard let origin = inFile[chain.name] else { continue }
        wrong(
          chain.origin,
          "the chain \(quoted(chain.name)) is declared (\(origin)); write the link there, with required: true and "
            + "on_failure: stop")
      }
      let asks =
        switch access {
        case .peers, .token: true
        default: false
        }
      var check = ChainCheck(chains, settings: coreSettings, asks: asks)
      check.check()
      for mistake in check.mistakes { mistakes.add(mistake) }
      guard mistakes.isEmpty else { return }
      let peers: [PeerEntry]? = if case .peers(let peers, _) = access { peers } else { nil }
      var found = ChainWarnings(chains, peers: peers)
      found.find()
      for warning in found.all { warn(warning.origin, warning.message) }
    }

    private var coreSettings: Settings {
      var settings = Settings()
      for (name, value) in self.settings { try? settings.set(name, to: value.value) }
      return settings
    }

    // MARK: What is probably not meant

    private mutating func warnAboutHTTP() {
      guard http.value.isEmpty else { return }
      for origin in [
        httpHosts.first?.origin, allowOrigins.first?.origin, publicAddress?.origin, proxyHeader?.origin,
      ].compactMap(\.self) {
        warn(origin, "HTTP is served nowhere, so this means nothing; say where, with http")
      }
    }

    private mutating func warnAboutPeers() {
      guard case .peers(let peers, _) = access else { return }
      let isUnix = listen.contains { if case .unix = $0.value.place { true } else { false } }
      for peer in peers {
        if let certificate = peer.certificates.first, tls.clients == nil {
          warn(certificate.origin, "no client certificate counts without tls: clients, so this names nobody")
        }
        if let user = peer.users.first, !isUnix {
          warn(user.origin, "a user is known at a Unix socket only, and the server listens at none")
        }
      }
      let plain = places.first {
        ($0.value.isPlainAndOutside || $0.value.takesProxyHeader && !$0.value.isEncrypted) && !$0.value.takesPlainTokens
      }
      if let plain, let token = peers.lazy.compactMap(\.tokens.first).first {
        warn(
          token.origin,
          "at \(plain.value.place) tokens are refused, for anybody on the way could read them; listen with "
            + "\(plain.value.encryptedKind):, or say plain_tokens: true there if something before it encrypts")
      }
    }

    private mutating func warnAboutTokens() {
      var tokens: [Sourced<TokenDigest>] = []
      switch access {
      case .peers(let peers, _): tokens = peers.flatMap(\.tokens)
      case .token(let token, let origin): tokens = [Sourced(token, from: origin)]
      case .trusting, .open: break
      }
      for token in tokens { if let words = KnownTokens.warning(about: token.value) { warn(token.origin, words) } }
    }

    /// What an operator shall see at each start.
    private mutating func warnOfOpenDoors() {
      switch access {
      case .open(let origin): warn(origin, "everybody who can connect may do everything")
      case .token(_, let origin):
        guard let plain = places.first(where: { $0.value.isPlainAndOutside }) else { return }
        warn(
          origin,
          "at \(plain.value.place) anybody on the way can read the token; listen with \(plain.value.encryptedKind):")
      case .peers(let peers, _):
        for right in peers.lazy.filter(\.isAnonymous).flatMap(\.may) where right.value.kind == .everything {
          warn(right.origin, "everybody who can connect may do everything")
        }
      case .trusting: break
      }
    }

    mutating func wrong(_ origin: Origin, _ message: String) { mistakes.add(ConfigMistake(origin, message)) }

    mutating func warn(_ origin: Origin, _ message: String) {
      if warnings.count < MistakeList.most { warnings.append(ConfigMistake(origin, message)) }
    }
  }
}

extension ListenEntry {
  /// Whether what is said there can be read on the way to other machines.
  fileprivate var isPlainAndOutside: Bool { !isEncrypted && isReachedFromOutside }

  /// The kind of place that would encrypt the same.
  fileprivate var encryptedKind: String { speaksHTTP ? "https" : "tls" }
}
