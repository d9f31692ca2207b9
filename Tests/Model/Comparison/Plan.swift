import BatonCore
import BatonModel
import WorldKit

/// What kind of world a seed makes.
struct Plan {
  var peers: Int
  var steps: Int
  var chains: [String]
  var names: [String]
  /// Of a thousand steps, those in which time passes, and those in which a peer goes.
  var passing: Int
  var deaths: Int
  /// The most milliseconds by which a wake-up may come late, and the most in one leap of time.
  var lateness: Int
  var leap: Int
  /// In percent, how many chances to close a connection are taken.
  var closing: Int
  /// The timeouts that messages and links may have.
  var timeouts: [Int]
  var holds: [Int]
  /// Whether payloads are so long that results have to be truncated. No link of such a world stops a message: the model
  /// does not know how long the server's own words about a failure are.
  var hasLongPayloads: Bool
  /// Whether peers often mount a chain in front of the place where the file mounts it.
  var mountsEarly = false
  /// Whether the chains have so many links that messages take more steps than are kept.
  var isLong: Bool
  /// In percent, how many messages ask for a trace, and how many subscriptions are for the server's own topics.
  var tracing: Int
  var watching: Int
  /// In percent, how likely a line is followed by another at once, and how likely it comes in two pieces.
  var bursts: Int
  var cuts: Int
  /// The limit that peers reach in this world, if any.
  var tight: Limit?
  /// The step at which the server is told to drain, if any.
  var drainsAt: Int?
  /// Whether peers often send lines with faults.
  var isClumsy: Bool
  /// Settings of links by name: most inserts of one name give the same settings.
  var recipes: [GivenSettings] = []
  /// Of a thousand steps, those in which the operator changes the file and lets it be read; and of a thousand lines of a
  /// peer, those that ask for that.
  var reloads = 0
  /// Of a thousand steps, those in which the operator changes what the file says about chains; and in percent, how likely
  /// a line about links is `move`.
  var rearranges = 0
  var moves = 0
  /// Whether identities have limits of links and patterns.
  var limitsLinks = false
  /// Of a thousand steps, those in which the operator changes limits.
  var relimits = 0
  /// In percent, how many broadcasts leave a value, and how many subscribers ask for what is kept.
  var keeping = 0
  var coreSettings = BatonCore.Settings()
  var modelSettings = BatonModel.Settings()

  init(using luck: inout Generator) {
    peers = luck.between(10...50)
    steps = luck.between(300...1500)
    chains = Array(["main", "kitchen", "house", "cellar", "attic"].prefix(luck.between(1...5)))
    names = Array(["porter", "cook", "spam", "log", "audit", "n_5", "n-6", "n.7"].prefix(luck.between(2...8)))
    passing = luck.pick([50, 150, 300])
    deaths = luck.pick([0, 5, 20, 30])
    closing = luck.pick([0, 20, 60])
    lateness = luck.pick([1, 3, 50])
    leap = luck.pick([10, 1000, 20_000])
    timeouts = luck.pick([[1, 2, 5, 20], [5, 20, 50], [20, 100, 1000, 2000], [5, 1000, 30_000]])
    holds = luck.pick([[5, 50], [50, 1000], [3]])
    hasLongPayloads = luck.chance(12)
    isLong = luck.chance(8)
    tracing = luck.pick([0, 10, 60])
    watching = luck.pick([0, 5, 60])
    bursts = luck.pick([0, 10, 50])
    cuts = luck.pick([0, 0, 20])
    tight =
      hasLongPayloads || luck.chance(35)
      ? nil
      : luck.pick(Limit.allCases + [.unsent, .unsentAgain, .mounts, .connections, .connections, .places, .replicas])
    drainsAt = luck.chance(25) ? steps - luck.between(20...200) : nil
    isClumsy = luck.chance(10)
    if isLong {
      names = (1...14).map { "n\($0)" }
      chains = ["main", "kitchen", "house", "cellar"]
      (deaths, closing, timeouts, tight) = (0, 0, [30_000], nil)
    }
    choose(using: &luck)
    tighten(using: &luck)
    recipes = names.indices.map { _ in RequestMaker<Plan>.settings(self, isFull: true, using: &luck) }
    declareChains(using: &luck)
    changeLimits(using: luck)
    keepEvents(using: luck)
  }

