internal import BatonCore
internal import HTTP
internal import UV

/// A socket on which a peer asks for pages, one request after the other.
///
/// What comes behind a request is kept, up to a limit, and read when the request has its answer. A peer that leaves is
/// noticed meanwhile.
final class HTTPSocket: TimedSocket, TransportOwner {
  /// How far the request is.
  enum Phase {
    /// None has begun.
    case idle
    /// Its head has begun.
    case head
    /// The router finds out who asks. The body waits.
    case greeting
    /// Its body comes.
    case body
    /// It is being answered. Nothing behind it is read.
    case answering
    /// The last answer is written, then the socket ends.
    case ending
    /// Another one has taken the socket over, or it is closed.
    case over
  }

  let door: HTTPDoor
  let transport: any Transport
  /// Where who speaks on it is. It is kept, for it is known when the peer has gone.
  private(set) var address: String
  /// Who that is.
  private(set) var speaker = HTTPSpeaker.itself
  let isEncrypted: Bool
  /// Whether it is one of a proxy, which keeps its sockets for its next clients.
  let isOfProxy: Bool
  let stream: UV.Stream
  let options: ListeningOptions
  /// What is known of the peer; nil while nobody has asked.
  private var facts: PeerFacts?

  let writer: SocketWriter
  var reader: RequestReader
  var phase = Phase.idle
  /// The head of the request.
  var head: RequestHead?
  /// Headers of every answer to the request, once its head has been read.
  var cors: [(name: String, value: String)] = []
  /// What is done with the request when it is whole.
  var plan: HTTPPlan?
  var body: [UInt8] = []
  /// How far a body is that is too long for one step.
  enum LongBody { case none, came, isLine }
  var longBody = LongBody.none
  /// What makes a line of it; nil before the first step.
  var making: LineMaking?
  /// The bytes of the body that have come.
  var bodyCount = 0
  /// The connection of the router's that asks for the answer.
  var exchange: HTTPExchange?
  /// What the socket has become; nil while it asks for pages.
  var successor: WebSocketTransport?
  /// Whether it counts among the reports that are written.
  var isReporting = false
  /// The bytes that the door counts as unsent.
  private var countedUnsent = 0
  /// What came behind the request that is being answered.
  var kept: [UInt8] = []
  /// What it is told when its handshake is done; nil if it may ask.
  var refusal: HTTPRefusal?
  /// Whether the peer has ended its side.
  var hasEnded = false
  /// When it did so.
  private(set) var endedAt = TimedSocket.never
  private var isReading = false
  /// Its place among the sockets that ask; -1 if it is none of them.
  var askingPlace = -1
  /// Its place among those that have not said who they are; -1 if it has, or need not.
  var strangersPlace = -1

  init(_ transport: any Transport, _ stream: UV.Stream, _ options: ListeningOptions, door: HTTPDoor) {
    self.door = door
    self.transport = transport
    self.stream = stream
    self.options = options
    isEncrypted = options.isEncrypted
    isOfProxy = door.server.proxyRules.header != nil && door.server.believes(stream)
    address = transport.peer
    group = stream.peerAddress?.group ?? 0
    stream.readsLittle = true
    writer = SocketWriter(transport)
    reader = RequestReader(maxHead: door.limits.maxHead)
    super.init()
    door.add(self)
    door.ask(self, true)
    if !door.server.router.pointee.knows(PeerFacts()) { door.noteStranger(self, from: group) }
    // Until it is encrypted, the time of the handshake counts.
    door.set(self, after: transport.isReady ? idleTime : door.limits.idle)
    transport.attach(self)
    updateReading()
  }

  /// Whether a request on it has said who it is, or need not.
  var isKnown: Bool { strangersPlace < 0 }

  /// Milliseconds without a request, and for a head or a body.
  var idleTime: Int { isKnown || isOfProxy ? door.limits.idle : min(door.limits.idle, door.limits.auth) }
  var requestTime: Int { isKnown ? door.limits.request : min(door.limits.request, door.limits.auth) }

