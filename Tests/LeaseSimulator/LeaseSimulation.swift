import ArgumentParser
import WorldKit

/// The command: worlds one after the other, or one again.
@main
struct LeaseSimulation: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-lease",
    abstract: "Lets nodes, their clocks and their register fail, and looks that never two lead and that somebody does.",
    discussion: """
      A world is made from its seed alone. A failing run prints the seed.

      EXAMPLES
        baton-lease --seconds 60
        baton-lease --seed 17
        baton-lease --plant all
      """)

  @Option(help: ArgumentHelp("Run worlds for so long.", valueName: "s"))
  var seconds = 10

  @Option(help: ArgumentHelp("Steps of a world.", valueName: "n"))
  var steps = 4000

  @Option(help: ArgumentHelp("Replay the world of this seed, with a log.", valueName: "n"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp("Plant this fault, or all, or a part of all as 0/3; each must be found.", valueName: "name"))
  var plant: String?

  /// What worlds have to come to.
  private static let mustReach = [
    "leaders", "first", "taken", "handed_over", "losses", "steps back", "restarts", "reboots", "hand-overs",
  ]

  func run() throws {
    Alarm.arm(replay: "baton-lease --seed ")
    if let seed { return try replay(seed) }
    if let plant { return try plantFaults(plant) }
    let end = Clock.milliseconds + seconds * 1000
    var (seed, reached): (UInt64, [String: Int]) = (0, [:])
    while Clock.milliseconds < end {
      seed += 1
      if let broken = live(seed, &reached) {
        print("world \(seed): \(broken.promise.rawValue) is broken: \(broken.detail)")
        print("replay: baton-lease --seed \(seed) --steps \(steps)")
        throw ExitCode.failure
      }
    }
    let counts = reached.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("\(seed) worlds, \(counts.joined(separator: ", ")): every promise holds")
    let missing = seed > 100 ? LeaseSimulation.mustReach.filter { reached[$0] == nil } : []
    guard missing.isEmpty else {
      print("never reached: \(missing.joined(separator: ", "))")
      throw ExitCode.failure
    }
  }

  private func live(
    _ seed: UInt64, _ reached: inout [String: Int], plant: Plant? = nil, isLogged: Bool = false
  ) -> Broken? {
    Alarm.watch(seed)
    let world = World(seed: seed, plant: plant, isLogged: isLogged)
    do { try world.run(steps: steps) } catch { return error }
    reached.merge(world.reached, uniquingKeysWith: +)
    return nil
  }

  private func replay(_ seed: UInt64) throws {
    var reached: [String: Int] = [:]
    if let broken = live(seed, &reached, plant: plant.flatMap(Plant.init(rawValue:)), isLogged: true) {
      print("\(broken.promise.rawValue) is broken: \(broken.detail)")
      throw ExitCode.failure
    }
    print("every promise holds")
  }

  private func plantFaults(_ name: String) throws {
    let faults = planted(name, of: Plant.allCases, named: \.rawValue)
    guard !faults.isEmpty else {
      let all = Plant.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("no fault \(name); there are \(all)")
    }
    var hasMissed = false
    for fault in faults {
      var (seed, found): (UInt64, Broken?) = (0, nil)
      var reached: [String: Int] = [:]
      while found == nil, seed < 2000 {
        seed += 1
        found = live(seed, &reached, plant: fault)
        if let other = found?.promise, !fault.breaks.contains(other) { found = nil }
      }
      let name = fault.rawValue
      print(
        found.map { "\(name): world \(seed): \($0.promise.rawValue): \($0.detail)" }
          ?? "\(name): not found in 2000 worlds")
      if found == nil { hasMissed = true }
    }
    if hasMissed { throw ExitCode.failure }
  }
}
