import ArgumentParser
import WorldKit

/// The command: worlds one after the other, or one again.
@main
struct Keep: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-keep",
    abstract: "Crashes the keeper of durable messages at every point, and holds its promises against what it does.",
    discussion: """
      A world is made from its seed alone. A failing run prints the seed.

      EXAMPLES
        baton-keep --seconds 60
        baton-keep --seed 17 --steps 300
        baton-keep --plant all
        baton-keep --whole --seconds 60
      """)

  @Flag(help: "The whole server around the keeper: peers, router and disk.")
  var whole = false

  @Option(help: ArgumentHelp("Run worlds for so long.", valueName: "s"))
  var seconds = 10

  @Option(help: ArgumentHelp("Steps of a world.", valueName: "n"))
  var steps = 300

  @Option(help: ArgumentHelp("Replay the world of this seed, with a log.", valueName: "n"))
  var seed: UInt64?

  @Option(help: ArgumentHelp("Plant this fault, or all, one after the other; each must be found.", valueName: "name"))
  var plant: String?

  func run() throws {
    Alarm.arm(replay: whole ? "baton-keep --whole --seed " : "baton-keep --seed ")
    if let seed { return try replay(seed) }
    if let plant { return try plantFaults(plant) }
    let end = Clock.milliseconds + seconds * 1000
    var (world, reached): (UInt64, [String: Int]) = (0, [:])
    while Clock.milliseconds < end {
      world += 1
      if let broken = live(world, nil, &reached) {
        print("world \(world): \(broken.promise) is broken: \(broken.detail)")
        print("replay: baton-keep \(whole ? "--whole " : "")--seed \(world) --steps \(steps)")
        throw ExitCode.failure
      }
    }
    let counts = reached.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("\(world) worlds, \(counts.joined(separator: ", ")): every promise holds")
    let missing = whole && world > 1000 ? Whole.mustReach.filter { reached[$0] == nil } : []
    guard missing.isEmpty else {
      print("never reached: \(missing.joined(separator: ", "))")
      throw ExitCode.failure
    }
  }

  /// Lives through one world, and adds what it reached. Returns the promise that it broke.
  private func live(_ seed: UInt64, _ plant: String?, _ reached: inout [String: Int], isLogged: Bool = false) -> Broken?
  {
    Alarm.watch(seed)
    do {
      if whole {
        let world = Whole(seed: seed, plant: plant.flatMap(WholePlant.init(rawValue:)), isLogged: isLogged)
        try world.run(steps: steps)
        reached.merge(world.judge.reached, uniquingKeysWith: +)
        reached["crashes", default: 0] += world.crashes
      } else {
        var world = World(seed: seed, plant: plant.flatMap(Plant.init(rawValue:)), isLogged: isLogged)
        try world.run(steps: steps)
        reached["crashes", default: 0] += world.crashes
        reached["tries", default: 0] += world.begun
      }
    } catch { return error }
    return nil
  }

  private func replay(_ seed: UInt64) throws {
    var reached: [String: Int] = [:]
    if let broken = live(seed, plant, &reached, isLogged: true) {
      print("\(broken.promise) is broken: \(broken.detail)")
      throw ExitCode.failure
    }
    print("every promise holds")
  }

  private func plantFaults(_ name: String) throws {
    let all = whole ? WholePlant.allCases.map(\.rawValue) : Plant.allCases.map(\.rawValue)
    let faults = name == "all" ? all : all.filter { $0 == name }
    guard !faults.isEmpty else { throw ValidationError("no fault \(name); there are \(all.joined(separator: ", "))") }
    var hasMissed = false
    for fault in faults {
      var (seed, found): (UInt64, Broken?) = (0, nil)
      var reached: [String: Int] = [:]
      let breaks = whole ? WholePlant(rawValue: fault)?.breaks : nil
      while found == nil, seed < 500 {
        seed += 1
        found = live(seed, fault, &reached)
        if let other = found?.promise, breaks?.contains(other) == false { found = nil }
      }
      print(found.map { "\(fault): world \(seed): \($0.promise): \($0.detail)" } ?? "\(fault): not found in 500 worlds")
      if found == nil { hasMissed = true }
    }
    if hasMissed { throw ExitCode.failure }
  }
}
