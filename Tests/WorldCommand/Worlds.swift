package import ArgumentParser
internal import WorldKit

/// The command of a simulator whose worlds are made from their seeds alone: worlds one after the other, one again, or worlds
/// with planted faults. What is broken stands on standard output.
package struct Worlds<Fault: CaseIterable & RawRepresentable> where Fault.RawValue == String {
  /// A promise that a world broke.
  package typealias Broken = (promise: String, detail: String)

  /// The words that replay a world, up to its seed, and the steps of a world.
  let replay: StaticString
  let steps: Int
  /// What more than `enough` worlds have to come to.
  let mustReach: [String]
  let enough: Int
  /// In so many worlds a planted fault has to be found.
  let mostPlanted: Int
  /// The promises of which a fault breaks one: whatever else is found is not it.
  let breaks: (Fault) -> [String]
  /// Lives through the world of a seed, perhaps with a fault and a log, and adds what it reached.
  let live: (UInt64, inout [String: Int], Fault?, Bool) -> Broken?

  package init(
    replay: StaticString, steps: Int, mustReach: [String], enough: Int, mostPlanted: Int,
    breaks: @escaping (Fault) -> [String],
    live: @escaping (UInt64, inout [String: Int], Fault?, Bool) -> Broken?
  ) {
    self.replay = replay
    self.steps = steps
    self.mustReach = mustReach
    self.enough = enough
    self.mostPlanted = mostPlanted
    self.breaks = breaks
    self.live = { seed, reached, fault, isLogged in
      Alarm.watch(seed)
      return live(seed, &reached, fault, isLogged)
    }
  }

  /// Does what the options say. Returns false if a promise is broken, nothing was broken by a fault, or worlds miss something.
  package func run(_ options: WorldOptions) -> Bool {
    Alarm.arm(replay: replay)
    if let seed = options.seed { return playAgain(seed, options.plant.flatMap(Fault.init(rawValue:))) }
    if let plant = options.plant { return find(plant) }
    let end = Clock.milliseconds + options.seconds * 1000
    var (seed, reached): (UInt64, [String: Int]) = (0, [:])
    while Clock.milliseconds < end {
      seed += 1
      if let broken = live(seed, &reached, nil, false) {
        print("world \(seed): \(broken.promise) is broken: \(broken.detail)")
        print("replay: \(replay)\(seed) --steps \(steps)")
        return false
      }
    }
    let counts = reached.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("\(seed) worlds, \(counts.joined(separator: ", ")): every promise holds")
    let missing = seed > enough ? mustReach.filter { reached[$0] == nil } : []
    if !missing.isEmpty { print("never reached: \(missing.joined(separator: ", "))") }
    return missing.isEmpty
  }

  private func playAgain(_ seed: UInt64, _ fault: Fault?) -> Bool {
    var reached: [String: Int] = [:]
    let broken = live(seed, &reached, fault, true)
    print(broken.map { "\($0.promise) is broken: \($0.detail)" } ?? "every promise holds")
    return broken == nil
  }

  private func find(_ name: String) -> Bool {
    let all = Array(Fault.allCases)
    let faults = planted(name, of: all, named: \.rawValue)
    if faults.isEmpty { print("no fault \(name); there are \(all.map(\.rawValue).joined(separator: ", "))") }
    return faults.count { !isFound($0) } == 0 && !faults.isEmpty
  }

  private func isFound(_ fault: Fault) -> Bool {
    var (seed, found): (UInt64, Broken?) = (0, nil)
    var reached: [String: Int] = [:]
    while found == nil, seed < mostPlanted {
      seed += 1
      found = live(seed, &reached, fault, false)
      if let other = found?.promise, !breaks(fault).contains(other) { found = nil }
    }
    let what = found.map { "world \(seed): \($0.promise): \($0.detail)" } ?? "not found in \(mostPlanted) worlds"
    print("\(fault.rawValue): \(what)")
    return found != nil
  }
}

/// What such a command is told, beside the steps of a world.
package struct WorldOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Run worlds for so long.", valueName: "s"))
  package var seconds = 10

  @Option(help: ArgumentHelp("Replay the world of this seed, with a log.", valueName: "n"))
  package var seed: UInt64?

  @Option(
    help: ArgumentHelp("Plant this fault, or all, or a part of all as 0/3; each must be found.", valueName: "name"))
  package var plant: String?

  package init() {}
}
