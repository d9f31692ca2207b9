import BatonCore
import BatonModel
import WorldKit

/// Worlds in which peers reach a limit, one limit in each world.
extension Plan {
  enum Limit: CaseIterable {
    case unsent, unsentAgain, openBytes, totalBytes, queueBytes, unfinished, connections, patterns, places, lapsed
    case totalPatterns, links, replicas, mounts
  }

  var hasSlowReaders: Bool { tight == .unsent || tight == .unsentAgain }

  /// Whether the server may stop reading from a peer.
  var mayPause: Bool {
    modelSettings.maxOpenMessages < 4096 || hasSlowReaders || tight == .openBytes || tight == .totalBytes
      || modelSettings.entries?.contains { $0.limits["max_open_messages"] != nil } == true
  }

  /// Whether many peers go, so that others must come.
  var needsNewcomers: Bool { modelSettings.entries != nil || tight == .totalBytes }

  /// Whether every step has a millisecond of its own: a clock that is due at once may be looked at in the next one.
  var isPaced: Bool { hasSlowReaders || tight == .unfinished || tight == .lapsed || mayPause && cuts > 0 }

  /// Whether links may stop messages. In some worlds that would count for a limit in a way that the model leaves open.
  var mayStop: Bool { !hasLongPayloads && !isLong && tight != .totalPatterns && tight != .links && !limitsLinks }

  /// Whether peers ask for kept walks. Such an answer is long: a slow reader would be ended at once, and the contract
  /// leaves open whether before or after what else is due then.
  var asksForWalks: Bool { !hasSlowReaders }

  /// Whether bytes of messages count. The contract leaves open what traces and results of several links add to them.
  var countsBytes: Bool { tight == .openBytes || tight == .totalBytes || tight == .queueBytes }

  mutating func tighten(using luck: inout Generator) {
    set(\.shareOfFree, \.shareOfFree, luck.pick([1, 1, 2, 1000]))
    if countsBytes { tracing = 0 }
    switch tight {
    case .unsent?, .unsentAgain?: tightenOutboxes(using: &luck)
    case .openBytes?: set(\.maxOpenBytes, \.maxOpenBytes, luck.between(600...5000))
    case .totalBytes?:
      set(\.maxTotalBytes, \.maxTotalBytes, luck.between(600...8000))
      // So that much is left under way by those who go, and others wait for it.
      (deaths, timeouts) = (30, [30_000])
      set(\.shareOfFree, \.shareOfFree, 1)
    case .queueBytes?:
      set(\.maxQueueBytes, \.maxQueueBytes, luck.between(500...4000))
      set(\.window, \.window, 1)
    case .unfinished?:
      set(\.maxUnfinishedBytes, \.maxUnfinishedBytes, luck.between(20...500))
      cuts = 50
    case .connections?:
      set(\.maxConnections, \.maxConnections, luck.between(2...peers / 4 + 1))
      set(\.makeRoomMilliseconds, \.makeRoomMilliseconds, luck.pick([1, 1, 1, 50]))
    case .patterns?: set(\.maxPatterns, \.maxPatterns, luck.between(2...8))
    case .totalPatterns?:
      set(\.maxTotalPatterns, \.maxTotalPatterns, luck.between(5...30))
      endLostLinksAtOnce()
    case .links?:
      set(\.maxLinks, \.maxLinks, luck.between(3...20))
      endLostLinksAtOnce()
    case .replicas?: set(\.maxReplicas, \.maxReplicas, luck.between(1...3))
    case .mounts?:
      set(\.maxMounts, \.maxMounts, luck.between(1...3))
      set(\.maxMountDepth, \.maxMountDepth, luck.between(1...3))
    case .places?:
      set(\.maxEmptyPlaces, \.maxEmptyPlaces, luck.pick([0, 1, 2, 2, 2, 3, 4]))
      (holds, deaths, peers) = ([1000], 30, luck.between(4...10))
    case .lapsed?: set(\.maxLapsedOffers, \.maxLapsedOffers, luck.between(1...6))
    case nil: break
    }
  }

  /// Otherwise links that are lost in mid-walk count until the walk is past them, and the model does not know when.
  private mutating func endLostLinksAtOnce() { (tracing, watching) = (0, 0) }

