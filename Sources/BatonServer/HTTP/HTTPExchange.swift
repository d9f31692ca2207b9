internal import BatonCore
internal import HTTP

/// One request as a connection of the router's own: it says the request's lines, and hears the answer.
class HTTPExchange: Transport {
  let socket: HTTPSocket
  let request: HTTPRequest
  /// The connection of the router; nil before the beginning and after the end.
  private(set) var connection: PeerConnection?
  /// What is said when the greeting has been taken.
  private var lines: [UInt8] = []
  /// The beginning of a line of the router.
  private(set) var line: [UInt8] = []
  /// What the peer is told at the end.
  private var answer: HTTPAnswer?
  /// Whether what the router says is of use to nobody any more.
  private(set) var isClosing = false

  init(_ socket: HTTPSocket, _ request: HTTPRequest) {
    self.socket = socket
    self.request = request
  }

  /// Through which door the router sees it.
  var way: PeerDoor { .request }
  /// Whether its answer goes on until the peer leaves.
  var isStream: Bool { false }

  var door: HTTPDoor { socket.door }

  /// Says the lines of the request.
  func begin(_ lines: [UInt8]) {
    let server = door.server
    let connection = server.welcome(self, socket.factsOfPeer(way))
    self.connection = connection
    guard let greeting = request.greeting else { return say(lines) }
    self.lines = lines
    say(greeting)
    // The answer to the greeting is there already. So the request need not wait for a turn.
    let used = server.router.pointee.unsent(of: connection.id, into: server.buffers)
    let count = hear(UnsafeBufferPointer(rebasing: server.buffers[..<used]))
    server.router.pointee.wrote(count, to: connection.id, at: server.now)
  }

  private func say(_ lines: [UInt8]) { lines.withUnsafeBytes { connection?.received($0) } }

  // MARK: What the router says

  /// Takes bytes of the router, line by line. Returns how many there were.
  func hear(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    for buffer in buffers {
      var start = 0
      while start < buffer.count, !isClosing {
        guard let end = buffer[start...].firstIndex(of: 10) else {
          line.append(contentsOf: buffer[start...])
          break
        }
        hearEnd(UnsafeRawBufferPointer(rebasing: buffer[start...end]))
        start = end + 1
      }
    }
    return buffers.reduce(0) { $0 + $1.count }
  }

  /// Hears the rest of a line, with its LF.
  private func hearEnd(_ end: UnsafeRawBufferPointer) {
    if line.isEmpty { return hearLine(end) }
    line.append(contentsOf: end)
    let whole = line
    line = []
    whole.withUnsafeBytes { hearLine($0) }
  }

  func hearLine(_ line: UnsafeRawBufferPointer) {
    switch AnswerLine.read(line) {
    case .skip: break
    case .welcome:
      let next = lines
      lines = []
      if !next.isEmpty { door.later { [self] in say(next) } }
    case .taken: settle(.taken(cors: request.cors))
    case .answer(let mark): answered(mark, line)
    }
  }

  /// The router has answered.
  func answered(_ mark: AnswerMark, _ line: UnsafeRawBufferPointer) {
    settle(.line(Array(line), mark, cors: request.cors, secondsToDrain: door.secondsToDrain))
  }

  /// The beginning of a line that has not ended, which is forgotten here.
  func takeBeginning() -> [UInt8] {
    defer { line = [] }
    return line
  }

  // MARK: The end

  /// What the peer is told. The connection ends.
  func settle(_ answer: HTTPAnswer) {
    self.answer = answer
    leave()
  }

  /// The socket is broken.
  func socketHasGone() { leave() }

  /// The connection ends in the turn: a call to it may be under way.
  func leave() {
    guard !isClosing else { return }
    isClosing = true
    line = []
    lines = []
    door.later { [self] in
      let left = connection
      connection = nil
      left?.left()
      over(answer)
    }
  }

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

  func take(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int { hear(buffers) }
  func takeAll(_ buffers: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) {}
  func setReading(_ isWanted: Bool) throws(TransportError) {}

  func endWriting() throws(TransportError) { close() }

  /// The router ends the connection. If it has not said why, the peer has no answer.
  func close() {
    guard !isClosing else { return }
    if answer == nil, let connection, door.server.router.pointee.wish(for: connection.id).reason == .draining {
      answer = HTTPRefusal.draining.answer(cors: request.cors, secondsToDrain: door.secondsToDrain)
    }
    leave()
  }
}
