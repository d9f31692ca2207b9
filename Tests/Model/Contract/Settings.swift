/// The limits and durations that the model knows. Its worlds never reach the others.
package struct Settings {
  package var timeoutMilliseconds = 30_000
  package var window = 256
  package var maxQueueMessages = 20_000
  /// Section 6: consecutive offers that time out until a breaker opens, the least time that counts, and for how long the
  /// breaker stays open.
  package var breakerOffers = 5
  package var breakerLeastMilliseconds = 1000
  package var breakerMilliseconds = 10_000
  package var maxWithin = 16
  package var maxErrors = 100
  /// Section 8, "Traces beyond the server": whether all messages begin one or none, and how many a second; nil: none is traced.
  package var trace: (beginsAll: Bool, perSecond: Int)?
  package var errorsMilliseconds = 10_000
  package var lingerMilliseconds = 1000
  package var maxLine = 1 << 20
  package var maxKeptWalks = 250
  package var maxHistories = 1000
  package var version = ""
  /// The limits of section 10, as settings.md lists them.
  package var maxConnections = 10_000
  package var makeRoomMilliseconds = 10_000
  package var maxOpenMessages = 4096
  package var maxOpenBytes = 64 << 20
  package var maxTotalBytes = 1024 << 20
  package var maxQueueBytes = 256 << 20
  package var offersUnsentBytes = 1 << 20
  package var eventsUnsentBytes = 4 << 20
  package var readingUnsentBytes = 8 << 20
  package var maxUnsentBytes = 64 << 20
  package var slowMilliseconds = 10_000
  package var maxUnfinishedBytes = 256 << 20
  package var lineTimeoutMilliseconds = 30_000
  package var maxEmptyPlaces = 10_000
  package var shareOfFree = 1
  package var maxLinks = 200_000
  package var maxPatterns = 100_000
  package var maxTotalPatterns = 1_000_000
  package var maxReplicas = 256
  package var maxMounts = 1000
  package var maxMountDepth = 32
  package var maxLapsedOffers = 65_536
  /// From the drain until everything that is open ends (section 8).
  package var drainMilliseconds = 25_000
  /// Section 14: the topics of which events are kept, by their entries' order.
  package var keptTopics: [(pattern: String, keep: Int)] = []
  package var maxRetainedTopics = 100_000
  package var maxHistoryBytes = 64 << 20
  /// The chains that the file declares at the start, with those of `--guard` (section 12).
  package var declarations: [Declaration] = []

  /// Section 11: the entries of the file, if it has any; and what holds for strangers.
  package var entries: [Entry]?
  package var authMilliseconds = 5000
  package var maxStrangers = 1000

  package init() {}

  /// The bytes that payload and meta may take together (section 2).
  var cargoLimit: Int { maxLine - 4096 }
  /// The bytes that a message counts besides its own.
  static let messageBytes = 1024
  /// The bytes that an offer counts for which no message pays.
  static let heldBytes = 512
  /// The same of a stage, and of each place in it.
  static let stageBytes = 1024
  static let placeBytes = 768
}
