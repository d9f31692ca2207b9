internal import BatonCore

/// One value of a configuration as `baton config show` tells it. Of tokens it tells how many there are, never more.
public struct ShownValue: Equatable, Sendable {
  /// The keys that lead to it, joined by dots: `settings.max_line`.
  public let name: String
  /// What is in force.
  public let value: Value
  /// Who says it.
  public let origin: Origin
  /// Whether a change waits for the next start of the server: a reload does not bring it.
  public var needsStart = false

  /// A value as its key takes it.
  public enum Value: Equatable, Sendable, CustomStringConvertible {
    case text(String)
    case number(Int)
    case flag(Bool)

    /// As the file would say it, without quotes.
    public var description: String {
      switch self {
      case .text(let text): text
      case .number(let number): "\(number)"
      case .flag(let flag): "\(flag)"
      }
    }
  }
}

extension Configuration {
  /// Every value in force, those that nobody gave as well.
  public var shown: [ShownValue] {
    listen.map { Configuration.shown($0, as: "listen") } + shownHTTP + shownProxies + shownTLS + shownSettings
      + shownAccess
      + chains.flatMap(Configuration.shown(chain:)) + topics.map(Configuration.shown(topics:))
      + shownStore + (record?.shown ?? []) + (trace?.shown ?? []) + shownCluster
  }

  /// What the nodes of a cluster have in common, without what each says by itself.
  var shownCommon: [ShownValue] { shownAccess + chains.flatMap(Configuration.shown(chain:)) }

  /// Of credentials it tells the file alone.
  private var shownCluster: [ShownValue] {
    guard let cluster, let name = cluster.name else { return [] }
    func shown(_ key: String, _ text: String, _ origin: Origin, needsStart: Bool = true) -> ShownValue {
      ShownValue(name: "cluster.\(key)", value: .text(text), origin: origin, needsStart: needsStart)
    }
    let place = cluster.nodesOrigin ?? name.origin
    let files = [
      ("engine_credentials", cluster.credentials), ("engine_tls.authority", cluster.authority),
      ("engine_tls.certificate", cluster.certificate), ("engine_tls.key", cluster.key),
    ]
    return [shown("name", name.value, name.origin)]
      + (cluster.node.map { [shown("node", $0.value, $0.origin)] } ?? [])
      + cluster.nodes.map {
        shown("nodes.\($0.name)", $0.address + ($0.pages.map { ", http \($0)" } ?? ""), place, needsStart: false)
      }
      + cluster.engine.map { shown("engine", "\($0.value)", $0.origin) }
      + files.compactMap { key, path in path.map { shown(key, $0.value, $0.origin) } }
      + (cluster.isPlain.map { [shown("engine_plain", "\($0.value)", $0.origin)] } ?? [])
      + (cluster.replicas.map { [shown("engine_replicas", "\($0.value)", $0.origin)] } ?? [])
  }

  private var shownStore: [ShownValue] {
    [
      ShownValue(
        name: "store", value: .text(store?.value ?? "none"), origin: store?.origin ?? .byDefault, needsStart: true)
    ]
  }

  private static func shown(topics entry: Sourced<KeptTopics>) -> ShownValue {
    let time = entry.value.keepMilliseconds.map { ", keep_ms \($0)" } ?? ""
    let pattern = String(decoding: entry.value.pattern, as: UTF8.self)
    return ShownValue(name: "topics", value: .text("\(pattern), keep \(entry.value.keep)\(time)"), origin: entry.origin)
  }

  private var shownHTTP: [ShownValue] {
    let places = http.map { Configuration.shown($0, as: "http") }
    let hosts = httpHosts.map { ShownValue(name: "http_hosts", value: .text($0.value), origin: $0.origin) }
    let origins = allowOrigins.map { ShownValue(name: "allow_origins", value: .text($0.value), origin: $0.origin) }
    let off = [ShownValue(name: "http", value: .text("off"), origin: httpOrigin)]
    return (places.isEmpty ? off : places) + hosts + origins
  }

  private var shownProxies: [ShownValue] {
    func shown(_ name: String, _ value: Sourced<String>) -> ShownValue {
      ShownValue(name: name, value: .text(value.value), origin: value.origin)
    }
    let address = publicAddress.map { shown("public_address", Sourced($0.value.text, from: $0.origin)) }
    let named = proxies.map { shown("proxies", Sourced("\($0.value)", from: $0.origin)) }
    let header = proxyHeader.map { shown("proxy_header", Sourced($0.value.rawValue, from: $0.origin)) }
    return [address].compactMap(\.self) + named + [header].compactMap(\.self)
  }

