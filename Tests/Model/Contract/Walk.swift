/// A message's way along the links.
struct Walk {
  /// One chain as it stood when the walk entered it, and how far the walk has come in it.
  struct Frame {
    let chain: String
    var links: [Int]
    var next = 0
  }

  /// The link at which a walk stands: its offer is open there, or it waits.
  struct Stand {
    let link: Int
    /// When its share of the message's time is over, in microseconds: shares are not cut to whole milliseconds, so that
    /// the last link's ends with the deadline.
    var shareEnd: Int
    /// When its time here is over, in microseconds.
    var due: Int
    var offer: (connection: Int, id: Int)?
    var wasRepeated = false
  }

  let message: Send
  let id: String?
  let sender: Int
  let from: String
  let wantsResult: Bool
  let deadline: Int
  /// The chains that it is in, the innermost last.
  var frames: [Frame] = []
  /// The chains that it has entered.
  var entered: Set<String> = []
  /// The payload as the next link sees it.
  var payload: String?
  var isRewritten = false
  var results: [(by: String, payload: String?)] = []
  var hops = 0
  var again = false
  var isOver = false
  var stand: Stand?

  var chain: String { message.chain ?? "main" }
  var mode: Send.Mode { message.mode ?? .first }
  /// Messages with the same one walk one at a time.
  var line: String? { message.key.map { "\(chain) \($0)" } }
}
