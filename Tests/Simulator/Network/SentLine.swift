import WorldKit

/// A line that a peer sends: its bytes, with the LF, and what the server owes for it.
struct SentLine {
  enum Kind {
    /// A message that walks: its result comes within this many milliseconds.
    case message(timeoutMilliseconds: Int)
    /// It is answered at once.
    case request
    /// It gets no answer, or an error if it is wrong.
    case verdict
    /// It gets no answer: blank, a comment, a `pong`.
    case silence
    /// It is refused with an error. The connection stays open.
    case wrong
    /// It ends the connection.
    case fatal
  }

  var bytes: [UInt8]
  var kind: Kind
  /// The id as it stands on the wire.
  var id: [UInt8]?
  var wantsReply = true
  /// The chain that a message walks, its topic, its key, and how many messages led to it.
  var chain = ""
  var topic = ""
  var key: String?
  var within = 0
  /// What a request asks for.
  var op = ""
  /// The id of the message that a `cancel` is to end, as it stands on the wire.
  var cancels: [UInt8]?
  /// The place in the connection's stream at which the line ends; the wire fills it in.
  var end = 0

  init(bytes: [UInt8], kind: Kind) { (self.bytes, self.kind) = (bytes, kind) }

  /// A line that is spelled already.
  init(_ asked: Asked, _ kind: Kind) {
    self.init(bytes: Array("\(asked.line)\n".utf8), kind: kind)
    (id, wantsReply, op) = (asked.id.map { Array($0.utf8) }, asked.wantsReply, asked.op)
  }

  /// Whether links may come, move or go by it.
  var changesChains: Bool {
    ["insert", "replace", "remove", "move", "mount", "unmount", "reload"].contains(op)
  }
}
