import ArgumentParser
import WorldKit

/// The command: worlds one after the other, or one again.
@main
struct Keep: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-keep",
    abstract: "Crashes router, keeper and disk at every point, and holds what they promise against what they do.",
    discussion: """
      A world is made from its seed alone. A failing run prints the seed.

      EXAMPLES
        baton-keep --seconds 60
        baton-keep --seed 17 --steps 300
        baton-keep --plant all
      """)

  @Option(help: ArgumentHelp("Run worlds for so long.", valueName: "s"))
  var seconds = 10

  @Option(help: ArgumentHelp("Steps of a world.", valueName: "n"))
  var steps = 300

  @Option(help: ArgumentHelp("Replay the world of this seed, with a log.", valueName: "n"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp("Plant this fault, or all, or a part of all as 0/3; each must be found.", valueName: "name"))
  var plant: String?

  func run() throws {
    Alarm.arm(replay: "baton-keep --seed ")
    if let seed { return try replay(seed) }
    if let plant { return try plantFaults(plant) }
    let end = Clock.milliseconds + seconds * 1000
    var (world, reached): (UInt64, [String: Int]) = (0, [:])
    while Clock.milliseconds < end {
      world += 1
      if let broken = live(world, &reached) {
        print("world \(world): \(broken.promise) is broken: \(broken.detail)")
        print("replay: baton-keep --seed \(world) --steps \(steps)")
        throw ExitCode.failure
      }
    }
    let counts = reached.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("\(world) worlds, \(counts.joined(separator: ", ")): every promise holds")
    let missing = world > 1000 ? World.mustReach.filter { reached[$0] == nil } : []
    guard missing.isEmpty else {
      print("never reached: \(missing.joined(separator: ", "))")
      throw ExitCode.failure
    }
  }

  /// Lives through one world, and adds what it reached. Returns the promise that it broke.
  private func live(
    _ seed: UInt64, _ reached: inout [String: Int], plant: Plant? = nil, isLogged: Bool = false
  ) -> Broken? {
    Alarm.watch(seed)
    let world = World(seed: seed, plant: plant, isLogged: isLogged)
    do { try world.run(steps: steps) } catch { return error }
    reached.merge(world.judge.reached, uniquingKeysWith: +)
    reached["crashes", default: 0] += world.crashes
    return nil
  }

  private func replay(_ seed: UInt64) throws {
    var reached: [String: Int] = [:]
    if let broken = live(seed, &reached, plant: plant.flatMap(Plant.init(rawValue:)), isLogged: true) {
      print("\(broken.promise) is broken: \(broken.detail)")
      throw ExitCode.failure
    }
    print("every promise holds")
  }

  private func plantFaults(_ name: String) throws {
    let faults = planted(name, of: Plant.allCases, named: \.rawValue)
    let all = Plant.allCases.map(\.rawValue).joined(separator: ", ")
    guard !faults.isEmpty else { throw ValidationError("no fault \(name); there are \(all)") }
    var hasMissed = false
    for fault in faults {
      var (seed, found): (UInt64, Broken?) = (0, nil)
      var reached: [String: Int] = [:]
      while found == nil, seed < 500 {
        seed += 1
        found = live(seed, &reached, plant: fault)
        if let other = found?.promise, !fault.breaks.contains(other) { found = nil }
      }
      let name = fault.rawValue
      print(found.map { "\(name): world \(seed): \($0.promise): \($0.detail)" } ?? "\(name): not found in 500 worlds")
      if found == nil { hasMissed = true }
    }
    if hasMissed { throw ExitCode.failure }
  }
}
