internal import BatonCore

/// Which sockets the door has room for. Those that have not said who they are cannot keep out those that have (contract,
/// section 11).
extension HTTPDoor {
  /// Takes a newcomer in, or one of those before it goes.
  func take(_ socket: HTTPSocket) {
    guard socket.isKnown else { return limitStrangers() }
    if !hasRoom(beside: socket) { refuse(socket) }
  }

  /// The peer of a socket has said who it is. Returns false if there is no room for it: then it has been told so.
  func noteKnown(_ socket: HTTPSocket) -> Bool {
    forgetStranger(socket)
    if hasRoom(beside: socket) { return true }
    refuse(socket)
    return false
  }

  /// A socket has come of which nobody knows who it is.
  func noteStranger(_ socket: HTTPSocket, from address: UInt64) {
    socket.strangersPlace = strangers.append(socket, of: .address(address))
  }

  /// The socket is none of the strangers, or none any more.
  func forgetStranger(_ socket: HTTPSocket) {
    if socket.strangersPlace >= 0 { strangers.remove(at: socket.strangersPlace) }
    socket.strangersPlace = -1
  }

  /// Of too many strangers, the newest of the address with the most goes. Where nine tenths of the places are taken, its
  /// oldest goes: newcomers of an address that has few are let in, also while others come and go by the thousand.
  private func limitStrangers() {
    if strangers.count > limits.maxStrangers {
      strangers.newestOfMost()?.makeRoom(.tooManyStrangers(limits.maxStrangers, setting: "max_strangers"))
    }
    let places = limits.placesOfStrangers
    guard asking.count > limits.maxConnections - places, strangers.count > places,
      let oldest = strangers.oldestOfMost()
    else { return }
    // In a crowd of newcomers, it may have said who it is, and nobody has looked.
    if oldest.hasUnseen { oldest.readNow() }
    if oldest.strangersPlace >= 0 { oldest.makeRoom(.tooManyStrangers(places, setting: "max_http_connections")) }
  }

  /// Whether there is room for a socket whose peer is known; one that does nothing may have made it. Where a reload has made
  /// the room smaller, two go for each that comes.
  private func hasRoom(beside socket: HTTPSocket) -> Bool {
    let most =
      server.router.pointee.knows(PeerFacts())
      ? limits.maxConnections
      : max(1, limits.maxConnections - limits.placesOfStrangers)
    let count = asking.count - strangers.count
    guard count > most else { return true }
    for _ in 0..<min(count - most, 2) { makeRoom(for: socket) }
    return asking.count - strangers.count < count
  }

  /// The socket that has been idle longest is closed, so that another one can stay. If none is idle, that goes whose
  /// request has been coming longest: as long as the router has nothing of it, it counts for no identity. If there is none,
  /// that goes whose peer has taken nothing of an answer for longest; then one of the identity that has most, of whose
  /// request nothing was done; and then one whose peer ended its side longest ago and waits for an answer.
  private func makeRoom(for newcomer: HTTPSocket) {
    let known = asking.lazy.filter { $0.isKnown && $0 !== newcomer }
    if let idle = oldestUnread(Array(known.filter(\.isIdle))) { return idle.closeNow() }
    if let slow = oldestUnread(Array(known.filter(\.hasHalfARequest))) {
      return slow.makeRoom(.requestTooSlow(limits.maxConnections))
    }
    if let unread = known.filter(\.isUnread).min(by: { $0.due < $1.due }) { return unread.closeNow() }
    if let one = undone(of: known) { return one.makeRoom(.mostPlaces(limits.maxConnections)) }
    known.filter(\.isLeftWaiting).min { $0.endedAt < $1.endedAt }?.giveUp(.givenUp(limits.maxConnections))
  }

  /// The socket whose time is over first of those of which nothing was done, of the identity that has most of them all.
  private func undone(of sockets: some Sequence<HTTPSocket>) -> HTTPSocket? {
    var counts: [UInt32: Int] = [:]
    for socket in sockets { if let identity = socket.identity { counts[identity, default: 0] += 1 } }
    return sockets.filter { $0.isUndone && $0.identity != nil }.max {
      let (one, other) = (counts[$0.identity ?? 0] ?? 0, counts[$1.identity ?? 0] ?? 0)
      return one < other || one == other && $0.due > $1.due
    }
  }

  /// The socket whose time is over first, and of which no bytes wait to be read: in a crowd, requests have come that
  /// nobody has looked at. So few are looked at that a crowd of newcomers is refused in a bounded time.
  private func oldestUnread(_ sockets: [HTTPSocket]) -> HTTPSocket? {
    var sockets = sockets
    for _ in 0..<HTTPLimits.mostLooks {
      guard let oldest = sockets.indices.min(by: { sockets[$0].due < sockets[$1].due }) else { return nil }
      if !sockets[oldest].hasUnread { return sockets[oldest] }
      sockets.swapAt(oldest, sockets.endIndex - 1)
      sockets.removeLast()
    }
    return nil
  }

  private func refuse(_ socket: HTTPSocket) {
    server.noteRefusal(.requests) {
      ["sockets": .stringConvertible(limits.maxConnections), "files": .stringConvertible(FileLimit.current.files)]
    }
    socket.refuseAll(.tooManyConnections(limits.maxConnections, setting: "max_http_connections"))
  }

  /// A socket asks for pages from now on, or does so no more.
  func ask(_ socket: HTTPSocket, _ isAsking: Bool) {
    guard isAsking != (socket.askingPlace >= 0) else { return }
    if isAsking {
      socket.askingPlace = asking.count
      asking.append(socket)
      return
    }
    let last = asking.removeLast()
    if last !== socket {
      asking[socket.askingPlace] = last
      last.askingPlace = socket.askingPlace
    }
    socket.askingPlace = -1
    forgetStranger(socket)
  }
}
