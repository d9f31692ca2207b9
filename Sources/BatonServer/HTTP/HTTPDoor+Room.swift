internal import BatonCore

/// Which sockets the door has room for. Those that have not said who they are cannot keep out those that have (contract,
/// section 11).
extension HTTPDoor {
  /// Takes a newcomer in, or one of those before it goes.
  func take(_ socket: HTTPSocket) {
    guard socket.isKnown else { return limitStrangers() }
    count(socket)
    if !hasRoom(beside: socket) { refuse(socket) }
  }

  /// The peer of a socket has said who it is. Returns false if there is no room for it: then it has been told so.
  func noteKnown(_ socket: HTTPSocket) -> Bool {
    forgetStranger(socket)
    count(socket)
    if hasRoom(beside: socket) { return true }
    refuse(socket)
    return false
  }

  /// The socket counts for whoever it is of now.
  func count(_ socket: HTTPSocket) {
    countNoMore(socket)
    socket.placeOwner = owners.count(socket.owner)
  }

  private func countNoMore(_ socket: HTTPSocket) {
    if let owner = socket.placeOwner { owners.forget(owner) }
    socket.placeOwner = nil
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

  /// Of whoever has most of the places, one socket is closed, so that another one can stay: one that is idle, or of whose
  /// request the router has nothing, or whose peer takes nothing of an answer, or of whose request nothing was done, or whose
  /// peer ended its side and waits for an answer.
  private func makeRoom(for newcomer: HTTPSocket) {
    // In a crowd, requests have come that nobody has looked at. So few are looked at that a crowd of newcomers is refused in
    // a bounded time.
    var looked = [newcomer]
    while looked.count <= HTTPLimits.mostLooks, let one = mostDispensable(beside: looked) {
      if !one.hasUnseen { return makeRoom(by: one, hasUnseen: false) }
      if isNobodyStill(one) { return makeRoom(by: one, hasUnseen: one.hasUnseen) }
      looked.append(one)
    }
    guard let one = looked.dropFirst().first(where: { $0.standing != nil }) else { return }
    makeRoom(by: one, hasUnseen: one.hasUnseen)
  }

  /// Whoever asks has its share of the places: of its own requests, the one makes room whose client has ended its side and
  /// has waited longest. Returns false if there is none.
  func makeOwnRoom(for socket: HTTPSocket) -> Bool {
    guard let owner = socket.placeOwner,
      let oldest = asking.lazy.filter({ $0 !== socket && $0.placeOwner === owner && $0.standing == .left })
        .min(by: { $0.endedAt < $1.endedAt })
    else { return false }
    oldest.giveUp(.givenUp(limits.maxConnections))
    return true
  }

  /// Whether what has come on a socket does not say who it is of either. It is found out only where somebody asks.
  private func isNobodyStill(_ socket: HTTPSocket) -> Bool {
    guard socket.identity == nil, server.router.pointee.asksWho else { return false }
    socket.readNow()
    return socket.identity == nil && socket.standing != nil
  }

  /// Of whoever has most, the first in the order of what they do; of these the one whose time is over first, or that has
  /// waited longest.
  private func mostDispensable(beside others: [HTTPSocket]) -> HTTPSocket? {
    var found: HTTPSocket?
    var least = (0, 0, Standing.idle, TimedSocket.never)
    for socket in asking {
      guard let owner = socket.placeOwner, let standing = socket.standing else { continue }
      let key = (-owner.countTogether, -owner.count, standing, standing == .left ? socket.endedAt : socket.due)
      guard found == nil || key < least, !others.contains(where: { $0 === socket }) else { continue }
      (found, least) = (socket, key)
    }
    return found
  }

  private func makeRoom(by socket: HTTPSocket, hasUnseen: Bool) {
    switch socket.standing {
    case .idle where !hasUnseen, .unread: socket.closeNow()
    case .half: socket.makeRoom(.requestTooSlow(limits.maxConnections))
    case .idle, .undone: socket.makeRoom(.mostPlaces(limits.maxConnections))
    case .left: socket.giveUp(.givenUp(limits.maxConnections))
    case nil: break
    }
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
    countNoMore(socket)
  }
}
