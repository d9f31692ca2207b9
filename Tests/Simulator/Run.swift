import ArgumentParser
import BatonCore
import WorldKit

/// Many worlds without a planted fault. The run stops at the first broken invariant. It also fails if something that
/// must happen now and then happened too seldom.
struct Run {
  let firstSeed: UInt64
  let worlds: Int?
  let seconds: Int?

  /// One of this many worlds is run twice, to check that a seed always makes the same world.
  private static let twinEvery = 50
  /// Coverage is judged from this many worlds on.
  private static let worldsToJudge = 1000
  /// What must happen in at least one world of a hundred.
  private static let required = [
    "byte by byte", "cancelled", "cancelled in vain", "chains", "chains: a guard lets nothing pass",
    "chains: an older version is seen",
    "chains: judged by a trace", "end: draining", "end: finished", "end: idle", "end: line_timeout",
    "end: line_too_long",
    "end: not_json_lines", "end: too_many_connections", "end: too_many_errors", "end: too_slow", "error bad_json",
    "error bad_member", "error busy", "error draining", "error late_verdict", "error limit_reached",
    "error unknown_offer", "event", "explained", "half-close", "lapsed", "lapsed, cancelled", "late wake-up", "missed",
    "moved", "offer",
    "ping", "reading paused", "reload", "reload in pieces", "removed", "replaced", "result handled", "result published",
    "result rejected",
    "result timeout", "result unhandled", "slow reader", "stays: asks for values", "stays: gone", "stays: gone at most",
    "stays: gone without a number", "stays: lost for want of room", "stays: replayed", "stays: value",
  ]

  func carryOut() throws {
    if let violation = crowd(firstSeed) { throw fail(firstSeed, violation) }
    let start = Clock.milliseconds
    var counts: [String: Int] = [:]
    var calls = 0
    var done = 0
    while isToGoOn(done, start) {
      let seed = firstSeed + UInt64(done)
      let report = live(seed)
      if let violation = report.violation { throw fail(seed, violation) }
      if done % Self.twinEvery == 0, live(seed).hash != report.hash {
        print("seed \(seed) makes two different worlds")
        throw ExitCode.failure
      }
      for what in report.covered { counts[what, default: 0] += 1 }
      calls += report.calls
      done += 1
    }
    let elapsed = max(1, Clock.milliseconds - start)
    printCoverage(counts, of: done)
    print("\(done) worlds from seed \(firstSeed) on, \(calls) calls through the door in \(elapsed) ms,")
    print("\(calls * 1000 / elapsed) calls a second; no invariant is broken")
    let seldom = Self.required.filter { counts[$0] ?? 0 < done / 100 }
    if done >= Self.worldsToJudge, !seldom.isEmpty {
      print("too seldom: \(seldom.joined(separator: ", "))")
      throw ExitCode.failure
    }
  }

  private func isToGoOn(_ done: Int, _ start: Int) -> Bool {
    if let worlds { return done < worlds }
    return Clock.milliseconds - start < (seconds ?? 10) * 1000
  }

  private func live(_ seed: UInt64) -> World.Report {
    Alarm.watch(seed)
    return World(seed: seed, fault: nil, log: Log(isOn: false)).run()
  }

  /// One crowd: it takes as long as a hundred worlds.
  private func crowd(_ seed: UInt64) -> Violation? {
    Alarm.watch(seed)
    return Crowd(seed: seed).run()
  }

  private func fail(_ seed: UInt64, _ violation: Violation) -> ExitCode {
    print("seed \(seed): \(violation.invariant.rawValue) is broken: \(violation.detail)")
    print("replay: swift run -c release baton-simulate --seed \(seed)")
    return .failure
  }

  private func printCoverage(_ counts: [String: Int], of worlds: Int) {
    guard worlds > 0 else { return }
    print("share of the worlds in which it happened:")
    for (what, count) in counts.sorted(by: { $0.key < $1.key }) {
      let tenths = count * 1000 / worlds
      let share = String(repeating: " ", count: max(0, 3 - String(tenths / 10).count)) + "\(tenths / 10).\(tenths % 10)"
      print("  \(share) %  \(what)")
    }
  }
}

/// Worlds with one fault planted in each, until the ledger finds the fault under the right name.
struct PlantedRun {
  let fault: Fault
  let firstSeed: UInt64

  /// If a fault is not found in this many worlds, the run fails.
  private static let worlds = 3000
  /// The same, of worlds that last long. Each takes as long as dozens of others.
  private static let longWorlds = 30

  func isFound() -> Bool {
    if fault.isOfCrowd { return isFoundInCrowd() }
    var others = 0
    let worlds = fault.isOfLongWorld ? Self.longWorlds : Self.worlds
    for index in 0..<worlds {
      let seed = firstSeed + UInt64(index)
      Alarm.watch(seed)
      if fault.isOfLongWorld { Alarm.rest() }
      let plan: Plan? = fault.isOfLongWorld ? .minutes(seed) : nil
      let world = World(seed: seed, plan: plan, fault: fault, log: Log(isOn: false))
      guard world.network.planter.fault != nil else { continue }
      let report = world.run()
      guard report.hasPlanted, let violation = report.violation else { continue }
      if violation.invariant == fault.breaks {
        print("\(fault.rawValue): found as \(violation.invariant.rawValue) with seed \(seed), world \(index + 1)")
        return true
      }
      others += 1
    }
    print("\(fault.rawValue): NOT found in \(worlds) worlds (\(others) broke another invariant)")
    return false
  }

  private func isFoundInCrowd() -> Bool {
    Alarm.watch(firstSeed)
    let violation = Crowd(seed: firstSeed, fault: fault).run()
    guard let violation, violation.invariant == fault.breaks else {
      print("\(fault.rawValue): NOT found (\(violation.map { "\($0)" } ?? "nothing was"))")
      return false
    }
    print("\(fault.rawValue): found as \(violation.invariant.rawValue) with seed \(firstSeed)")
    return true
  }
}
