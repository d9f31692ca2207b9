internal import BatonCore
internal import UV

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// The door for HTTP and WebSocket in front of the router: its sockets, their clocks and their common limits.
///
/// It turns bytes into lines and lines into bytes. The router sees connections that speak lines, and nothing else.
final class HTTPDoor {
  unowned let server: Server
  var limits: HTTPLimits
  /// All sockets of the door, in any order.
  private var sockets: [TimedSocket] = []
  /// Those of them that ask for pages.
  var asking: [HTTPSocket] = []
  /// Who has them.
  var owners = PlaceOwners()
  /// Those of them of which nobody knows who they are, in the order in which they came.
  var strangers = Arrivals<HTTPSocket>()
  /// Sockets that end, and read on so that their peers can read the last bytes.
  var lingering = Arrivals<LingeringSocket>()
  /// Bytes of bodies, and of what has come behind requests under way.
  private(set) var heldBytes = 0
  /// Bytes of answers that peers have not taken.
  var unsentBytes = 0
  /// Reports of `/metrics` that are written now.
  var reports = 0
  // What each turn looks at is unchecked for its cost: one thread uses it, and no access lasts into another.
  @exclusivity(unchecked) private var clock = SocketClock()
  private var timer: Timer?
  @exclusivity(unchecked) private var timerSetTo: Instant?
  private var date = HTTPDate()
  /// What has to wait for the turn, because a call to the router or to a connection is under way.
  @exclusivity(unchecked) private var postponed: [() -> Void] = []
  /// Sockets with bodies that are too long for one step. The first one makes a step in each turn, until it is done: so
  /// there is one line at a time of which a part is made.
  @exclusivity(unchecked) private var longBodies: [HTTPSocket] = []
  /// What goes on in the next turn, the first one first.
  @exclusivity(unchecked) private var waiting: [TimedSocket] = []
  /// What sockets have cost since the latest turn began.
  @exclusivity(unchecked) var work = 0
  private var isClosed = false

  /// Text of messages for the length of one call, without what frames added.
  private(set) lazy var text = ScratchMemory(HTTPDoor.textRoom)
  /// Frames for the length of one call.
  private(set) lazy var frames = ScratchMemory(HTTPDoor.frameRoom)

  private static let textRoom = 64 << 10
  /// What one call of `take` brings at most, with what frames add to it.
  private static let frameRoom = EventFrames.mostAdded(to: 64 << 10) + (64 << 10)
  /// Sockets whose time has come that are looked at in one turn.
  private static let ringsPerTurn = 64
  /// Sockets that go on in one turn.
  private static let goingOnPerTurn = 64

  init(of server: Server, _ settings: Settings) throws(UVError) {
    self.server = server
    limits = HTTPLimits(settings)
    timer = try Timer(on: server.loop) { [unowned self] in timerSetTo = nil }
  }

  // MARK: Sockets

  /// A peer has come to a place of HTTP.
  func accept(_ stream: UV.Stream, _ options: ListeningOptions) {
    guard !isClosed else { return stream.close() }
    var transport: any Transport = stream
    if options.isEncrypted {
      guard let encrypted = server.encrypted(stream, options) else { return stream.close() }
      transport = encrypted
    }
    take(HTTPSocket(transport, stream, options, door: self))
  }

  func add(_ socket: TimedSocket) {
    socket.place = sockets.count
    sockets.append(socket)
  }

  func remove(_ socket: TimedSocket) {
    clock.remove(socket)
    guard socket.place >= 0 else { return }
    let last = sockets.removeLast()
    if last !== socket {
      sockets[socket.place] = last
      last.place = socket.place
    }
    socket.place = -1
  }

  /// Lets a socket's clock ring at a time, or never.
  func set(_ socket: TimedSocket, after milliseconds: Int?) {
    let due = milliseconds.map { loopTime.advanced(milliseconds: $0) } ?? TimedSocket.never
    if clock.set(socket, at: due) { setTimer() }
  }

  /// The time as the loop saw it last: it costs nothing to look.
  var loopTime: Instant { Instant(microseconds: server.loop.milliseconds * 1000) }

  // MARK: Limits

  /// Whether a socket that holds so many bytes may hold more. If so, they count.
  func mayHold(_ more: Int, beside own: Int) -> Bool {
    let free = limits.maxHeldBytes - heldBytes - more
    guard free >= 0, own + more <= max(free, 0) * limits.shareOfFree || own + more <= HTTPLimits.alwaysHeld else {
      return false
    }
    heldBytes += more
    return true
  }