  /// Events of some topics are kept. The luck is a copy: worlds without it stay as they were.
  private mutating func keepEvents(using luck: Generator) {
    var luck = luck
    guard !hasSlowReaders, !hasLongPayloads, !isLong, luck.chance(60) else { return }
    keeping = luck.pick([40, 80])
    modelSettings.maxRetainedTopics = luck.pick([100_000, 1, 4])
    for _ in 0..<luck.between(1...4) {
      let pattern = RequestMaker<Plan>.pattern(using: &luck)
      guard !modelSettings.keptTopics.contains(where: { $0.pattern == pattern }) else { continue }
      modelSettings.keptTopics.append((pattern, luck.pick([1, 1, 1, 2, 1000])))
    }
    if luck.chance(50) {
      modelSettings.maxHistoryBytes = luck.between(2500...8000)
      let keepsAll = modelSettings.keptTopics.contains { $0.pattern == ">" }
      if !keepsAll { modelSettings.keptTopics.append((">", 1000)) }
    }
    coreSettings.maxHistoryBytes = modelSettings.maxHistoryBytes
    coreSettings.maxRetainedTopics = modelSettings.maxRetainedTopics
    coreSettings.keptTopics = modelSettings.keptTopics.map {
      KeptTopics(pattern: Array($0.pattern.utf8), keep: $0.keep)
    }
  }

  private mutating func choose(using luck: inout Generator) {
    modelSettings.timeoutMilliseconds = luck.pick([50, 1000, 30_000])
    modelSettings.window = luck.pick([1, 2, 256])
    modelSettings.maxQueueMessages = luck.chance(20) ? luck.between(1...8) : 20_000
    modelSettings.breakerOffers = luck.pick([1, 2, 5])
    modelSettings.breakerLeastMilliseconds = luck.pick([20, 1000])
    modelSettings.breakerMilliseconds = luck.pick([20, 200, 10_000])
    modelSettings.maxErrors = luck.pick([5, 20, 100])
    modelSettings.errorsMilliseconds = luck.pick([100, 10_000])
    modelSettings.lingerMilliseconds = luck.pick([10, 1000])
    modelSettings.maxLine = hasLongPayloads ? 8192 : 1 << 20
    modelSettings.maxOpenMessages = tight == nil ? luck.pick([1, 4, 4096, 4096, 4096]) : 4096
    modelSettings.lineTimeoutMilliseconds = luck.pick([100, 1000, 30_000])
    modelSettings.drainMilliseconds = luck.pick([5, 500, 25_000])
    modelSettings.maxKeptWalks = luck.pick([250, 250, 1, 5])
    coreSettings.maxKeptWalks = modelSettings.maxKeptWalks
    modelSettings.maxHistories = luck.pick([1000, 1000, 1, 3])
    coreSettings.maxHistories = modelSettings.maxHistories
    modelSettings.version = coreSettings.version
    if isLong { modelSettings.timeoutMilliseconds = 30_000 }
    coreSettings.timeoutMilliseconds = modelSettings.timeoutMilliseconds
    coreSettings.window = modelSettings.window
    coreSettings.maxQueueMessages = modelSettings.maxQueueMessages
    coreSettings.breakerOffers = modelSettings.breakerOffers
    coreSettings.breakerLeastMilliseconds = modelSettings.breakerLeastMilliseconds
    coreSettings.breakerMilliseconds = modelSettings.breakerMilliseconds
    coreSettings.maxErrors = modelSettings.maxErrors
    // What it counts of a message is not in the model.
    if tight == nil, !hasLongPayloads, luck.chance(40) {
      let rule = (beginsAll: luck.chance(30), perSecond: luck.pick([1, 5, 1000]))
      modelSettings.trace = rule
      coreSettings.trace = TraceRule()
      coreSettings.trace?.sample = rule.beginsAll ? 100 : 0
      coreSettings.trace?.perSecond = rule.perSecond
      coreSettings.traceSeed = luck.next()
    }
    coreSettings.errorsMilliseconds = modelSettings.errorsMilliseconds
    coreSettings.lingerMilliseconds = modelSettings.lingerMilliseconds
    coreSettings.maxOpenMessages = modelSettings.maxOpenMessages
    coreSettings.lineTimeoutMilliseconds = modelSettings.lineTimeoutMilliseconds
    coreSettings.drainMilliseconds = modelSettings.drainMilliseconds
    coreSettings.maxLine = modelSettings.maxLine
    coreSettings.maxCachedTopics = luck.pick([1, 4, 4096])
    coreSettings.hashSeed = luck.next()
    // The contract leaves the order within long work open. Here no work is long, and nobody waits for a turn.
    coreSettings.pieces.size = 1 << 20
    coreSettings.pieces.areLimited = false
  }
}
