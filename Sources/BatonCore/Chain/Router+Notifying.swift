/// `send` with mode `notify`: tell every link at once, expect no verdicts (contract, section 4).
extension Router {
  mutating func checkNotify() throws(Fault) {
    for member in [Member.timeoutMilliseconds, .key, .trace] where reader.has(member) {
      throw Fault(
        .badMember, "\"\(member.spelling)\" is not allowed in the mode \"notify\", which has no answers; leave it out"
      )
    }
  }

  mutating func notify(
    _ topic: UnsafeRawBufferPointer, in chain: UInt32?, from connection: UInt32, at now: Instant
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

  /// Every link for the topic in the order of a walk, through mounts, each chain once.
  private mutating func linksToTell(of topic: UnsafeRawBufferPointer, in chain: UInt32) -> [UInt32] {
    var all: [UInt32] = []
    var visited: Set = [chain]
    var stack = [(chain: chain, position: 0)]
    while let top = stack.last {
      let list = list(of: topic, in: top.chain)
      guard top.position < lists[list.index].links.count else {
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].position += 1
      let link = lists[list.index].links[top.position]
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

  /// Writes the notice, unless the handler is too far behind: then it is counted, and told later.
  private mutating func writeNotice(
    to replica: UInt32, _ topicText: UnsafeRawBufferPointer, from connection: UInt32, at now: Instant
  ) -> Bool {
    let handler = replicas[replica].connection
    guard hasRoomForEvents(handler, at: now) else { return false }
    let (payload, meta) = (reader.raw(.payload), reader.raw(.meta))
    let bound =
      128 + replicas[replica].label.count + topicText.count + payload.count + meta.count
      + connections[connection].from.count
    var writer = line(to: handler, atMost: bound)
    writer.literal("{\"op\":\"notice\",\"walk\":")
    writer.integer(walkNumber)
    writer.literal(",")
    writer.raw(replicas[replica].label.bytes)
    writer.literal(",\"topic\":")
    writer.raw(topicText)
    Router.writePayload(payload, to: &writer)
    Router.writeMeta(meta, to: &writer)
    writer.literal(",\"from\":")
    writer.raw(connections[connection].from.bytes)
    if links[replicas[replica].link.index].settings.isShadow { writer.literal(",\"shadow\":true") }
    writer.literal("}\n")
    commit(writer, to: handler, at: now)
    return true
  }
}
