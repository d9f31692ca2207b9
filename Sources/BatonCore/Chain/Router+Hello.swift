/// `hello`, `ping` and `help` (contract, section 8).
extension Router {
  mutating func hello(from connection: UInt32, at now: Instant) {
    if reader.has(.name) {
      connections[connection].from = OwnedBytes("\"\(reader.text(.name).string)\"")
    }
    if let heartbeat = reader.integer(.heartbeatMilliseconds) {
      connections[connection].heartbeat = heartbeat
      arm(connection, at: now.advanced(milliseconds: heartbeat))
    }
    guard reader.wantsReply else { return }
    let id = reader.id(isOffer: false)
    var writer = line(to: connection, atMost: 256 + id.count + LineWriter.bound(text: settings.version.utf8.count))
    writer.literal("{\"op\":\"welcome\"")
    Router.writeID(id, to: &writer)
    writer.literal(",\"server\":\"baton\",\"version\":")
    writer.text(settings.version)
    writer.literal(",\"protocol\":")
    writer.integer(Settings.protocolVersion)
    writer.literal(",\"connection\":")
    writer.integer(connections[connection].number)
    writer.literal(",\"max_line\":")
    writer.integer(settings.maxLine)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  mutating func pong(to connection: UInt32, at now: Instant) {
    guard reader.wantsReply else { return }
    let id = reader.id(isOffer: false)
    var writer = line(to: connection, atMost: 64 + id.count)
    writer.literal("{\"op\":\"pong\"")
    Router.writeID(id, to: &writer)
    writer.literal("}\n")
    commit(writer, to: connection, at: now)
  }

  mutating func help(to connection: UInt32, at now: Instant) {
    guard reader.wantsReply else { return }
    let id = reader.id(isOffer: false)
    let examples = Op.allCases.map(\.example).joined(separator: ",")
    var writer = line(to: connection, atMost: 64 + id.count + examples.utf8.count)
    writer.literal("{\"op\":\"help\"")
    Router.writeID(id, to: &writer)
    writer.literal(",\"ops\":[")
    writer.raw(examples)
    writer.literal("]}\n")
    commit(writer, to: connection, at: now)
  }
}
