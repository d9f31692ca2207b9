internal import BatonLasting

/// What the keeper has in memory of a stored message. Its content is in the store, but while a try begins.
///
/// There may be a million of them, so large parts come first, and nothing is left free between them.
struct MessageRecord: BitwiseCopyable {
  enum State: UInt8 {
    /// Its row is not known to be on disk.
    case storing
    /// `delay_ms` runs.
    case delayed
    /// Others of its key are before it.
    case lined
    /// It waits for the time of its next try.
    case retrying
    /// The same, and it waits for links, too.
    case stalled
    /// It waits for its turn.
    case ready
    /// The mark of its next try is being written, and its content loaded.
    case marking
    case underWay
    /// Its last result is being loaded; then it is a dead letter.
    case dying
    /// Its end is being written.
    case ending
    case dead
    /// A dead letter that is being sent again or discarded.
    case leaving
  }

  var row: UInt64
  var rules: TryRules
  /// Monotonic milliseconds.
  var expiresAt: UInt64
  var dueAt: UInt64 = 0
  /// The time under which it stands in the timers; 0 if it does not.
  var timerAt: UInt64 = 0
  var place: UInt64 = 0
  /// The links that it waits for, one bit for each digest modulo 64.
  var links: UInt64 = 0
  /// The time before which no link causes another try of those that do not count.
  var wakeFrom: UInt64 = 0
  /// The start of its name, in `Keeper.starts`.
  var start: Place<StoredID.Start>
  var flow: Place<Flow>
  var line: Place<KeyLine> = .none
  var once: Place<OnceName> = .none
  var content: Place<HeldContent> = .none
  /// The first of those who wait for its lines.
  var hearer: Place<Hearer> = .none
  var byteCount: UInt32
  /// Bytes of the result that its row has.
  var resultCount: UInt32 = 0
  var tries: UInt32 = 0
  var lastTry: UInt32 = 0
  var state: State
  var cause: TryEnd.Status?
  var isAgain = false
  /// Whether the mark of its try is on disk; of a message that dies, whether its last result was asked for.
  var isMarked = false
  var isLoading = false
  /// Marks of tries that are being written: that of a try that was put off may still be, when the next one has its turn.
  var marks: UInt8 = 0
  /// How often the store could not read it, one after the other.
  var failedLoads: UInt8 = 0
  /// Tries in a row that did not count.
  var stalls: UInt8 = 0
  /// Tries among them that a link has caused.
  var wakes: UInt8 = 0
  /// Whether its chain does not put it off any more: its time has come once, a link has, or a handler had its last try.
  var isNotPutOff = false
  /// Whether a link has made it ready.
  var isWoken = false
}

/// Who waits for lines about a message.
struct Hearer: BitwiseCopyable {
  var ticket: UInt64
  var message: Place<MessageRecord>
  /// The next one of that message.
  var next: Place<Hearer> = .none
  /// Whether the message was known when it was sent.
  var isKnown: Bool
  /// Whether it makes room for others.
  var hasPerhapsGone = false
}

/// The content of a message whose try begins.
struct HeldContent {
  var content: DurableContent
  var resent: StoredID?
}

/// A name of `once`.
struct OnceName: BitwiseCopyable {
  var name: Digest
  /// Half of the digest of what must be the same: enough, because nobody else knows the secret.
  var content: UInt64
  var row: UInt64
  var start: Place<StoredID.Start>
  var rememberedMilliseconds: UInt32
  /// The message; none after its end.
  var message: Place<MessageRecord>
  var account: Place<Account>
  /// Bytes of the result, after that end.
  var resultCount: UInt32 = 0
  /// Monotonic; 0 as long as the message is there.
  var forgetAt: UInt64 = 0
}

/// A chain that is declared or has messages.
struct ChainRecord {
  var name: [UInt8]
  var digest: Digest
  var isDeclared = false
  var window = 1
  /// Tries whose marks are being written, or that are under way.
  var open = 0
  /// Those that are under way.
  var underWay = 0
  var waiting = 0
  /// Of those that wait: the delayed ones, and those that wait for nothing but room.
  var delayed = 0
  var due = 0
  var dead = 0
  /// Identities that have some of its dead letters.
  var deadOwners = 0
  /// Flows with ready messages, in the order of their turns.
  var flows = Tree<Flow>()
  /// Flows with stalled messages: first those that the latest waking has not gone through, in the order of their turns.
  var stalledFlows = Tree<Flow>()
  var deadLetters = Tree<MessageRecord>()
  /// Links that were served again, and how often links were.
  var woken: UInt64 = 0
  var wakings: UInt64 = 0
  /// The link, if it is one alone.
  var wokenBy: Digest?
  /// Messages that links have made ready.
  var wokenDue = 0
  /// The place among the chains that can begin a try; 0 if it is not there.
  var turn: UInt64 = 0
  /// The time before which no further repetition of a try that did not count begins.
  var repeatFrom: UInt64 = 0
}

/// The messages of one identity for one chain.
struct Flow: BitwiseCopyable {
  var chain: Place<ChainRecord>
  var account: Place<Account>
  var ready = Tree<MessageRecord>()
  var count = 0
  var dead = 0
  var turn: UInt64 = 0
  var stalled = Tree<MessageRecord>()
  /// Its place among the flows of the chain with stalled messages.
  var stalledPlace = Pair(0)
  /// The last row that has heard of a waking, and of which one.
  var wokenUpTo: UInt64 = 0
  var wokenIn: UInt64 = 0
}

/// What an identity has stored.
struct Account: BitwiseCopyable {
  var digest: Digest
  /// Whether the keeper knows its name.
  var isNamed = false
  var messages = 0
  var bytes = 0
  var flows = 0
  /// Names of `once`, and of them those whose messages have ended.
  var names = 0
  var remembered = 0
}

/// The messages of a key, in the order in which they came.
struct KeyLine: BitwiseCopyable {
  var digest: Digest
  var tree = Tree<InLine>()
  /// Messages that belong to it, delayed ones too.
  var count = 0
  /// Whether the router has ordinary messages that came before.
  var isBusy = false
}

/// An ordinary message in a line.
struct OrdinaryPlace: BitwiseCopyable {
  var line: Place<KeyLine>
  var place: UInt64
  var ticket: UInt64
  var isLetGo = false
}