  private static func shown(_ entry: Sourced<ListenEntry>, as name: String) -> ShownValue {
    var words = "\(entry.value.place)"
    if let mode = entry.value.mode {
      let digits = String(mode, radix: 8)
      words += ", mode " + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
    switch entry.value.group {
    case .name(let name): words += ", group \(name)"
    case .number(let number): words += ", group \(number)"
    case nil: break
    }
    if entry.value.takesPlainTokens { words += ", plain_tokens" }
    if entry.value.takesProxyHeader { words += ", proxy_protocol" }
    return ShownValue(name: name, value: .text(words), origin: entry.origin)
  }

  private var shownTLS: [ShownValue] {
    let files = [("certificate", tls.certificate), ("key", tls.key), ("clients", tls.clients)]
    let shown = files.compactMap { name, path in
      path.map { ShownValue(name: "tls.\(name)", value: .text($0.value), origin: $0.origin) }
    }
    let require = tls.requireClients.map {
      ShownValue(name: "tls.require_clients", value: .flag($0.value), origin: $0.origin)
    }
    return shown + (require.map { [$0] } ?? [])
  }

  private var shownSettings: [ShownValue] {
    let defaults = Settings()
    return Settings.table.map { setting in
      let given = settings[setting.name]
      let value = given?.value ?? defaults[keyPath: setting.path]
      return ShownValue(
        name: "settings.\(setting.name)", value: .number(value), origin: given?.origin ?? .byDefault,
        needsStart: setting.needsStart)
    }
  }

  private var shownAccess: [ShownValue] {
    switch access {
    case .trusting(let origin):
      [ShownValue(name: "access", value: .text("everybody on this machine may do everything"), origin: origin)]
    case .open(let origin): [ShownValue(name: "access", value: .text("everybody may do everything"), origin: origin)]
    case .token(_, let origin):
      [ShownValue(name: "access", value: .text("who has the one token may do everything"), origin: origin)]
    case .peers(let peers, _): peers.flatMap(Configuration.shown(peer:))
    }
  }

  private static func shown(peer: PeerEntry) -> [ShownValue] {
    let name = "peers.\(peer.name)"
    let tokens = peer.tokens.map { ShownValue(name: "\(name).token", value: .text("sha256"), origin: $0.origin) }
    let certificates = peer.certificates.map {
      ShownValue(name: "\(name).certificate", value: .text($0.value), origin: $0.origin)
    }
    let users = peer.users.map { ShownValue(name: "\(name).user", value: .text("\($0.value)"), origin: $0.origin) }
    let rights = peer.may.map { ShownValue(name: "\(name).may", value: .text($0.value.spelling), origin: $0.origin) }
    let limits = PeerLimits.table.compactMap { limit in
      peer.limits[keyPath: limit.path].map {
        ShownValue(
          name: "\(name).limits.\(limit.name)", value: .number($0),
          origin: peer.limitOrigins[limit.name] ?? peer.origin)
      }
    }
    let nothing = ShownValue(name: "\(name).may", value: .text("nothing"), origin: peer.origin)
    return tokens + certificates + users + (rights.isEmpty ? [nothing] : rights) + limits
  }

  // MARK: Chains

  /// A line for each link in its order, and one for each of its settings.
  private static func shown(chain: ChainEntry) -> [ShownValue] {
    let name = "chains.\(chain.name)"
    let open = chain.open ?? Sourced(false, from: .byDefault)
    var values = [ShownValue(name: "\(name).open", value: .flag(open.value), origin: open.origin)]
    if chain.links.isEmpty {
      values.append(ShownValue(name: "\(name).links", value: .text("none"), origin: chain.origin))
    }
    for entry in chain.links {
      let kind = entry.link.isMount ? "mount" : "handler"
      let words = "\(kind) \(entry.link.name)"
      values.append(ShownValue(name: "\(name).links", value: .text(words), origin: entry.origin))
      for (key, value) in entry.link.shown {
        let origin = entry.origins[key] ?? .byDefault
        values.append(ShownValue(name: "\(name).\(entry.link.name).\(key)", value: value, origin: origin))
      }
    }
    return values
  }
}

extension DeclaredLink {
  /// Its settings by their keys, in the order of the contract.
  fileprivate var shown: [(key: String, value: ShownValue.Value)] {
    let patterns = ("accepts", ShownValue.Value.text(accepts.joined(separator: ", ")))
    let part = ("percent", ShownValue.Value.number(percent))
    let condition = when.map {
      [("when", ShownValue.Value.text(String(decoding: $0.condition.spelling, as: UTF8.self)))]
    }
    guard !isMount else { return [patterns, part] + (condition ?? []) + [("together", .flag(isTogether))] }
    let byHandler = ShownValue.Value.text("what its handler says")
    return [
      patterns,
      ("timeout_ms", timeoutMilliseconds.map { .number($0) } ?? byHandler),
      ("window", window.map { .number($0) } ?? byHandler),
      ("on_failure", .text(onFailure.words)), ("share", .flag(isShared)), ("hold_ms", .number(holdMilliseconds)),
      ("required", .flag(isRequired)), ("shadow", .flag(isShadow)), part,
    ] + (condition ?? [])
  }
}

extension FailurePolicy {
  /// `continue`, `stop`, or the causes that stop.
  fileprivate var words: String {
    let stops = Cause.allCases.filter { self[$0] }
    if stops.isEmpty { return "continue" }
    if stops.count == Cause.allCases.count { return "stop" }
    return stops.map { "\($0.spelling): stop" }.joined(separator: ", ")
  }
}
