internal import BatonCore
internal import HTTP

/// One request as a connection of the router's own: it says the request's lines, and hears the answer.
class HTTPExchange: Transport {
  let socket: HTTPSocket
  let request: HTTPRequest
  /// The connection of the router; nil before the beginning and after the end.
  private(set) var connection: PeerConnection?
  /// Whether the router has let the peer in: it knows who asks.
  private(set) var isGreeted = false
  /// What is said then.
  private var lines: [UInt8] = []
  /// Whether what the router says is heard before it is told the next thing.
  private var isHearing = false
  /// The beginning of a line of the router.
  private var line: [UInt8] = []
  /// What the peer is told at the end.
  private var answer: HTTPAnswer?
  /// What it is told if the result of its stored message does not come.
  private(set) var accepted: HTTPAnswer?
  /// Whether what the router says is of use to nobody any more.
  private(set) var isClosing = false
  private var isGone = false

  init(_ socket: HTTPSocket, _ request: HTTPRequest) {
    self.socket = socket
    self.request = request
  }

  /// Through which door the router sees it.
  var way: PeerDoor { .request }
  /// Whether its answer goes on until the peer leaves.
  var isStream: Bool { false }

  var door: HTTPDoor { socket.door }

  // MARK: What the router is told

  /// Lets the router find out who asks, and what it may do as far as the head tells it. What the router answers at once
  /// is heard at once: if it refuses, the exchange has ended then.
  func greet() {
    let server = door.server
    let connection = server.welcome(self, socket.factsOfPeer(way))
    self.connection = connection
    isHearing = true
    defer { isHearing = false }
    if let greeting = request.greeting {
      tell(greeting)
      hearNow()
      if isGreeted { welcomed() }
    } else if server.router.pointee.wish(for: connection.id).ending == .open {
      isGreeted = true
      welcomed()
    } else {
      hearNow()
    }
  }

  /// The router has let the peer in. What it may not do is told before it sends a body.
  private func welcomed() {
    guard !isClosing, let connection else { return }
    let server = door.server
    socket.identity = server.router.pointee.identityNumber(of: connection.id)
    guard socket.isKnown || door.noteKnown(socket) else { return }
    if !server.router.pointee.hasShareOfRequests(connection.id), !door.makeOwnRoom(for: socket) {
      return end(HTTPRefusal.shareOfPlaces(door.limits.maxConnections).answer(cors: request.cors))
    }
    if let refused = request.refused { return end(refused) }
    guard server.router.pointee.asksWho, let beginning = request.beginning else { return }
    if !beginning.withUnsafeBytes({ server.router.pointee.permits($0, from: connection.id, at: server.now) }) {
      hearNow()
    }
  }

  /// Says the lines of the request, once the router knows who asks.
  func say(_ lines: [UInt8]) { if isGreeted { tell(lines) } else { self.lines = lines } }

  private func tell(_ lines: [UInt8]) {
    lines.withUnsafeBytes { connection?.received($0) }
    if socket.endedAt != TimedSocket.never { peerEnded() }
  }

  /// The peer sends nothing more, and perhaps it has gone.
  func peerEnded() { if let connection { door.server.router.pointee.hasPerhapsGone(connection.id) } }

  /// Hears what the router has said already. No call to it is under way.
  private func hearNow() {
    guard let connection else { return }
    var hasHeard = true
    while hasHeard, !isClosing {
      hasHeard = false
      connection.show {
        hasHeard = true
        return hear($0)
      }
    }
    if isClosing { goNow() }
  }

  // MARK: What the router says

  /// Takes a line of the router, or a part of one. Returns how many bytes it had.
  func hear(_ unsent: borrowing Unsent) -> Int {
    guard !isClosing else { return unsent.count }
    for piece in unsent.pieces { line.append(contentsOf: piece) }
    if let mark = unsent.mark {
      let whole = line
      line = []
      hear(mark, whole)
    }
    return unsent.count
  }

  private func hear(_ mark: LineMark, _ line: [UInt8]) {
    switch mark {
    case .other: break
    case .welcome: welcomeCame()
    case .pong: settle(.taken(cors: request.cors))
    case .accepted where !request.endsWhenStored: accepted = .line(line, AnswerMark(mark), cors: request.cors)
    // Its message is stored, and goes on: it is only not told here how.
    case .error where accepted != nil: endAsTold()
    case .ok, .accepted, .told, .result, .dead, .error: answered(AnswerMark(mark), line)
    }
  }

  private func welcomeCame() {
    isGreeted = true
    if !isHearing { door.later { [self] in goOn() } }
  }

  /// The router had no room to let the peer in at once, and has now.
  private func goOn() {
    welcomed()
    guard !isClosing else { return }
    if lines.isEmpty { return socket.greeted() }
    tell(lines)
    lines = []
  }

  /// The router has answered.
  func answered(_ mark: AnswerMark, _ line: [UInt8]) {
    settle(.line(line, mark, cors: request.cors, secondsToDrain: door.secondsToDrain))
  }

  // MARK: The end

  /// What the peer is told. The connection ends.
  func settle(_ answer: HTTPAnswer) {
    self.answer = answer
    leave()
  }

  /// The same, at once. No call to the router is under way.
  func end(_ answer: HTTPAnswer) {
    settle(answer)
    goNow()
  }

  /// The socket is broken.
  func socketHasGone() { leave() }

  /// The connection ends in the turn: a call to it may be under way.
  func leave() {
    guard !isClosing else { return }
    isClosing = true
    line = []
    lines = []
    door.later { [self] in goNow() }
  }

  private func goNow() {
    guard !isGone else { return }
    isGone = true
    let left = connection
    if let left { leaves(left) }
    connection = nil
    left?.left()
    over(answer)
  }

  /// The connection ends: the router knows it still.
  func leaves(_ connection: PeerConnection) {}

  /// The connection has ended.
  func over(_ answer: HTTPAnswer?) { socket.exchangeEnded(self, with: answer) }

  /// All that the socket was given is written.
  func socketWrote() {}

  /// The time of the socket has come.
  func clockRings(at now: Instant) { if !socket.writer.isEmpty { socket.failed("the peer does not read") } }

  // MARK: Transport

  var peer: String { socket.address }
  var isWriting: Bool { false }
  var isReady: Bool { true }

  func attach(_ owner: any TransportOwner) {}
  func handOver(to owner: any TransportOwner) {}

  func take(_ unsent: borrowing Unsent) throws(TransportError) -> Int { hear(unsent) }
  func setReading(_ isWanted: Bool) throws(TransportError) {}

  func endWriting() throws(TransportError) { close() }

  /// The router ends the connection. If it has not said why, the peer has no answer.
  func close() {
    guard !isClosing else { return }
    if answer == nil, accepted == nil, let connection {
      switch door.server.router.pointee.wish(for: connection.id).reason {
      case .draining: answer = HTTPRefusal.draining.answer(cors: request.cors, secondsToDrain: door.secondsToDrain)
      case .tooSlow: answer = HTTPRefusal.tooSlow.answer(cors: request.cors)
      default: break
      }
    }
    endAsTold()
  }

  /// The peer is told what has been answered, or at least that its message is stored.
  private func endAsTold() {
    if answer == nil { answer = accepted }
    leave()
  }
}
