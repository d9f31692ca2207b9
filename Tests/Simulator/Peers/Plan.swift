import BatonCore
import WorldKit

/// What kind of world a seed makes: how many peers, how low the limits, how long things take.
struct Plan {
  /// How a world ends.
  enum Ending {
    /// Peers ask for nothing more, everything under way ends, then all leave.
    case calm
    /// All leave while messages are under way.
    case abrupt
  }

  var settings = Settings()
  var peers: Int
  var steps: Int
  var chains: [String]
  /// The usual timeout of a message in milliseconds.
  var timeoutMilliseconds: Int
  /// How many of a hundred wake-ups come late.
  var latePercent: Int
  var drainsAtStep: Int?
  var ending: Ending
  /// Whether peers listen to the server's own topics.
  var isOverheard: Bool
  /// Whether connections are often lost.
  var isDeadly: Bool
  /// Whether every peer reads slowly at times.
  var isSlow: Bool
  /// Whether the configuration file declares chains.
  var declares = false
  /// Of a thousand steps, how many change the configuration file or let the server read it.
  var reloads = 0
  /// What stays; nil if nothing does.
  var stays: StayPlan?
  /// Identities with limits; nil if there are none.
  var limits: LimitPlan?
  /// Whether an observer sees each version of each chain.
  var isWatched = false
  /// Whether thousands come and go in it (`LongWorld.swift`).
  var lastsLong = false
  /// Settings of links by name.
  private(set) var recipes: [GivenSettings] = []

  init(using luck: inout Generator) {
    peers = luck.chance(60) ? luck.between(2...8) : luck.between(9...30)
    steps = luck.chance(70) ? luck.between(100...600) : luck.between(600...2000)
    chains = Array(Vocabulary.chains.prefix(luck.between(1...Vocabulary.chains.count)))
    timeoutMilliseconds = luck.pick([5, 20, 50, 200, 1000, 30_000])
    latePercent = luck.pick([0, 0, 30, 80])
    drainsAtStep = luck.chance(15) ? luck.below(steps) : nil
    ending = luck.chance(60) ? .calm : .abrupt
    isDeadly = luck.chance(30)
    isOverheard = luck.chance(25)
    isSlow = luck.chance(35)
    choose(using: &luck)
    declareChains(using: &luck)
    if !isWatched, luck.chance(20) { limits = LimitPlan(using: &luck) }
    chooseRecipes(using: &luck)
    if luck.chance(25) {
      var rule = RecordRule()
      rule.isStrict = luck.chance(75)
      settings.record = rule
    }
    // Where nobody pauses and few are closed, listeners are there long enough.
    guard limits == nil, settings.maxConnections > 100, settings.maxPatterns > 100, luck.chance(30) else { return }
    stays = StayPlan(&settings, using: &luck)
  }

  mutating func chooseRecipes(using luck: inout Generator) {
    recipes = names.map { _ in RequestMaker.settings(self, isFull: true, using: &luck) }
  }

  private mutating func declareChains(using luck: inout Generator) {
    declares = luck.chance(25)
    guard declares else { return }
    settings.chains = ChainFile.new(using: &luck)
    reloads = luck.pick([5, 20, 60])
    let isTight = settings.maxConnections < 100 || settings.maxLinks < 100 || settings.maxPatterns < 100
    isWatched = !mayPause && !isTight
  }

  /// Bytes that payload and meta may take together.
  var payloadLimit: Int { settings.maxLine - 4096 }

  /// Whether the server may stop reading from a peer.
  var mayPause: Bool {
    settings.maxOpenMessages < 100 || settings.maxOpenBytes < 1 << 20 || settings.maxTotalBytes < 1 << 20
      || settings.readingUnsentBytes < 1 << 20 || limits?.mayPause == true
  }

