import BatonCore
import DoorKit
import WorldKit

/// A long world: an hour in which thousands of connections come and go, with their links, replicas, held and required places,
/// mounts, keys and subscriptions. In the end no table has grown past what its fullest moment needed.
extension Plan {
  /// 10,000 connections.
  static func hour(_ seed: UInt64) -> Plan { long(seed, steps: 300_000) }
  /// Long enough to find a planted fault.
  static func minutes(_ seed: UInt64) -> Plan { long(seed, steps: 12_000) }

  private static func long(_ seed: UInt64, steps: Int) -> Plan {
    var luck = Generator(seed: seed)
    var plan = Plan(using: &luck)
    (plan.peers, plan.steps, plan.ending, plan.drainsAtStep) = (40, steps, .calm, nil)
    (plan.chains, plan.timeoutMilliseconds, plan.latePercent) = ((0..<12).map { "c\($0)" }, 2000, 0)
    (plan.isOverheard, plan.isDeadly, plan.isSlow, plan.lastsLong) = (true, true, true, true)
    (plan.declares, plan.reloads, plan.isWatched, plan.stays, plan.limits) = (false, 0, false, nil, nil)
    plan.settings = Settings()
    plan.settings.hashSeed = luck.next()
    plan.settings.maxLine = 16 << 10
    plan.settings.offersUnsentBytes = 4 << 10
    plan.settings.eventsUnsentBytes = 16 << 10
    plan.settings.readingUnsentBytes = 32 << 10
    plan.settings.maxUnsentBytes = 4 << 20
    plan.settings.maxOpenMessages = 200
    plan.settings.maxTotalBytes = 1 << 20
    plan.settings.maxQueueMessages = 50
    plan.settings.maxEmptyPlaces = 100
    plan.settings.maxCachedTopics = 64
    plan.settings.breakerMilliseconds = 2000
    plan.chooseRecipes(using: &luck)
    return plan
  }
}

extension World {
  func note(_ step: Int) {
    for (name, count) in network.driver.census where count > peaks[name] ?? 0 { peaks[name] = count }
    if step * 5 <= plan.steps { earlyMemory = Memory.peakBytes }
  }

  /// All have left. Tables keep their places: not more than their fullest moment needed, and a few more that a call may have
  /// needed in its middle. A leak of anything that comes and goes would raise the peak of memory.
  func checkGrowth() {
    for (name, places) in network.planter.alter(network.driver.router.extents) {
      let peak = peaks[name] ?? 0
      if places > peak + peak / 2 + 64 {
        ledger.fail(.nothingLeft, "\(places) places for \(name), of which \(peak) were taken")
      }
    }
    // Names of links that have left keep theirs, up to a limit.
    let (meters, links) = (network.driver.router.placesForMeters, peaks["links"] ?? 0)
    if meters > 2 * plan.settings.maxMetricLinks + links + links / 2 + 64 {
      ledger.fail(.nothingLeft, "\(meters) places for meters, with \(links) links")
    }
    let memory = Memory.peakBytes
    if memory > earlyMemory + earlyMemory / 2 + 16 << 20 {
      ledger.fail(.nothingLeft, "\(earlyMemory) bytes were taken after a fifth of the time, and \(memory) at the end")
    }
  }
}
