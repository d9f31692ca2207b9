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
      """)

  @Option(help: ArgumentHelp("Run worlds for so long.", valueName: "s"))
  var seconds = 10

  @Option(help: ArgumentHelp("Steps of a world.", valueName: "n"))
  var steps = 300

  @Option(help: ArgumentHelp("Replay the world of this seed, with a log.", valueName: "n"))
  var seed: UInt64?

  @Option(help: ArgumentHelp("Plant this fault, or all, one after the other; each must be found.", valueName: "name"))
  var plant: String?

  func run() throws {
    Alarm.arm(replay: "swift run -c release baton-keep --seed ")
    if let plant, seed == nil { return try plantFaults(plant) }
    if let seed {
      if let broken = broken(seed, plant.flatMap(Plant.init(rawValue:)), isLogged: true) {
        print("\(broken.promise) is broken: \(broken.detail)")
        throw ExitCode.failure
      }
      return print("every promise holds")
    }
    let end = Clock.milliseconds + seconds * 1000
    var (world, crashes, begun): (UInt64, Int, Int) = (0, 0, 0)
    while Clock.milliseconds < end {
      world += 1
      Alarm.watch(world)
      var one = World(seed: world, plant: nil, isLogged: false)
      do { try one.run(steps: steps) } catch {
        print("world \(world): \(error.promise) is broken: \(error.detail)")
        print("replay: baton-keep --seed \(world) --steps \(steps)")
        throw ExitCode.failure
      }
      crashes += one.crashes
      begun += one.begun
    }
    print("\(world) worlds, \(crashes) crashes, \(begun) tries: every promise holds")
  }

  private func broken(_ seed: UInt64, _ plant: Plant?, isLogged: Bool = false) -> Broken? {
    Alarm.watch(seed)
    var world = World(seed: seed, plant: plant, isLogged: isLogged)
    do { try world.run(steps: steps) } catch { return error }
    return nil
  }

  private func plantFaults(_ name: String) throws {
    let faults = name == "all" ? Plant.allCases : Plant.allCases.filter { $0.rawValue == name }
    guard !faults.isEmpty else {
      throw ValidationError("no fault \(name); there are \(Plant.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var hasMissed = false
    for fault in faults {
      if let seed = (1...500 as ClosedRange<UInt64>).first(where: { broken($0, fault) != nil }),
        let found = broken(seed, fault)
      {
        print("\(fault.rawValue): world \(seed): \(found.promise): \(found.detail)")
      } else {
        print("\(fault.rawValue): not found in 500 worlds")
        hasMissed = true
      }
    }
    if hasMissed { throw ExitCode.failure }
  }
}