  /// Small settings, and in some worlds one limit that peers reach.
  private mutating func choose(using luck: inout Generator) {
    settings.maxLine = luck.pick([6000, 8192, 16384, 65536])
    settings.maxDepth = luck.pick([8, 16, 128])
    settings.lineTimeoutMilliseconds = luck.pick([100, 1000, 30_000])
    settings.lingerMilliseconds = luck.pick([10, 1000])
    settings.timeoutMilliseconds = luck.pick([20, 500, 30_000])
    settings.window = luck.pick([1, 2, 3, 256])
    settings.drainMilliseconds = luck.pick([5, 100, 25_000])
    settings.maxErrors = luck.pick([5, 20, 100])
    settings.errorsMilliseconds = luck.pick([100, 10_000])
    settings.maxCachedTopics = luck.pick([1, 4, 4096])
    settings.maxMetricLinks = luck.pick([1, 3, 1000])
    settings.hashSeed = luck.next()
    settings.pieces.size = luck.pick([1, 2, 5, 32])
    settings.breakerOffers = luck.pick([1, 5, .max])
    if luck.chance(30) {
      settings.traceSeed = luck.next()
      settings.trace = TraceRule()
      settings.trace?.sample = luck.pick([0, 50, 100])
      settings.trace?.perSecond = luck.pick([1, 20, 100_000])
    }
    switch luck.below(17) {
    case 0: settings.maxConnections = luck.between(2...6)
    case 1: settings.maxOpenMessages = luck.between(1...6)
    case 2: settings.maxQueueMessages = luck.between(1...4)
    case 3: settings.maxQueueBytes = luck.between(200...4000)
    case 4: settings.maxLinks = luck.between(1...8)
    case 5: settings.maxPatterns = luck.between(4...8)
    case 6: settings.maxLapsedOffers = luck.between(1...6)
    case 7, 8, 12, 13: chooseOutboxes(using: &luck)
    case 9: settings.maxCachedBytes = luck.between(64...2000)
    case 10: settings.maxOpenBytes = luck.between(400...5000)
    case 14: settings.maxTotalBytes = luck.between(600...8000)
    case 15: settings.maxEmptyPlaces = luck.between(0...4)
    case 16: settings.maxTotalPatterns = luck.between(5...30)
    case 11: settings.maxUnfinishedBytes = luck.between(20...500)
    default: break
    }
  }

  /// Outboxes so small that slow readers have an effect.
  private mutating func chooseOutboxes(using luck: inout Generator) {
    isSlow = true
    settings.offersUnsentBytes = luck.between(100...2000)
    settings.eventsUnsentBytes = luck.between(150...1500)
    settings.readingUnsentBytes = luck.between(1000...8000)
    settings.maxUnsentBytes = settings.readingUnsentBytes + 2 * settings.maxLine
    settings.slowMilliseconds = luck.pick([50, 1000, 10_000])
  }

  /// What differs from the contract's defaults, for the head of a replay.
  var description: String {
    let usual = Mirror(reflecting: Settings()).children.map { "\($0.value)" }
    let own = Mirror(reflecting: settings).children
    let changed = zip(own, usual).filter { "\($0.0.value)" != $0.1 && !["hashSeed", "chains"].contains($0.0.label) }
    let named = changed.map { "\($0.0.label ?? "") \($0.0.value)" }.joined(separator: ", ")
    return
      "\(peers) peers, \(steps) steps, \(chains.count) chains, usual timeout \(timeoutMilliseconds) ms; \(named) \(settings.chains.map(\.logged))"
  }
}

extension Plan: Habits {
  /// All that the file may close in the end.
  var allChains: [String] { lastsLong ? chains : Vocabulary.chains }
  var names: [String] { lastsLong ? (0..<40).map { "h\($0)" } : Vocabulary.names }
  var newTopics: Int { lastsLong ? 10 : 0 }
  var timeouts: [Int] {
    [timeoutMilliseconds, timeoutMilliseconds, timeoutMilliseconds / 2, timeoutMilliseconds / 4, 30, 1000].map {
      max(1, $0)
    }
  }
  var holds: [Int] { [5, 50, 500] }
  var tracing: Int { isWatched ? 45 : 27 }
  var watching: Int { isOverheard ? 60 : 0 }
  /// What stays without its handler is taken away in the end only where the file can do it.
  var mayStay: Bool { declares || limits != nil || lastsLong }
  var mayStop: Bool { mayStay }
  var mayRequire: Bool { mayStay }
  var shadows: Int { limits == nil && !lastsLong ? 0 : 20 }
  /// A link that keeps its name is known by it.
  var renaming: Int { declares ? 0 : 30 }

  func payload(_ mark: Int, using luck: inout Generator) -> String {
    Bytes.payload(mark: mark, limit: payloadLimit, using: &luck)
  }
}