  private mutating func tightenOutboxes(using luck: inout Generator) {
    set(\.offersUnsentBytes, \.offersUnsentBytes, luck.between(100...2000))
    set(\.eventsUnsentBytes, \.eventsUnsentBytes, luck.between(150...1500))
    let reading = luck.between(1000...4000)
    set(\.readingUnsentBytes, \.readingUnsentBytes, reading)
    set(\.maxUnsentBytes, \.maxUnsentBytes, reading + luck.between(100...4000))
    set(\.slowMilliseconds, \.slowMilliseconds, luck.pick([50, 1000, 10_000]))
  }

  /// Limits of messages that are under way, and those of this world, are changed now and then.
  /// The luck is a copy: worlds in which no limit changes stay what they are.
  mutating func changeLimits(using luck: Generator) {
    guard !hasLongPayloads, !isLong else { return }
    var luck = luck
    relimits = luck.pick([0, 0, 10, 40])
    if relimits > 0 { reloads = max(reloads, 1) }
  }

  /// The core's settings that are the same.
  func inCore(_ settings: BatonModel.Settings) -> BatonCore.Settings {
    var new = self
    new.take(settings)
    return new.coreSettings
  }

  /// The settings of a file in which one limit is another one.
  func relimited(_ old: BatonModel.Settings?, using luck: inout Generator) -> BatonModel.Settings {
    var new = self
    if let old { new.take(old) }
    switch tight {
    case .openBytes?: new.set(\.maxOpenBytes, \.maxOpenBytes, luck.between(600...5000))
    case .totalBytes?: new.set(\.maxTotalBytes, \.maxTotalBytes, luck.between(600...8000))
    case .patterns?: new.set(\.maxPatterns, \.maxPatterns, luck.between(1...8))
    case .links?: new.set(\.maxLinks, \.maxLinks, luck.between(3...20))
    case .connections?: new.set(\.maxConnections, \.maxConnections, luck.between(2...peers / 4 + 1))
    case nil where luck.chance(70):
      new.set(\.maxOpenMessages, \.maxOpenMessages, modelSettings.maxOpenMessages == 4096 ? 4096 : luck.between(1...5))
    default: new.set(\.maxQueueMessages, \.maxQueueMessages, luck.pick([1, 2, 5, 20_000]))
    }
    return new.modelSettings
  }

  /// What the file says already.
  private mutating func take(_ old: BatonModel.Settings) {
    set(\.maxOpenBytes, \.maxOpenBytes, old.maxOpenBytes)
    set(\.maxTotalBytes, \.maxTotalBytes, old.maxTotalBytes)
    set(\.maxPatterns, \.maxPatterns, old.maxPatterns)
    set(\.maxLinks, \.maxLinks, old.maxLinks)
    set(\.maxConnections, \.maxConnections, old.maxConnections)
    set(\.maxOpenMessages, \.maxOpenMessages, old.maxOpenMessages)
    set(\.maxQueueMessages, \.maxQueueMessages, old.maxQueueMessages)
  }

  private mutating func set(
    _ ofCore: WritableKeyPath<BatonCore.Settings, Int>, _ ofModel: WritableKeyPath<BatonModel.Settings, Int>,
    _ value: Int
  ) {
    coreSettings[keyPath: ofCore] = value
    modelSettings[keyPath: ofModel] = value
  }
}

extension Plan: Habits {
  private static let manyLetters = String(repeating: "x", count: 4000)

  var toAll: Int { hasLongPayloads ? 15 : 5 }

  var ranks: [String] {
    ["-1.5", "0", "1", "1", "2", "2.25", "1e3"] + (mayCrowd ? [] : ["-1e9", "1e9", "999999999"])
  }

  /// A connection must leave several places at once before its share of them is reached.
  func holding(_ usual: Int) -> Int { tight == .places ? 80 : usual }

  /// Two things keep some of them out: the contract leaves open in which order several connections are told to begin to
  /// miss events, and traces count bytes.
  var serverSubjects: [String] {
    if countsBytes { return ["$baton.link.*", "$baton.message.>"] }
    if hasSlowReaders { return ["$baton.link.*", "$baton.message.>", "$baton.trace"] }
    return ["$baton.>", "$baton.*.*", "$baton.trace", "$baton.link.*", "$baton.message.>"]
  }

  func payload(_ mark: Int, using luck: inout Generator) -> String {
    if hasLongPayloads, luck.chance(70) { return "\"\(mark)\(Self.manyLetters.prefix(luck.between(500...3900)))\"" }
    if luck.chance(50) { return "\(mark)" }
    let said = luck.chance(50) ? ",\(RequestMaker<Plan>.said(using: &luck))" : ""
    return "{ \"m\":[\(mark), 1.50, \"\\u00e9\"]\(said) }"
  }
}
