/// `inspect`: tells the state of chains and their links (contract, section 8).
extension Router {
  /// The most links that one reply has.
  private static let mostLinks = 1000

  mutating func inspect(to connection: Slot<Connection>, at now: Instant) {
    guard var writer = beginReply("chains", to: connection, atMost: 64) else { return }
    writer.literal(",\"chains\":[")
    commitLine(writer, to: connection, at: now)
    let isComplete = writeChains(chainsOfLine(), to: connection, at: now)
    writer = beginLine(to: connection, atMost: 32)
    writer.literal("]")
    if !isComplete { writer.literal(",\"more\":true") }
    commitLine(writer, to: connection, at: now)
    if request.flag(.server) == true { writeServer(to: connection, at: now) }
    writer = beginLine(to: connection, atMost: 8)
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// The chain that the request names. If it names none, all chains that have links, by name.
  private mutating func chainsOfLine() -> [Slot<Chain>] {
    if request.has(.chain) {
      guard let chain = findChain(request.text(.chain)), chains[chain].live > 0 else { return [] }
      return [chain]
    }
    var all: [Slot<Chain>] = []
    for chain in chains.slots where chains.isTaken(chain) && chains[chain].live > 0 {
      all.append(chain)
      // One more than the reply has, so that the end of the reply can say that there are more.
      if all.count > Router.mostLinks { break }
    }
    return all.map { (name: chains[$0].name.string, chain: $0) }.sorted { $0.name < $1.name }.map(\.chain)
  }

  /// Returns true if all links had room.
  private mutating func writeChains(_ all: [Slot<Chain>], to connection: Slot<Connection>, at now: Instant) -> Bool {
    var left = Router.mostLinks
    let oldestKeyed = oldestKeyed()
    for (number, chain) in all.enumerated() {
      if left == 0 { return false }
      var writer = beginLine(to: connection, atMost: 256)
      writer.literal(number == 0 ? "{\"chain\":" : ",{\"chain\":")
      writer.text(chains[chain].name.bytes)
      writer.literal(",\"version\":")
      writer.integer(chains[chain].version)
      if chains[chain].keyed > 0 {
        writer.count(",\"keyed\":", chains[chain].keyed)
        writer.count(",\"keyed_oldest_ms\":", now.milliseconds(since: oldestKeyed[chain] ?? now))
      }
      writer.literal(",\"links\":[")
      commitLine(writer, to: connection, at: now)
      var position = 0
      for link in chains[chain].order where links[link].fate == nil && position < left {
        position += 1
        writeLink(link, position: position, to: connection, at: now)
      }
      left -= position
      writer = beginLine(to: connection, atMost: 8)
      writer.literal("]}")
      commitLine(writer, to: connection, at: now)
      if position < chains[chain].live { return false }
    }
    return true
  }

  /// For each chain, the time since which the oldest message waits for its key.
  private mutating func oldestKeyed() -> [Slot<Chain>: Instant] {
    var oldest: [Slot<Chain>: Instant] = [:]
    for queue in keyQueues.slots where keyQueues.isTaken(queue) && keyQueues[queue].first != .nobody {
      let since = walks[keyQueues[queue].first].reached
      oldest[keyQueues[queue].chain] = min(since, oldest[keyQueues[queue].chain] ?? since)
    }
    return oldest
  }

  private mutating func writeLink(_ link: Slot<Link>, position: Int, to connection: Slot<Connection>, at now: Instant) {
    let patterns = links[link].settings.accepts
    let bound = 1024 + patterns.reduce(0) { $0 + LineWriter.bound(pattern: $1.count) + 1 }
    var writer = beginLine(to: connection, atMost: bound)
    let isMount = links[link].mounted != .nobody
    writer.literal(position == 1 ? "{\"" : ",{\"")
    writer.literal(isMount ? "mount\":" : "handler\":")
    writer.text(links[link].name.bytes)
    writer.literal(",\"rank\":")
    writer.number(links[link].rank)
    writer.count(",\"position\":", position)
    writer.literal(",\"accepts\":[")
    for (number, pattern) in patterns.enumerated() {
      if number > 0 { writer.literal(",") }
      pattern.withUnsafeBytes { writer.text($0) }
    }
    writer.literal("]")
    if isMount {
      writer.literal("}")
      return commitLine(writer, to: connection, at: now)
    }
    writer.count(",\"connections\":", links[link].connections)
    writer.count(",\"open\":", openOffers(at: link))
    writer.count(",\"waiting\":", links[link].waiting)
    let oldest = links[link].firstWalk
    writer.count(",\"oldest_ms\":", oldest == .nobody ? 0 : now.milliseconds(since: walks[oldest].reached))
    writer.count(",\"window\":", links[link].settings.window)
    writer.literal(",\"state\":\"")
    if links[link].settings.isShadow {
      writer.literal("shadow")
    } else {
      writer.literal(findObstacle(at: link, now)?.spelling ?? "open")
    }
    writer.literal("\"")
    writer.counts(links[link].counts)
    if links[link].settings.isShadow {
      writer.count(",\"agreed\":", links[link].counts.agreed)
      writer.count(",\"disagreed\":", links[link].counts.disagreed)
    }
    if let median = links[link].times.quantile(0.5), let high = links[link].times.quantile(0.99) {
      writer.count(",\"p50_us\":", median)
      writer.count(",\"p99_us\":", high)
    }
    writer.literal("}")
    commitLine(writer, to: connection, at: now)
  }

  /// The number of offers that the connections of a link hold.
  private mutating func openOffers(at link: Slot<Link>) -> Int {
    var open = 0
    var replica = links[link].firstReplica
    while replica != .nobody {
      open += replicas[replica].open
      replica = replicas[replica].nextAtLink
    }
    return open
  }
}

extension LineWriter {
  fileprivate mutating func counts(_ counts: Link.Counts) {
    count(",\"handled\":", counts.handled)
    count(",\"continue\":", counts.continued)
    count(",\"reject\":", counts.reject)
    count(",\"failed\":", counts.failed)
    count(",\"timeout\":", counts.timeout)
    count(",\"disconnect\":", counts.disconnect)
    count(",\"overload\":", counts.overload)
    count(",\"breaker\":", counts.breaker)
  }
}
