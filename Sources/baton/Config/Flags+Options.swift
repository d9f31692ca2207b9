import BatonConfig
import BatonServer
import Proxies
import UV

extension Configuration.Flags {
  /// What the options of the command line say.
  init(
    addresses: AddressOptions, http: HTTPOptions, proxies: ProxyOptions, access: AccessOptions, tls: TLSOptions,
    limits: LimitChoices, guards: GuardOptions, store: StoreOptions, cluster: ClusterOptions
  ) {
    self.init()
    listen = addresses.entries
    takesFreePort = addresses.port == 0 && addresses.host == nil && addresses.listen.isEmpty
    self.http = http.entries
    httpHosts = http.hosts
    allowOrigins = http.origins
    publicAddress = proxies.publicAddress.map { Sourced($0, from: .flag("--public-address")) }
    self.proxies = proxies.proxy.isEmpty ? nil : proxies.proxy.map { Sourced($0, from: .flag("--proxy")) }
    proxyHeader = proxies.proxyHeader.map { Sourced($0, from: .flag("--proxy-header")) }
    settings = limits.all.map { ($0.name, $0.value) }
    isOpen = access.open
    self.tls = tls.files
    self.guards = guards.places
    self.store = store.path.map { Sourced($0, from: .flag("--store")) }
    self.cluster = cluster.entry
  }
}

extension AddressOptions {
  /// The places that the command line names, in its order, with the option that names each; nil if it names none.
  fileprivate var entries: [Sourced<ListenEntry>]? {
    let others = listen.map { Sourced(ListenEntry($0), from: .flag("--listen")) }
    guard host != nil || port != nil else { return others.isEmpty ? nil : others }
    let first = ListenEntry(.tcp(host: host ?? "127.0.0.1", port: port ?? 22866))
    return [Sourced(first, from: .flag(host == nil ? "--port" : "--host"))] + others
  }
}

extension HTTPOptions {
  /// The places that the command line names; empty for `off`, nil if it says nothing.
  fileprivate var entries: [Sourced<ListenEntry>]? {
    guard !http.isEmpty else { return nil }
    return http.compactMap { choice in
      if case .place(let place) = choice { Sourced(ListenEntry(place), from: .flag("--http")) } else { nil }
    }
  }

  fileprivate var hosts: [Sourced<String>]? {
    httpHost.isEmpty ? nil : httpHost.map { Sourced($0.text, from: .flag("--http-host")) }
  }

  fileprivate var origins: [Sourced<String>]? {
    allowOrigin.isEmpty ? nil : allowOrigin.map { Sourced($0.text, from: .flag("--allow-origin")) }
  }
}

extension ListenEntry.Place {
  /// The place of an option.
  init(_ endpoint: Endpoint) {
    switch endpoint {
    case .tcp(let host, let port): self = .tcp(host: host, port: port)
    case .unix(let path): self = .unix(path: path)
    }
  }
}

extension ListeningEntry {
  /// A place of the configuration.
  init(_ entry: Sourced<ListenEntry>) {
    var extras = ListeningOptions()
    extras.mode = entry.value.mode
    extras.group = entry.value.group?.number
    extras.takesPlainTokens = entry.value.takesPlainTokens
    extras.takesProxyHeader = entry.value.takesProxyHeader
    extras.isEncrypted = entry.value.isEncrypted
    extras.speaksHTTP = entry.value.speaksHTTP
    self.init(
      Endpoint(entry.value.place), extras,
      givenWith: ListenError.Options(entry.origin, speaksHTTP: entry.value.speaksHTTP))
    mayBeMissing = entry.value.speaksHTTP && entry.origin == .byDefault
  }
}

extension Configuration {
  /// Who may ask over HTTP, for the server.
  var httpRules: (hosts: [String], origins: [String], own: String?) {
    let own = publicAddress?.value
    return (httpHosts.map(\.value) + [own?.host].compactMap(\.self), allowOrigins.map(\.value), own?.text)
  }

  /// Who is believed when it says for whom it speaks.
  var proxyRules: ProxyRules { ProxyRules(proxies: proxies.map(\.value), header: proxyHeader?.value) }
}

extension ActivatedSocket {
  /// The place of a socket that was handed over.
  var entry: Sourced<ListenEntry> {
    var place = ListenEntry.Place(socket.endpoint)
    if case .tcp(let host, let port) = place {
      switch (extras.speaksHTTP, extras.isEncrypted) {
      case (false, false): break
      case (false, true): place = .tls(host: host, port: port)
      case (true, false): place = .http(host: host, port: port)
      case (true, true): place = .https(host: host, port: port)
      }
    }
    var entry = ListenEntry(place)
    entry.takesPlainTokens = extras.takesPlainTokens
    return Sourced(entry, from: .environment("LISTEN_FDS"))
  }
}

extension Endpoint {
  /// Where the place of a configuration is, encrypted or not.
  init(_ place: ListenEntry.Place) {
    switch place {
    case .tcp(let host, let port), .tls(let host, let port), .http(let host, let port), .https(let host, let port):
      self = .tcp(host: host, port: port)
    case .unix(let path): self = .unix(path: path)
    }
  }

  /// Whether peers on other machines may reach it.
  var isReachedFromOutside: Bool { ListenEntry(ListenEntry.Place(self)).isReachedFromOutside }
}

extension ListenError.Options {
  /// What gave a place.
  init(_ origin: Origin, speaksHTTP: Bool) {
    switch origin {
    case .file, .whole: self = .file(key: speaksHTTP ? "http" : "listen", "\(origin)")
    case _ where speaksHTTP: self = .http
    case .flag("--listen"): self = .listen
    case .byDefault, .environment, .flag: self = .hostAndPort
    }
  }
}
