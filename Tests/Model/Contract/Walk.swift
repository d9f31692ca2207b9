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
    let reached: Int
    /// The same or, waiting to be offered once more, when its first offer was lost.
    var since: Int
    /// When its share of the message's time is over, in microseconds: shares are not cut to whole milliseconds, so that
    /// the last link's ends with the deadline.
    var shareEnd: Int
    /// When its time here is over, in microseconds.
    var due: Int
    var offer: (connection: Int, id: Int)?
    var wasRepeated = false
  }

  /// What comes of a walk that ends unhandled, where it is a broadcast.
  struct Publication {
    /// Whether the broadcaster gets it, too.
    let echo: Bool
  }

  let message: Send
  let id: String?
  let sender: Int
  let from: String
  let wantsResult: Bool
  /// For a broadcast with `via`.
  var publication: Publication?
  let deadline: Int
  let sent: Int
  /// Whether somebody listened for `$baton.trace` when it was sent.
  let isWatched: Bool
  /// How many milliseconds it waited for its key; nil where it was first.
  var keyWait: Int?
  /// The first chain's version when it entered.
  var version: Int?
  var trace: [TraceEntry] = []
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
  /// How it ended.
  var status: String?
  var isOver = false
  /// What shadows have said of it before it ended: the link, and the status that would be theirs, if any.
  var opinions: [(link: Int, statuses: [String])] = []
  var stand: Stand?

  /// What it counts against the limits in bytes: what its sender handed in, and what a link made of the payload.
  var weight: Int {
    let rewritten = isRewritten ? payload : nil
    let texts = [wantsResult ? id : nil, message.payload, message.meta, rewritten]
    let quoted = [message.topic, message.key, from].compactMap { $0.map { $0.utf8.count + 2 } }
    return (texts.compactMap { $0?.utf8.count } + quoted).reduce(Settings.messageBytes, +)
  }

  var chain: String { message.chain ?? "main" }
  var mode: Send.Mode { message.mode ?? .first }
  /// Messages with the same one walk one at a time.
  var line: String? { message.key.map { "\(chain) \($0)" } }
}
