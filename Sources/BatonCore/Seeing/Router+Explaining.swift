// Seeing: the answers to `explain` and `inspect`. It changes nothing.

/// `explain`: tells link by link what would happen to a message (contract, section 8). Nothing is offered, and nothing
/// changes.
extension Router {
  mutating func explain(to connection: Slot<Connection>, at now: Instant) {
    let name = request.chainName()
    let chain = findChain(name.bytes)
    let topic = OwnedBytes(copying: request.text(.topic))
    let bound = 128 + LineWriter.bound(pattern: topic.count) + name.count
    guard var writer = beginReply("explained", to: connection, atMost: bound) else { return }
    writer.literal(",\"topic\":")
    writer.text(topic.bytes)
    writer.literal(",\"chain\":")
    writer.text(name.bytes)
    if let chain, chains[chain].live > 0 {
      writer.literal(",\"version\":")
      writer.integer(chains[chain].version)
    }
    writer.literal(",\"links\":[")
    commitLine(writer, to: connection, at: now)
    if let chain { explainLinks(of: chain, to: connection, topic.bytes, at: now) }
    writer = beginLine(to: connection, atMost: 8)
    writer.literal("]}\n")
    extendLifetime(topic)
    extendLifetime(name)
    commitLine(writer, to: connection, at: now)
  }

  /// Writes every link in the order of a walk: through mounts, each chain once.
  private mutating func explainLinks(
    of chain: Slot<Chain>, to connection: Slot<Connection>, _ topic: UnsafeRawBufferPointer, at now: Instant
  ) {
    var visited: Set = [chain]
    var isFirst = true
    var stack = [(chain: chain, next: 0, accepting: acceptingLinks(of: chain, topic))]
    while let (chain, next, accepting) = stack.last {
      guard next < chains[chain].order.count else {
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      let link = chains[chain].order[next]
      guard links[link].fate == nil else { continue }
      let mounted = links[link].mounted
      let isWanted = accepting.contains(link)
      let isNew = isWanted && mounted != .nobody && visited.insert(mounted).inserted
      writeExpectation(of: link, isFirst: isFirst, isWanted: isWanted, isNew: isNew, to: connection, at: now)
      isFirst = false
      if isNew { stack.append((mounted, 0, acceptingLinks(of: mounted, topic))) }
    }
  }

  private mutating func acceptingLinks(of chain: Slot<Chain>, _ topic: UnsafeRawBufferPointer) -> Set<Slot<Link>> {
    Set(acceptLists[acceptList(of: topic, in: chain).slot].links)
  }

  /// Writes what the link would do. `isNew` is for a mount: whether its chain was not entered before.
  private mutating func writeExpectation(
    of link: Slot<Link>, isFirst: Bool, isWanted: Bool, isNew: Bool, to connection: Slot<Connection>, at now: Instant
  ) {
    var writer = beginLine(to: connection, atMost: 320)
    writer.literal(isFirst ? "{" : ",{")
    writer.raw(placeText(of: link))
    writer.literal(",\"would\":")
    let isMount = links[link].mounted != .nobody
    let obstacle = isWanted && !isMount && !links[link].settings.isShadow ? findObstacle(at: link, now) : nil
    if !isWanted {
      writer.literal("\"skip\",\"reason\":\"topic\"")
    } else if isMount {
      writer.literal(isNew ? "\"offer\"" : "\"skip\",\"reason\":\"visited\"")
    } else if links[link].settings.isShadow {
      writer.literal("\"offer\",\"reason\":\"shadow\"")
    } else if let obstacle {
      writer.literal(obstacle.cause == nil ? "\"wait\"" : "\"skip\"")
      writer.literal(",\"reason\":\"")
      writer.literal(obstacle.spelling)
      writer.literal("\"")
      if let cause = obstacle.cause, links[link].settings.onFailure[cause] {
        writer.literal(",\"on_failure\":\"stop\"")
      }
    } else {
      writer.literal("\"offer\"")
    }
    writer.literal("}")
    commitLine(writer, to: connection, at: now)
  }
}
