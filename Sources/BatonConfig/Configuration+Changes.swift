import BatonCore

extension Configuration {
  /// What is different from an older configuration of the same server: what a reload changes, and what needs a new start.
  /// `start` is the configuration with which the server was started: what needs a new start is told until there is one.
  /// Each name is that of `baton config show`. The files for encryption may have the same names and be others.
  public func changes(
    from old: Configuration, startedWith start: Configuration, areFilesOthers: Bool = false
  ) -> (changed: [String], restart: [String]) {
    let restart = Settings.table.filter { $0.needsStart && value(of: $0) != start.value(of: $0) }
    var changed: [String] = []
    if listen.map(\.value) != old.listen.map(\.value) { changed.append("listen") }
    if http.map(\.value) != old.http.map(\.value) { changed.append("http") }
    if httpHosts.map(\.value) != old.httpHosts.map(\.value) { changed.append("http_hosts") }
    if allowOrigins.map(\.value) != old.allowOrigins.map(\.value) { changed.append("allow_origins") }
    if publicAddress?.value != old.publicAddress?.value { changed.append("public_address") }
    if proxies.map(\.value) != old.proxies.map(\.value) { changed.append("proxies") }
    if proxyHeader?.value != old.proxyHeader?.value { changed.append("proxy_header") }
    changed += Settings.table.filter { !$0.needsStart && value(of: $0) != old.value(of: $0) }.map {
      "settings.\($0.name)"
    }
    changed += Configuration.different(declarations, old.declarations).map { "chains.\($0)" }
    if topics.map(\.value) != old.topics.map(\.value) { changed.append("topics") }
    let (mine, olds) = (entries, old.entries)
    if tls.values != old.tls.values || areFilesOthers { changed.append("tls") }
    if kind != old.kind { changed.append("access") }
    changed += Configuration.different(mine, olds).map { "peers.\($0)" }
    if cluster?.nodes != old.cluster?.nodes { changed.append("cluster.nodes") }
    // A record begins and ends with a server.
    if start.record != nil, let record, record.reloaded != old.record?.reloaded { changed.append("record") }
    if trace?.rule != old.trace?.rule { changed.append("trace") }
    let others = [
      store?.value != start.store?.value ? "store" : nil,
      record?.directory.value != start.record?.directory.value ? "record" : nil,
      cluster?.needingStart != start.cluster?.needingStart ? "cluster" : nil,
    ]
    return (changed, restart.map { "settings.\($0.name)" } + others.compactMap(\.self))
  }

  /// The names that have other values, or are in one of the two only.
  private static func different<Value: Equatable>(_ mine: [String: Value], _ others: [String: Value]) -> [String] {
    Set(mine.keys).union(others.keys).sorted().filter { mine[$0] != others[$0] }
  }

  /// The value in force. One that is said and is the default is no other value.
  private func value(of setting: Setting) -> Int {
    settings[setting.name]?.value ?? Settings()[keyPath: setting.path]
  }

  /// The declared chains, by name.
  private var declarations: [String: ChainDeclaration] {
    Dictionary(uniqueKeysWithValues: chains.map { ($0.name, $0.declaration) })
  }

  /// Who may do what, by name.
  private var entries: [String: AccessRules.Peer] {
    Dictionary(uniqueKeysWithValues: (rules?.peers ?? []).map { ($0.name, $0) })
  }

  private var kind: Int {
    switch access {
    case .trusting: 0
    case .open: 1
    case .token: 2
    case .peers: 3
    }
  }
}