  /// Counts bytes that are there already, in another form.
  func hold(_ count: Int) { heldBytes += count }

  func letGo(_ count: Int) { heldBytes -= count }

  /// Peers that do not take their answers cannot fill the memory: the one with the most is closed.
  func limitUnsent() {
    while unsentBytes > limits.maxUnsentBytes, let most = asking.max(by: { $0.writer.count < $1.writer.count }) {
      guard most.writer.count > 0 else { return }
      server.noteRefusal(.unsent) {
        ["peer": "\(most.address)", "unsent": .stringConvertible(most.writer.count)]
      }
      most.failed("too many bytes are unsent to all peers (max_total_unsent_bytes)")
    }
  }

  // MARK: Time

  /// The `Date` of answers.
  var dateText: String { date.text(at: Int64(time(nil))) }

  /// How long a draining server goes on; nil if it does not drain.
  var secondsToDrain: Int? {
    guard let end = server.drainingEnds else { return nil }
    return max(1, (end.milliseconds(since: server.now) + 999) / 1000)
  }

  private func setTimer() {
    guard let next = clock.next else { return }
    if let timerSetTo, timerSetTo <= next { return }
    timerSetTo = next
    timer?.set(microseconds: next.microseconds)
  }

  // MARK: The turn

  /// Does what had to wait for the end of calls. Returns whether something is left for the next turn.
  func turn(at now: Instant) -> Bool {
    work = 0
    let isClockDue = clock.next.map { $0 <= now || timerSetTo == nil } ?? false
    if postponed.isEmpty, longBodies.isEmpty, waiting.isEmpty, !isClockDue { return false }
    doPostponed()
    if let first = longBodies.first, !first.goOnWithBody() { longBodies.removeFirst() }
    goOnWaiting()
    var rings = 0
    while rings < HTTPDoor.ringsPerTurn, let socket = clock.popDue(at: now) {
      socket.clockRings(at: now)
      rings += 1
    }
    setTimer()
    return !waiting.isEmpty || !longBodies.isEmpty || !postponed.isEmpty || rings == HTTPDoor.ringsPerTurn
  }

  /// Lets sockets go on that wait for their turn, as far as this one has room. Others that are read until the next turn
  /// share that room, and wait behind them.
  private func goOnWaiting() {
    let most = min(waiting.count, HTTPDoor.goingOnPerTurn)
    var count = 0
    while count < most, mayWork {
      waiting[count].goOn()
      count += 1
    }
    waiting.removeFirst(count)
  }

  /// Whether there is room in this turn for more work of sockets.
  var mayWork: Bool { work < HTTPLimits.workPerTurn }

  private func doPostponed() {
    guard !postponed.isEmpty else { return }
    let actions = postponed
    postponed.removeAll(keepingCapacity: actions.count <= 64)
    for action in actions { action() }
  }

  /// Does something in the turn, when no call to the router is under way any more.
  func later(_ action: @escaping () -> Void) { postponed.append(action) }

  /// A socket has read so many bytes for nothing. That costs, too: it reads on in one of the next turns.
  func readOnLater(_ socket: TimedSocket, dropped count: Int) {
    work += HTTPLimits.costOfPart + count / HTTPLimits.droppedBytes
    goOnLater(socket)
  }

  /// The socket goes on in the turn.
  func goOnLater(_ socket: TimedSocket) {
    guard !socket.isWaiting else { return }
    socket.isWaiting = true
    waiting.append(socket)
  }

  /// The socket has a body that is too long for one step.
  func takeLongBody(of socket: HTTPSocket) { longBodies.append(socket) }

  // MARK: The end

  /// The server begins to drain: sockets without a request are closed.
  func drainingBegins() { for socket in sockets { socket.drainingBegins() } }

  /// Whether last bytes are on their way to peers. Each has a bounded time.
  var isWriting: Bool { sockets.contains { $0.isWritingLast } }

  /// The server ends.
  func close() {
    isClosed = true
    for socket in sockets { socket.closeNow() }
    timer?.close()
  }

  // MARK: Words

  /// The bytes of an answer that refuses a connection before there is a request.
  static func refusal(_ status: Int, code: HTTPCode, message: String) -> [UInt8] {
    let answer = HTTPRefusal(code, message, status: status, closes: true).answer()
    return answer.bytes(keepsAlive: false, isHead: false, date: HTTPDate.spell(Int64(time(nil))))
  }
}

/// Memory that is used for the length of one call, again and again.
final class ScratchMemory {
  let bytes: UnsafeMutableRawBufferPointer

  init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 64) }
  deinit { bytes.deallocate() }
}
