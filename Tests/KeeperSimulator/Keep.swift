import ArgumentParser
import WorldKit

/// The command: worlds one after the other, or one again.
@main
struct Keep: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-keep",
    abstract: "Crashes router, keeper and disk at every point, and holds what they promise against what they do.",
    discussion: """
      A world is made from its seed alone. A failing run prints the seed. Each fourth world has two nodes, with a disk each, and
      the stream of their log.

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
    let worlds = Worlds<Plant>(
      command: "baton-keep", steps: steps, mustReach: World.mustReach, enough: 1000, mostPlanted: 500,
      breaks: { $0.breaks }, live: live)
    guard worlds.run(seconds: seconds, seed: seed, plant: plant) else { throw ExitCode.failure }
  }

  /// Lives through one world, and adds what it reached. Returns the promise that it broke.
  private func live(
    _ seed: UInt64, _ reached: inout [String: Int], plant: Plant?, isLogged: Bool
  ) -> Worlds<Plant>.Broken? {
    Alarm.watch(seed)
    let world = World(
      seed: seed, plant: plant, hasNodes: plant.map(\.isOfNodes) ?? (seed % 4 == 0), isLogged: isLogged)
    do { try world.run(steps: steps) } catch { return (error.promise, error.detail) }
    reached.merge(world.judge.reached, uniquingKeysWith: +)
    reached["crashes", default: 0] += world.crashes
    if world.isCluster { reached["worlds with nodes", default: 0] += 1 }
    return nil
  }
}
