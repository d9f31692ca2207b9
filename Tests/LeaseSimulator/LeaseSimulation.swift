import ArgumentParser
import WorldCommand

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

  @OptionGroup
  var options: WorldOptions

  @Option(help: ArgumentHelp("Steps of a world.", valueName: "n"))
  var steps = 4000

  /// What worlds have to come to.
  private static let mustReach = [
    "leaders", "first", "taken", "own", "handed_over", "losses", "steps back", "restarts", "reboots", "hand-overs",
  ]

  func run() throws {
    let worlds = Worlds<Plant>(
      replay: "baton-lease --seed ", steps: steps, mustReach: LeaseSimulation.mustReach, enough: 100, mostPlanted: 2000,
      breaks: { $0.breaks.map(\.rawValue) }, live: live)
    guard worlds.run(options) else { throw ExitCode.failure }
  }

  private func live(
    _ seed: UInt64, _ reached: inout [String: Int], plant: Plant?, isLogged: Bool
  ) -> Worlds<Plant>.Broken? {
    let world = World(seed: seed, plant: plant, isLogged: isLogged)
    do { try world.run(steps: steps) } catch { return (error.promise.rawValue, error.detail) }
    reached.merge(world.reached, uniquingKeysWith: +)
    return nil
  }
}