  /// The number of the identity that asked last; nil if none has, or one that is anonymous.
  var identity: UInt32? {
    didSet { if identity != oldValue, isKnown { door.count(self) } }
  }

  /// Whose socket it is, among those that end: that identity's, or its address's.
  var owner: Owner { identity.map(Owner.identity) ?? .address(group) }
  /// What counts as that address.
  private(set) var group: UInt64

  /// Somebody else speaks on it from now on. It counts for the new address, and who the one before was is forgotten.
  func become(_ speaker: HTTPSpeaker, _ address: String, _ group: UInt64) {
    (self.speaker, self.address) = (speaker, address)
    guard group != self.group else { return }
    self.group = group
    identity = nil
    if isKnown { return door.count(self) }
    door.forgetStranger(self)
    door.noteStranger(self, from: group)
  }

  /// Who it counts for; nil while nobody knows who it is, and when it asks no more.
  var placeOwner: PlaceOwner?

  /// What can be given up of it; nil if a request is under way.
  var standing: Standing? {
    switch phase {
    case .idle where !writer.isEmpty, .ending where !writer.isEmpty: .unread
    case .idle where kept.isEmpty: .idle
    case .head where kept.isEmpty && writer.isEmpty: .half
    case .body where exchange == nil && kept.isEmpty && writer.isEmpty: .half
    case .idle, .head, .body: .undone
    case .answering where endedAt != TimedSocket.never && writer.isEmpty: .left
    case .greeting, .answering, .ending, .over: nil
    }
  }

  /// Whether a request may have come whole that nobody has looked at.
  var hasUnseen: Bool { !kept.isEmpty || stream.hasUnread }

  /// Reads a request of what has come already, before its turn and whatever others have cost.
  func readNow() {
    isUrgent = true
    if kept.isEmpty { transport.readNow() } else { goOn() }
    isUrgent = false
  }
  private var isUrgent = false

  /// Who the peer is, for the router.
  func factsOfPeer(_ way: PeerDoor) -> PeerFacts {
    if facts == nil, door.server.router.pointee.asksWho {
      facts = door.server.facts(of: stream, options)
    }
    var facts = knownFacts
    facts.door = way
    return facts
  }

  /// What is known of who speaks, without asking the system.
  var knownFacts: PeerFacts {
    if case .client(_, let way) = speaker { return factsOfClient(way) }
    return facts ?? PeerFacts()
  }

  func shookHands(_ facts: PeerFacts) {
    self.facts = facts
    if let refusal { return refuse(refusal) }
    if !isKnown, door.server.router.pointee.knows(facts), !door.noteKnown(self) { return }
    door.set(self, after: idleTime)
  }

  // MARK: From the peer

  func received(_ bytes: UnsafeRawBufferPointer) {
    switch phase {
    // What came before it is read first.
    case .idle, .head, .body:
      if kept.isEmpty, door.mayWork || isUrgent { read(bytes) } else { waitForTurn(with: bytes) }
    case .greeting, .answering: keep(bytes)
    case .ending, .over: break
    }
    updateReading()
  }

  /// Keeps what came, and reads it in one of the next turns.
  private func waitForTurn(with bytes: UnsafeRawBufferPointer) {
    guard door.mayHold(bytes.count, beside: held) else { return refuse(.busy) }
    kept.append(contentsOf: bytes)
    if writer.isEmpty || phase != .idle { door.goOnLater(self) }
  }

  /// Keeps what came behind a request. Behind a stream nothing is ever read: it is dropped, so that the peer's end is seen.
  func keep(_ bytes: UnsafeRawBufferPointer) {
    if exchange?.isStream == true { return door.readOnLater(self, dropped: bytes.count) }
    guard door.mayHold(bytes.count, beside: held) else {
      // The answer under way is told, and no further one.
      dropKept()
      return hasEnded = true
    }
    kept.append(contentsOf: bytes)
  }

  /// The bytes of the socket that count.
  var held: Int { kept.count + body.count }

  func dropKept() {
    door.letGo(kept.count)
    kept = []
  }

  func dropBody() {
    door.letGo(body.count)
    body = []
    longBody = .none
    making = nil
  }

