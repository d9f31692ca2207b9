/// A message's way along the links.
struct Walk {
  /// One chain as it stood when the walk entered it, and how far the walk has come in it.
  struct Frame {
    let chain: String
    /// The link that led here; nil for the first chain.
    let mount: Int?
    /// Whether it came here through declared mounts only.
    let isByFile: Bool
    /// The chain's version then.
    let entered: Int
    var links: [Int]
    var next = 0
  }

  /// The link at which a walk stands: its offer is open there, or it waits.
  struct Stand {
    let link: Int
    let reached: Int
    /// The same time; or, if the walk waits for a repeated offer, the time at which its first offer was lost.
    var since: Int
    /// When its share of the message's time is over, in microseconds. Shares are not cut to whole milliseconds, so that
    /// the last link's share ends with the deadline.
    var shareEnd: Int
    /// When its time here is over, in microseconds.
    var due: Int
    var offer: (connection: Int, id: Int)?
    var wasRepeated = false
  }

  /// The stage that it is in.
  struct Stage {
    /// How many chains it was in when it had entered the stage's own.
    let depth: Int
    /// The places that are not settled, in the order of the chain.
    var places: [Int] = []
    /// How many have been there.
    var begun = 0
    /// The end of the time that all of its places have.
    var shareEnd: Int?
    /// Whether there are no more links.
    var isPassed = false
  }

  /// What becomes of a broadcast whose walk ends unhandled.
  struct Publication {
    /// Whether the broadcaster gets it too.
    let echo: Bool
    /// Whether what is published becomes the value of its topic.
    let isRetained: Bool
    /// The identity for which it counts if it is kept; empty for those without one.
    let owner: String
  }

  let message: Send
  let id: String?
  let sender: Int
  /// For whom it counts and waits: its identity, or its address.
  var owner: String
  let from: String
  let wantsResult: Bool
  /// For a broadcast with `via`.
  var publication: Publication?
  let deadline: Int
  let sent: Int
  /// Whether a connection listened for `$baton.trace` when it was sent.
  let isWatched: Bool
  /// Whether it is traced beyond the server, and the span of its sender there.
  var isSpanned = false
  var parentSpan: String?
  /// How many milliseconds it waited for its key; nil if it was the first.
  var keyWait: Int?
  /// The first chain's version when it entered.
  var version: Int?
  var trace: [TraceEntry] = []
  /// The chains that it is in, the innermost last.
  var frames: [Frame] = []
  /// The chains that it has entered.
  var visits = Visits()
  /// The payload as the next link sees it.
  var payload: String?
  /// Whether nobody knows if it fits the condition of the link to which it came last.
  var isDoubtful = false
  var isRewritten = false
  var results: [(by: String, payload: String?, isHidden: Bool)] = []
  var hops = 0
  var again = false
  /// Without a trace: since it failed, waited or entered a mounted chain, its steps are recorded.
  var isRecorded = false
  /// Whether offers were made before that.
  var isPartial = false
  /// Whether there were more steps than are kept.
  var isCut = false
  /// The failures that it passed, and whether some were left out.
  var failures: [Failure] = []
  var hasMoreFailures = false
  /// The first failure that it has passed.
  var firstFailure: Failure?
  /// How it ended.
  var outcome: Model.Outcome?
  var isOver = false
  /// The shadows that got copies, in the order of the chain.
  var copied: [Int] = []
  /// What shadows have answered before it ended: the link, and the verdict.
  /// They count for who has the shadow.
  var opinions: [(link: Int, verdict: Verdict, payer: String?)] = []
  var stand: Stand?
  var stage: Stage?
  /// Whether this is one place of a message in a stage.
  var isPlace = false
  var isInStage: Bool { isPlace || stage != nil }

  /// The bytes that it counts against the limits: those that its sender sent, and those of the payload that a link
  /// made.
  var weight: Int {
    let rewritten = isRewritten ? payload : nil
    let texts = [wantsResult ? id : nil, message.payload, message.meta, rewritten]
    let quoted = [message.topic, message.key, from].compactMap { $0.map { $0.utf8.count + 2 } }
    // What is offered in a stage: the message, or as it was rewritten, once for all places.
    let anew = ([payload, message.meta].compactMap { $0?.utf8.count } + quoted).reduce(Settings.messageBytes, +)
    let steps = isTraced ? 0 : trace.count * 512
    let own = (texts.compactMap { $0?.utf8.count } + quoted).reduce(Settings.messageBytes, +)
    if isPlace { return isRewritten ? anew : own }
    let places =
      stage.map {
        Settings.stageBytes + $0.begun * Settings.placeBytes + (isRewritten ? anew : 0)
      } ?? 0
    return own + steps + places
  }

  /// Whether all its steps are recorded.
  var isTraced: Bool { isShown || isSpanned }
  /// Whether somebody sees the trace, with the links that did not matter to the message.
  var isShown: Bool { isWatched || message.trace == true }
  var chain: String { message.chain ?? "main" }
  var mode: Send.Mode { message.mode ?? .first }
  /// Its chain and key: messages with the same ones walk one at a time.
  var line: String? { message.key.map { "\(chain) \($0)" } }
}
