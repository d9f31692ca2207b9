/// What a peer means by a line that it sends: the ledger's input, so that nobody has to read peers' lines twice.
enum Intent {
  /// A message to walk a chain; the number is its place in the ledger's messages.
  case send(Int)
  case broadcast(Int)
  case insert(LinkWish)
  /// Takes over the named link; the wish's name is the new one.
  case replace(String, LinkWish)
  case remove(chain: Int, name: String)
  case subscribe([Pattern])
  /// Nil gives up all patterns.
  case unsubscribe([Pattern]?)
  case hello(name: String?, heartbeatMilliseconds: Int?)
  /// A question that is answered with a line of this op.
  case ask(ServerLine.Op)
  case explain(Topic, chain: Int)
  case verdict(Verdict)
  /// A line that gets no answer: blank, a comment, a `pong`.
  case silence
  /// A line that is refused with an error, after which the connection lives on.
  case wrong
  /// Bytes that end the connection.
  case fatal
}

/// The settings of a link as `insert` and `replace` ask for them; nil is left out.
struct LinkWish {
  enum Place {
    case back, front
    case before(String)
    case after(String)
    case rank(Double)
  }

  var chain: Int
  var name: String
  var accepts: [Pattern]?
  var place = Place.back
  var timeoutMilliseconds: Int?
  var window: Int?
}

/// What a handler says to an offer.
struct Verdict {
  enum Kind: String { case handled, `continue`, reject, failed, working }

  var kind: Kind
  /// Nil means the oldest offer that is not answered.
  var offer: Int?
  var payload: [UInt8]?
  /// The values as they stand on the wire.
  var message: [UInt8]?
  var code: [UInt8]?
}

/// A line in a peer's hands: its bytes, its LF included, and what it means.
struct SentLine {
  var bytes: [UInt8]
  var intent: Intent
  /// The id as it stands on the wire.
  var id: [UInt8]?
  var wantsReply = true
  /// Where in the connection's stream the line ends; the wire fills it in.
  var end = 0
}

extension SentLine {
  /// True for lines that get an answer as soon as the server carries them out.
  var mustBeAnswered: Bool {
    switch intent {
    case .send, .verdict, .silence, .fatal: false
    case .wrong: true
    default: wantsReply
    }
  }

  var isSend: Bool {
    if case .send = intent { return true }
    return false
  }

  /// The line for messages about faults, its LF left out.
  var text: String {
    let shown = bytes.prefix(200).filter { $0 != 0x0A && $0 != 0x0D }
    return String(decoding: shown, as: UTF8.self)
  }
}
