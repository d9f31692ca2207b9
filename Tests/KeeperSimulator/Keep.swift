import ArgumentParser
import WorldCommand

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

  @OptionGroup
  var options: WorldOptions

  @Option(help: ArgumentHelp("Steps of a world.", valueName: "n"))
  var steps = 300

  func run() throws {
    let worlds = Worlds<Plant>(
      replay: "baton-keep --seed ", steps: steps, mustReach: World.mustReach, enough: 1000, mostPlanted: 500,
      breaks: { $0.breaks }, live: live)
    guard worlds.run(options) else { throw ExitCode.failure }
  }

  /// Lives through one world, and adds what it reached. Returns the promise that it broke.
  private func live(
    _ seed: UInt64, _ reached: inout [String: Int], plant: Plant?, isLogged: Bool
  ) -> Worlds<Plant>.Broken? {
    let world = World(
      seed: seed, plant: plant, hasNodes: plant.map(\.isOfNodes) ?? (seed % 4 == 0), isLogged: isLogged)
    do { try world.run(steps: steps) } catch { return (error.promise, error.detail) }
    reached.merge(world.judge.reached, uniquingKeysWith: +)
    reached["crashes", default: 0] += world.crashes
    if world.isCluster { reached["worlds with nodes", default: 0] += 1 }
    return nil
  }
}
