internal import BatonCore

extension Configuration.Assembly {
  /// Finds out what of a cluster does not fit together.
  mutating func checkCluster() {
    guard let cluster, let name = cluster.name else {
      if let node = flags.cluster.node { wrong(node.origin, "a node is one of a cluster; name it, too (--cluster)") }
      return
    }
    let what = name.origin
    if name.value.isEmpty { wrong(what, "a cluster needs a name, which all its nodes have in common") }
    checkNodes(cluster, what)
    checkEngine(cluster, what)
  }

  private mutating func checkNodes(_ cluster: ClusterEntry, _ what: Origin) {
    let (names, place) = (cluster.nodes.map(\.name), cluster.nodesOrigin ?? what)
    if !ClusterEntry.nodeCounts.contains(names.count) {
      wrong(
        place,
        "a cluster has from \(ClusterEntry.nodeCounts.lowerBound) to \(ClusterEntry.nodeCounts.upperBound) nodes, "
          + "as in nodes: { a: 10.0.0.1:22866, b: 10.0.0.2:22866 }")
    }
    for (number, node) in cluster.nodes.enumerated() {
      if names[..<number].contains(node.name) { wrong(place, "two nodes are called \(quoted(node.name))") }
      if cluster.nodes[..<number].contains(where: { $0.address == node.address }) {
        wrong(place, "two nodes have the address \(node.address)")
      }
    }
    if let node = cluster.node, !names.contains(node.value) {
      wrong(node.origin, "the cluster has no node \(quoted(node.value)); it has \(names.joined(separator: ", "))")
    }
  }

  private mutating func checkEngine(_ cluster: ClusterEntry, _ what: Origin) {
    if cluster.engine.isEmpty {
      wrong(what, "a cluster needs its servers of NATS, as in engine: [nats://127.0.0.1:4222]")
    }
    if cluster.engine.count > ClusterEntry.mostEngines {
      wrong(cluster.engine[0].origin, "engine names more than \(ClusterEntry.mostEngines) servers")
    }
    if let file = cluster.certificate ?? cluster.key, cluster.certificate == nil || cluster.key == nil {
      wrong(file.origin, "engine_tls needs the certificate and its key")
    }
    let plain = cluster.engine.first { !$0.value.isEncrypted && !ListenEntry.isLoopback($0.value.host) }
    if let plain, let credentials = cluster.credentials, cluster.isPlain?.value != true {
      wrong(
        credentials.origin,
        "these would go to \(plain.value) where anybody on the way can read them; write tls:// there, or say "
          + "engine_plain: true if something else encrypts the way")
    }
  }

  /// What only the machine of the server can tell.
  mutating func checkClustersFiles(isServers: Bool) {
    guard let cluster, cluster.name != nil else { return }
    if isServers, cluster.node == nil {
      wrong(cluster.name?.origin ?? .byDefault, "which node is this? Say it with --node, or with BATON_NODE")
    }
    guard isServers, let path = cluster.credentials else { return }
    do throws(ConfigMistake) { _ = try EngineCredentials(path) } catch { wrong(error.origin, error.message) }
  }
}

extension Configuration {
  /// The digest of what all nodes of a cluster must have in common: chains, peers, topics and given settings. What is left out
  /// does not count, so that versions with other defaults are alike.
  public var commonDigest: String {
    // A node without a store could not take over what one with a store has accepted.
    var lines = (store == nil ? [] : ["store"]) + settings.map { "settings.\($0.key) \($0.value.value)" }.sorted()
    lines += chains.flatMap { chain in shownCommon.filter { $0.name.hasPrefix("chains.\(chain.name).") } }.map {
      "\($0.name) \($0.value)"
    }
    lines += topics.map {
      "topics \(String(decoding: $0.value.pattern, as: UTF8.self)) \($0.value.keep) \($0.value.keepMilliseconds ?? 0)"
    }
    switch access {
    case .trusting: lines.append("access trusting")
    case .open: lines.append("access open")
    case .token(let token, _): lines.append("access token \(token.spelling)")
    case .peers(let peers, _):
      for peer in peers {
        lines += peer.tokens.map { "peers.\(peer.name).token \($0.value.spelling)" }.sorted()
      }
    }
    lines += shownCommon.filter { $0.name.hasPrefix("peers.") }.map { "\($0.name) \($0.value)" }
    return TokenDigest(of: lines.joined(separator: "\n")).spelling
  }
}
