/// What a peer says about a declared link, and what counts of it (contract, section 12).
extension Router {
  /// The settings with which a peer serves a declared link: the file's, and the line's where the file says nothing. Notes
  /// what of the line does not count. `isNew`: the line is an `insert`, and what it leaves out has its default.
  mutating func takeDeclared(_ link: Slot<Link>, broughtBy line: LinkSettings, isNew: Bool) -> LinkSettings {
    ignored = []
    guard let declared = declaration(of: link) else { return line }
    let settings = settingsInForce(of: declared, brought(to: link, isNew: isNew))
    noteIgnored(line, settings, rank: links[link].rank)
    return settings
  }

  /// What the link's handler has brought, when it has said the line.
  mutating func brought(to link: Slot<Link>, isNew: Bool) -> HandlerSettings {
    var brought = links[link].brought
    if isNew || request.has(.timeoutMilliseconds) {
      brought.timeoutMilliseconds = request.integer(.timeoutMilliseconds)
    }
    if isNew || request.has(.window) { brought.window = request.integer(.window) }
    return brought
  }

  /// Notes the members of the line that say otherwise than what is in force.
  private mutating func noteIgnored(_ line: LinkSettings, _ inForce: LinkSettings, rank: Double) {
    let differ: [(Member, Bool)] = [
      (.accepts, line.accepts != inForce.accepts),
      (.timeoutMilliseconds, line.timeoutMilliseconds != inForce.timeoutMilliseconds),
      (.window, line.window != inForce.window), (.onFailure, line.onFailure != inForce.onFailure),
      (.share, line.isShared != inForce.isShared),
      (.holdMilliseconds, line.holdMilliseconds != inForce.holdMilliseconds),
      (.required, line.isRequired != inForce.isRequired), (.shadow, line.isShadow != inForce.isShadow),
      (.percent, line.percent != inForce.percent), (.when, line.when != inForce.when),
      (.at, true), (.before, true), (.after, true), (.rank, request.double(.rank) != rank),
    ]
    for (member, isOther) in differ where isOther && request.has(member) { ignored.append(member) }
    ignored.sort { request.value($0).start < request.value($1).start }
  }

  /// Replies where the link stands.
  mutating func replyPlace(of link: Slot<Link>, to connection: Slot<Connection>, at now: Instant) {
    let chain = links[link].chain
    let position = livePosition(of: link)
    let label = LinkLabel(chain: chains[chain].name.bytes, name: links[link].name.bytes)
    guard var writer = beginReply("ok", to: connection, atMost: 512 + label.count) else { return }
    writer.literal(",")
    writer.raw(label.bytes)
    if links[link].isDeclared {
      writer.literal(",\"declared\":true")
      for (number, member) in ignored.enumerated() {
        writer.literal(number == 0 ? ",\"ignored\":[\"" : ",\"")
        writer.literal(member.spelling)
        writer.literal("\"")
      }
      if !ignored.isEmpty { writer.literal("]") }
    }
    writer.literal(",\"rank\":")
    writer.number(links[link].rank)
    writer.literal(",\"position\":")
    writer.integer(position)
    writer.literal(",\"links\":")
    writer.integer(chains[chain].live)
    writer.literal(",\"version\":")
    writer.integer(chains[chain].version)
    writer.literal("}\n")
    extendLifetime(label)
    commitLine(writer, to: connection, at: now)
  }
}
