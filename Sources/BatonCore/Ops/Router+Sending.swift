/// `send` (contract, section 4).
extension Router {
  mutating func send(from connection: Slot<Connection>, at now: Instant) throws(Fault) {
    let mode = modeOfLine()
    if mode == .notify { try checkNotify() }
    if request.hasAny(of: Member.durability), try sendsDurably(mode, from: connection, at: now) { return }
    if !refusals.isEmpty, try mustWaitForRecord(isPlain: mode == .notify, connection, at: now) { return }
    try checkCargo(request.raw(.payload).count, beside: request.raw(.meta).count)
    if request.has(.within) { try refuseLoop() }
    guard try hasRoom(for: connection, at: now) else { return }
    try payForMessage(of: connection, at: now)
    let topic = request.text(.topic)
    let chain = request.has(.chain) ? findChain(request.text(.chain)) : (mainChain == .nobody ? nil : mainChain)
    countMessage(at: now)
    if mode == .notify, chain == nil {
      endAtOnce(of: connection)
      return replyDelivered(0, to: connection, at: now)
    }
    takeIn(topic, down: chain, mode, from: connection, at: now)
  }

  @inline(__always)
  private mutating func modeOfLine() -> Walk.Mode {
    guard request.has(.mode) else { return .first }
    if request.value(.mode).isText("all", in: request.line) { return .all }
    return request.value(.mode).isText("notify", in: request.line) ? .notify : .first
  }

  mutating func refuseWhileDraining() throws(Fault) {
    guard drainDeadline != nil else { return }
    throw Fault(
      .draining, "the server is shutting down and takes no new messages; use another server, or try again later")
  }

  /// Refuses a message to which too many others have led. Without this, programs that set each other off would never end.
  mutating func refuseLoop() throws(Fault) {
    guard let within = request.integer(.within), within > settings.maxWithin else { return }
    throw Fault(
      .loop,
      "\(within) messages led to this one, and \(settings.maxWithin) may (max_within); programs set each other off: "
        + "\"from\" and \"topic\" of these messages tell which")
  }

  mutating func checkNotify() throws(Fault) {
    for member in [Member.timeoutMilliseconds, .key, .trace] where request.has(member) {
      throw Fault(
        .badMember, "\"\(member.spelling)\" is not allowed in the mode \"notify\", which has no answers; leave it out"
      )
    }
  }
}
