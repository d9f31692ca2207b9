import BatonCore
import WorldKit

/// The lines and bytes between one peer and the server. The driver knows only bytes.
struct Wire {
  // Peer to server.
  private var lines = Queue<SentLine>()
  private var sentTotal = 0
  private(set) var deliveredTotal = 0
  /// The peer sends nothing until then: it stalls, sometimes in the middle of a line.
  var stalledUntil: Instant?

  // Server to peer.
  /// The core's bytes that are not written yet. They are kept to check that they do not change.
  private(set) var unsent = Queue<UInt8>()
  private var inFlight = Queue<(line: SaidLine, end: Int)>()
  private var collectedTotal = 0
  private var takenTotal = 0

  /// What the server wanted last; nil until it has wanted something.
  var wish: Router.Wish?
  var isRead: Bool { wish?.reading ?? true }
  var ending: Router.Wish.Ending { wish?.ending ?? .open }
  /// Whether the peer gets something more. Nothing is shown for a connection that is to be closed at once.
  var hasToRead: Bool { !unsent.isEmpty && ending != .close }

  /// Bytes to the end of the next line; nil if no whole line is on the wire.
  var nextLine: Int? { lines.first.map { $0.end - deliveredTotal } }

  /// The next line; nil if no whole line is on the wire.
  var next: SentLine? { lines.first }

  /// Whether the next line is a message, a verdict or nothing: it asks for no reply at once, and changes no chain.
  var isNextCalm: Bool {
    switch lines.first?.kind {
    case .message, .verdict, .silence: true
    default: false
    }
  }

  mutating func send(_ line: SentLine) {
    send(part: line.bytes)
    var line = line
    line.end = sentTotal
    lines.append(line)
  }

  /// The peer sends bytes that do not make a line.
  mutating func send(part: [UInt8]) { sentTotal += part.count }

  /// `count` more bytes have reached the server. Returns the lines that are now whole.
  mutating func delivered(_ count: Int) -> [SentLine] {
    deliveredTotal += count
    var whole: [SentLine] = []
    while let line = lines.first, line.end <= deliveredTotal {
      whole.append(line)
      lines.drop(1)
    }
    return whole
  }

  /// The core has appended bytes, and these lines in them.
  mutating func collected(_ bytes: [UInt8]) {
    unsent.append(contentsOf: bytes)
    collectedTotal += bytes.count
  }

  mutating func fly(_ line: SaidLine, bytesBehind: Int) { inFlight.append((line, collectedTotal - bytesBehind)) }

  /// `count` bytes were written. Returns the lines that the peer has now read.
  mutating func taken(_ count: Int) -> [SaidLine] {
    unsent.drop(count)
    takenTotal += count
    var whole: [SaidLine] = []
    while let next = inFlight.first, next.end <= takenTotal {
      whole.append(next.line)
      inFlight.drop(1)
    }
    return whole
  }
}
