/// `hello`, `ping` and `help` (contract, section 8).
extension Router {
  mutating func hello(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    if identities.isAsked {
      guard try identify(connection, at: now) else { return }
    } else if request.has(.name) {
      nameConnection(connection, request.text(.name).string)
    }
    if let heartbeat = request.integer(.heartbeatMilliseconds) {
      setHeartbeat(heartbeat, of: connection)
      armConnection(connection, at: now.advanced(milliseconds: heartbeat))
    }
    let identity = connections[connection].identity
    let bound = 544 + (identity == .nobody ? 0 : identities[identity].welcome.count)
    guard
      var writer = beginReply(
        "welcome", as: .welcome, to: connection, atMost: bound + LineWriter.bound(text: settings.version.utf8.count))
    else { return }
    writer.literal(",\"server\":\"baton\",\"version\":")
    writer.text(settings.version)
    writer.literal(",\"protocol\":")
    writer.integer(settings.protocolVersion)
    writer.literal(",\"start\":\"")
    writer.raw(settings.process.startSpelled)
    writer.literal("\",\"connection\":")
    writer.integer(connections[connection].number)
    writer.literal(",\"max_line\":")
    writer.integer(connections[connection].isStranger ? Router.strangersLine : settings.maxLine)
    writeShare(of: connection, to: &writer)
    if let node = settings.process.node {
      writer.literal(",\"node\":")
      writer.text(node)
    }
    if identity != .nobody { writer.raw(identities[identity].welcome.bytes) }
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  /// How many messages the connection may have under way, how many bytes they may take, and how much time one has that
  /// names none. What its identity may have counts where that is less. And for how long a store remembers names.
  private mutating func writeShare(of connection: Slot<Connection>, to writer: inout LineWriter) {
    guard !connections[connection].isStranger else { return }
    let identity = connections[connection].identity
    let limits = identity == .nobody ? nil : identities[identity].limits
    writer.count(",\"max_open_messages\":", min(settings.maxOpenMessages, limits?.openMessages ?? .max))
    writer.count(",\"max_open_bytes\":", min(settings.maxOpenBytes, limits?.openBytes ?? .max))
    writer.count(",\"timeout_ms\":", settings.timeoutMilliseconds)
    if desk.isThere { writer.count(",\"remembered_ms\":", settings.rememberedMilliseconds) }
  }

  mutating func pong(to connection: Slot<Connection>, at now: Instant) {
    guard var writer = beginReply("pong", as: .pong, to: connection, atMost: 64) else { return }
    writer.literal("}\n")
    commitLine(writer, to: connection, at: now)
  }

  mutating func help(to connection: Slot<Connection>, at now: Instant) {
    spent &+= Cost.error
    guard var writer = beginReply("help", as: .told, to: connection, atMost: 64 + Op.examples.utf8.count) else {
      return
    }
    writer.literal(",\"ops\":[")
    writer.raw(Op.examples)
    writer.literal("]}\n")
    commitLine(writer, to: connection, at: now)
  }
}
