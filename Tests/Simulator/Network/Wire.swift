import BatonCore

/// One connection of the simulated network: what the peer has sent and the server has not got yet, and what the
/// server has said and the peer has not read yet. Streams are counted in bytes from their start.
struct Wire {
  let id: ConnectionID

  // Peer to server.
  private(set) var outgoing: [UInt8] = []
  private var outgoingStart = 0
  private var lines = Queue<SentLine>()
  private var sentTotal = 0
  private var deliveredTotal = 0
  private var lastLineEnd = 0
  /// The peer will shut down its writing side once everything is delivered.
  var isHalfClosing = false
  /// The peer sends nothing until then: it stalls, at times in the middle of a line.
  var stalledUntil: Instant?

  // Server to peer.
  /// The core's bytes that are not written yet, kept to see that they stay what they were.
  private(set) var unsent = Queue<UInt8>()
  private var inFlight = Queue<(line: ServerLine, end: Int)>()
  private(set) var collectedTotal = 0
  private var takenTotal = 0

  /// What the server wanted last; nil until it has said so.
  var wish: Router.Wish?
  var isRead: Bool { wish?.reading ?? true }
  var ending: Router.Wish.Ending { wish?.ending ?? .open }
  var isEnded = false
  var isClosed = false

  init(id: ConnectionID) { self.id = id }

  // MARK: Peer to server

  var undelivered: Int { outgoing.count - outgoingStart }

  /// Bytes to the end of the next line, or to the end of what was sent.
  var nextLine: Int { lines.first.map { $0.end - deliveredTotal } ?? undelivered }

  /// The most of `count` bytes that can be delivered at once when the server may stop reading in the middle of them: of
  /// several lines all must be answered, so that it is seen how far the server got.
  func certain(_ count: Int) -> Int {
    let whole = lines.waiting.prefix { $0.end <= deliveredTotal + count }
    return whole.count < 2 || whole.allSatisfy(\.mustBeAnswered) ? count : nextLine
  }

  /// True once the peer may not send any more.
  var isSilenced: Bool { isHalfClosing || isEnded || isClosed }

  /// The peer sends a line.
  mutating func send(_ line: SentLine) {
    outgoing.append(contentsOf: line.bytes)
    sentTotal += line.bytes.count
    var line = line
    line.end = sentTotal
    lastLineEnd = sentTotal
    lines.append(line)
  }

  /// The peer sends bytes that do not make a line.
  mutating func send(part: [UInt8]) {
    outgoing.append(contentsOf: part)
    sentTotal += part.count
  }

  /// The bytes that the peer sent and that come next.
  func withNext<Value>(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    outgoing.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[outgoingStart..<(outgoingStart + count)])) }
  }

  /// `count` more bytes have reached the server; hands back the lines that are whole by that.
  mutating func delivered(_ count: Int) -> [SentLine] {
    outgoingStart += count
    deliveredTotal += count
    if outgoingStart == outgoing.count {
      outgoing.removeAll(keepingCapacity: true)
      outgoingStart = 0
    }
    var whole: [SentLine] = []
    while let line = lines.first, line.end <= deliveredTotal {
      whole.append(line)
      lines.drop(1)
    }
    return whole
  }

  /// True while the server has got a part of a line.
  var isInsideLine: Bool { unfinished > 0 }

  /// Bytes of a line that the server has got without its end.
  var unfinished: Int { deliveredTotal - (lines.first.map { $0.end - $0.bytes.count } ?? lastLineEnd) }

  // MARK: Server to peer

  /// The core has appended bytes.
  mutating func collected(_ bytes: [UInt8]) {
    unsent.append(contentsOf: bytes)
    collectedTotal += bytes.count
  }

  /// A line is on its way, complete at that point of the stream.
  mutating func fly(_ line: ServerLine, end: Int) { inFlight.append((line, end)) }

  /// `count` bytes were written; hands back the lines that the peer has read by that.
  mutating func taken(_ count: Int) -> [ServerLine] {
    unsent.drop(count)
    takenTotal += count
    var whole: [ServerLine] = []
    while let next = inFlight.first, next.end <= takenTotal {
      whole.append(next.line)
      inFlight.drop(1)
    }
    return whole
  }

  /// The connection is gone, with all that was under way.
  mutating func close() {
    isClosed = true
    outgoing = []
    outgoingStart = 0
    lines.removeAll()
    unsent.removeAll()
    inFlight.removeAll()
  }
}
