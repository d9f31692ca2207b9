/// `inspect` (contract, section 8).
extension Router {
  /// Links told at most in one reply.
  private static let most = 1000

  mutating func inspect(to connection: UInt32, at now: Instant) {
    guard var writer = beginReply("chains", to: connection, atMost: 64) else { return }
    writer.literal(",\"chains\":[")
    commit(writer, to: connection, at: now)
    let isComplete = writeChains(chainsOfLine(), to: connection, at: now)
    writer = line(to: connection, atMost: 32)
    writer.literal("]")
    if !isComplete { writer.literal(",\"more\":true") }
    commit(writer, to: connection, at: now)
    if reader.flag(.server) == true { writeServer(to: connection, at: now) }
    writer = line(to: connection, atMost: 8)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  /// The chain that the line names, or all that have links, by name.
  private mutating func chainsOfLine() -> [UInt32] {
    if reader.has(.chain) {
      guard let chain = findChain(reader.text(.chain)), chains[chain].live > 0 else { return [] }
      return [chain]
    }
    var all: [UInt32] = []
    for chain in 0..<chains.extent where chains.isTaken(chain) && chains[chain].live > 0 {
      all.append(chain)
      // One more than are told: so it is known that there are more.
      if all.count > Router.most { break }
    }
    return all.map { (name: chains[$0].name.string, chain: $0) }.sorted { $0.name < $1.name }.map(\.chain)
  }

  /// True if all links found room.
  private mutating func writeChains(_ all: [UInt32], to connection: UInt32, at now: Instant) -> Bool {
    var left = Router.most
    let oldestKeyed = oldestKeyed()
    for (number, chain) in all.enumerated() {
      if left == 0 { return false }
      var writer = line(to: connection, atMost: 256)
      writer.literal(number == 0 ? "{\"chain\":" : ",{\"chain\":")
      writer.text(chains[chain].name.bytes)
      writer.literal(",\"version\":")
      writer.integer(chains[chain].version)
      if chains[chain].keyed > 0 {
        Router.write("keyed", chains[chain].keyed, to: &writer)
        Router.write("keyed_oldest_ms", now.milliseconds(since: oldestKeyed[chain] ?? now), to: &writer)
      }
      writer.literal(",\"links\":[")
      commit(writer, to: connection, at: now)
      var position = 0
      for link in chains[chain].order where links[link].fate == nil && position < left {
        position += 1
        writeLink(link, position: position, to: connection, at: now)
      }
      left -= position
      writer = line(to: connection, atMost: 8)
      writer.literal("]}")
      commit(writer, to: connection, at: now)
      if position < chains[chain].live { return false }
    }
    return true
  }

  /// By chain, since when the one that has waited longest for its key does so.
  private mutating func oldestKeyed() -> [UInt32: Instant] {
    var oldest: [UInt32: Instant] = [:]
    for queue in 0..<keyQueues.extent where keyQueues.isTaken(queue) && keyQueues[queue].first != .nobody {
      let since = walks[keyQueues[queue].first].reached
      oldest[keyQueues[queue].chain] = min(since, oldest[keyQueues[queue].chain] ?? since)
    }
    return oldest
  }

  private mutating func writeLink(_ link: UInt32, position: Int, to connection: UInt32, at now: Instant) {
    let patterns = links[link].settings.accepts
    let bound = 1024 + patterns.reduce(0) { $0 + LineWriter.bound(pattern: $1.count) + 1 }
    var writer = line(to: connection, atMost: bound)
    let isMount = links[link].mounted != .nobody
    writer.literal(position == 1 ? "{\"" : ",{\"")
    writer.literal(isMount ? "mount\":" : "handler\":")
    writer.text(links[link].name.bytes)
    writer.literal(",\"rank\":")
    writer.number(links[link].rank)
    Router.write("position", position, to: &writer)
    writer.literal(",\"accepts\":[")
    for (number, pattern) in patterns.enumerated() {
      if number > 0 { writer.literal(",") }
      pattern.withUnsafeBytes { writer.text($0) }
    }
    writer.literal("]")
    if isMount {
      writer.literal("}")
      return commit(writer, to: connection, at: now)
    }
    let (connections, open) = serving(link)
    Router.write("connections", connections, to: &writer)
    Router.write("open", open, to: &writer)
    Router.write("waiting", links[link].waiting, to: &writer)
    let oldest = links[link].firstWalk
    Router.write("oldest_ms", oldest == .nobody ? 0 : now.milliseconds(since: walks[oldest].reached), to: &writer)
    Router.write("window", links[link].settings.window, to: &writer)
    writer.literal(",\"state\":\"")
    if links[link].settings.isShadow {
      writer.literal("shadow")
    } else {
      writer.literal(obstacle(at: link, now)?.spelling ?? "open")
    }
    writer.literal("\"")
    Router.write(links[link].counts, to: &writer)
    if links[link].settings.isShadow {
      Router.write("agreed", links[link].counts.agreed, to: &writer)
      Router.write("disagreed", links[link].counts.disagreed, to: &writer)
    }
    if let median = links[link].times.quantile(0.5), let high = links[link].times.quantile(0.99) {
      Router.write("p50_us", median, to: &writer)
      Router.write("p99_us", high, to: &writer)
    }
    writer.literal("}")
    commit(writer, to: connection, at: now)
  }

  /// How many connections serve a link, and how many offers they hold.
  mutating func serving(_ link: UInt32) -> (connections: Int, open: Int) {
    var (connections, open) = (0, 0)
    var replica = links[link].firstReplica
    while replica != .nobody {
      connections += 1
      open += replicas[replica].open
      replica = replicas[replica].nextAtLink
    }
    return (connections, open)
  }

  private static func write(_ counts: Link.Counts, to writer: inout LineWriter) {
    write("handled", counts.handled, to: &writer)
    write("continue", counts.continued, to: &writer)
    write("reject", counts.reject, to: &writer)
    write("failed", counts.failed, to: &writer)
    write("timeout", counts.timeout, to: &writer)
    write("disconnect", counts.disconnect, to: &writer)
    write("overload", counts.overload, to: &writer)
    write("breaker", counts.breaker, to: &writer)
  }

  static func write(_ name: StaticString, _ number: Int, to writer: inout LineWriter) {
    writer.literal(",\"")
    writer.literal(name)
    writer.literal("\":")
    writer.integer(number)
  }
}
