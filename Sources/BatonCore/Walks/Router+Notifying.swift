/// `send` with mode `notify`: tells every link at once, and expects no verdicts (contract, section 4).
extension Router {
  mutating func notify(
    _ topic: UnsafeRawBufferPointer, in chain: Slot<Chain>?, from connection: Slot<Connection>, at now: Instant
  ) {
    var delivered = 0
    if let chain {
      let topicText = OwnedBytes(quoting: topic)
      for link in linksToTell(of: topic, in: chain) {
        guard let replica = nextReplica(of: link, at: now, isForNotice: true) else { continue }
        let isTold = writeNotice(to: replica, topicText.bytes, from: connection, at: now)
        if isTold, !links[link].settings.isShadow { delivered += 1 }
      }
    }
    replyDelivered(delivered, to: connection, at: now)
  }

  /// Every link that accepts the topic, in the order of a walk: through mounts, each chain once.
  private mutating func linksToTell(of topic: UnsafeRawBufferPointer, in chain: Slot<Chain>) -> [Slot<Link>] {
    var all: [Slot<Link>] = []
    var visited: Set = [chain]
    var stack = [(chain: chain, position: 0)]
    while let top = stack.last {
      let list = acceptList(of: topic, in: top.chain)
      guard top.position < acceptLists[list.slot].links.count else {
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].position += 1
      let link = acceptLists[list.slot].links[top.position]
      guard links[link].fate == nil else { continue }
      let mounted = links[link].mounted
      if mounted == .nobody {
        all.append(link)
      } else if visited.insert(mounted).inserted {
        stack.append((mounted, 0))
      }
    }
    return all
  }

  /// Writes the notice, unless the handler is too far behind. A dropped notice is counted, and the handler is told
  /// later.
  private mutating func writeNotice(
    to replica: Slot<Replica>, _ topicText: UnsafeRawBufferPointer, from connection: Slot<Connection>, at now: Instant
  ) -> Bool {
    let handler = replicas[replica].connection
    guard hasRoomForEvents(handler, at: now) else { return false }
    let (payload, meta) = (request.raw(.payload), request.raw(.meta))
    let bound =
      128 + replicas[replica].label.count + topicText.count + payload.count + meta.count
      + connections[connection].from.count
    var writer = beginLine(to: handler, atMost: bound)
    writer.literal("{\"op\":\"notice\",\"walk\":")
    writer.integer(walkNumber)
    writer.literal(",")
    writer.raw(replicas[replica].label.bytes)
    writer.literal(",\"topic\":")
    writer.raw(topicText)
    writer.payload(payload)
    writer.meta(meta)
    writer.literal(",\"from\":")
    writer.raw(connections[connection].from.bytes)
    if links[replicas[replica].link.slot].settings.isShadow { writer.literal(",\"shadow\":true") }
    writer.literal("}\n")
    commitLine(writer, to: handler, at: now)
    return true
  }
}
