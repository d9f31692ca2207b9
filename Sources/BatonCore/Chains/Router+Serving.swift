/// The replicas of a link, each on its own connection (contract, section 5).
extension Router {
  /// A connection begins to serve a link, as the last of its replicas.
  mutating func serveLink(_ link: Slot<Link>, by connection: Slot<Connection>, at now: Instant) {
    let patterns = links[link].settings.weight
    let isLasting = links[link].settings.isLasting && !links[link].isDeclared
    let replica = replicas.insert(
      Replica(
        link: links.ref(link), connection: connection, patterns: patterns, isLasting: isLasting,
        chain: chains[links[link].chain].name.bytes, name: links[link].name.bytes))
    countPatterns(patterns, of: connection)
    let latest = connections[connection].serving.lastReplica
    replicas[replica].previous = latest
    if latest != .nobody {
      replicas[latest].next = replica
    } else {
      connections[connection].serving.firstReplica = replica
    }
    connections[connection].serving.lastReplica = replica
    connections[connection].serving.replicas += 1
    countLinks(1, of: connection)
    if isLasting { countLasting(1, patterns: patterns, of: connection) }
    let last = links[link].lastReplica
    replicas[replica].previousAtLink = last
    if last != .nobody { replicas[last].nextAtLink = replica } else { links[link].firstReplica = replica }
    links[link].lastReplica = replica
    links[link].connections += 1
    fillPlace(link)
    noteServed(link)
    noteWindow(of: link)
    updateReading(of: connection, at: now)
  }

  /// A connection no longer serves a link. Its replica stays until the offers that it holds are settled.
  mutating func detachReplica(_ replica: Slot<Replica>, at now: Instant) {
    let connection = replicas[replica].connection
    countPatterns(-replicas[replica].patterns, of: connection)
    connections[connection].serving.replicas -= 1
    countLinks(-1, of: connection)
    if replicas[replica].isLasting { countLasting(-1, patterns: -replicas[replica].patterns, of: connection) }
    takeFromConnection(replica)

    let link = replicas[replica].link.slot
    let (before, behind) = (replicas[replica].previousAtLink, replicas[replica].nextAtLink)
    if before != .nobody { replicas[before].nextAtLink = behind } else { links[link].firstReplica = behind }
    if behind != .nobody { replicas[behind].previousAtLink = before } else { links[link].lastReplica = before }
    links[link].connections -= 1
    if links[link].served == replica { links[link].served = before }
    replicas[replica].isDetached = true
    releaseReplicaIfUnused(replica)
    noteWindow(of: link)
    updateReading(of: connection, at: now)
  }

  private mutating func takeFromConnection(_ replica: Slot<Replica>) {
    let connection = replicas[replica].connection
    let (previous, next) = (replicas[replica].previous, replicas[replica].next)
    if previous != .nobody {
      replicas[previous].next = next
    } else {
      connections[connection].serving.firstReplica = next
    }
    if next != .nobody {
      replicas[next].previous = previous
    } else {
      connections[connection].serving.lastReplica = previous
    }
  }

  /// Moves a replica behind all others of its connection.
  mutating func moveToEnd(_ replica: Slot<Replica>) {
    takeFromConnection(replica)
    let connection = replicas[replica].connection
    let last = connections[connection].serving.lastReplica
    replicas[replica].previous = last
    replicas[replica].next = .nobody
    if last != .nobody { replicas[last].next = replica } else { connections[connection].serving.firstReplica = replica }
    connections[connection].serving.lastReplica = replica
  }

  /// Detaches all replicas of a link.
  mutating func detachAll(of link: Slot<Link>, at now: Instant) {
    while links[link].firstReplica != .nobody { detachReplica(links[link].firstReplica, at: now) }
  }

  /// The replica of a link on a connection, if the connection serves the link.
  mutating func findReplica(of link: Slot<Link>, on connection: Slot<Connection>) -> Slot<Replica>? {
    var replica = links[link].firstReplica
    while replica != .nobody {
      if replicas[replica].connection == connection { return replica }
      replica = replicas[replica].nextAtLink
    }
    return nil
  }

  /// Forgets a replica that is detached and whose offers are settled.
  @inline(__always)
  mutating func releaseReplicaIfUnused(_ replica: Slot<Replica>) {
    if replicas[replica].isDetached { releaseDetached(replica) }
  }

  @inline(never)
  private mutating func releaseDetached(_ replica: Slot<Replica>) {
    if replicas[replica].open == 0, replicas[replica].lent == 0 { replicas.remove(replica) }
  }
}