  func ended() {
    hasEnded = true
    endedAt = door.loopTime
    isReading = false
    if let exchange, exchange.isStream { return leaveStream() }
    switch phase {
    case .idle where kept.isEmpty && writer.isEmpty: close()
    case .answering: exchange?.peerEnded()
    case .idle, .greeting, .ending: break
    case .head, .body: if kept.isEmpty { refuseHalf() }
    case .over: break
    }
  }

  private func refuseHalf() {
    refuse(HTTPRefusal(.badRequest, "the connection ended within the request", closes: true))
  }

  /// The next request is read when the one before has its answer, and the peer has taken it.
  override func goOn() {
    isWaiting = false
    if hasEnded, let exchange, exchange.isStream { return leaveStream() }
    defer { updateReading() }
    guard phase == .head || phase == .body || phase == .idle && writer.isEmpty else { return }
    let bytes = kept
    dropKept()
    if !bytes.isEmpty { bytes.withUnsafeBytes { read($0) } }
    if hasEnded, kept.isEmpty, !isWaiting {
      if phase == .idle { finish() }
      if phase == .head || phase == .body { refuseHalf() }
    }
  }

  func updateReading() {
    guard phase != .over else { return }
    let isWanted = !hasEnded && !isWaiting && kept.count < HTTPLimits.mostKept
    guard isWanted != isReading else { return }
    isReading = isWanted
    do throws(TransportError) { try transport.setReading(isWanted) } catch { failed(error.description) }
  }

  // MARK: To the peer

  /// Writes bytes of an answer.
  func send(_ bytes: [UInt8]) {
    do throws(TransportError) {
      if try !writer.send(bytes) { noteUnsent() }
    } catch {
      failed(error.description)
    }
  }

  /// The same, for the length of the call. Returns whether all is taken.
  func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
    let isTaken = try writer.send(bytes)
    if !isTaken { noteUnsent() }
    return isTaken
  }

  /// The peer has taken some bytes, or has not taken all. It has its time for the rest.
  private func noteUnsent() {
    countUnsent()
    door.set(self, after: door.limits.slow)
    door.limitUnsent()
  }

  /// Counts what the peer has not taken.
  func countUnsent() {
    // What a stream has not taken counts in the router, too.
    guard exchange?.isStream != true else { return }
    door.unsentBytes += writer.count - countedUnsent
    countedUnsent = writer.count
  }

  /// Nothing of it counts any more.
  func forgetUnsent() {
    door.unsentBytes -= countedUnsent
    countedUnsent = 0
    endReport()
  }

  /// Its report of metrics has been written.
  func endReport() {
    if isReporting { door.reports -= 1 }
    isReporting = false
  }

  func wrote(_ count: Int) {
    do throws(TransportError) {
      guard try writer.wrote(count) else { return noteUnsent() }
    } catch {
      return failed(error.description)
    }
    countUnsent()
    switch phase {
    case .answering: exchange?.socketWrote()
    case .ending: finish()
    case .idle: beIdle()
    case .head, .greeting, .body, .over: break
    }
  }

  override func clockRings(at now: Instant) { isLate(at: now) }
  override var isWritingLast: Bool { !writer.isEmpty && phase != .over }
  override func drainingBegins() { if standing == .idle { close() } }
  override func closeNow() { failed("the server ends") }

  /// Waits for the next request, or goes on with what has come of it.
  func beIdle() {
    phase = .idle
    guard writer.isEmpty else { return }
    door.set(self, after: idleTime)
    if !kept.isEmpty || hasEnded { door.goOnLater(self) }
  }
}

/// What a socket has that can be given up when others want its place, the least first.
enum Standing: Int, Comparable {
  /// No request has begun on it, and nothing is written.
  case idle
  /// A request has begun, and the router has nothing of it.
  case half
  /// Its peer takes nothing of its last answers.
  case unread
  /// Nothing was done of what it asks for, however much of it has come.
  case undone
  /// Its peer sends nothing more, and waits for an answer: perhaps it has gone, which nobody can tell.
  case left

  static func < (one: Standing, other: Standing) -> Bool { one.rawValue < other.rawValue }
}
