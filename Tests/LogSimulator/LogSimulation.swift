import ArgumentParser
import WorldCommand

/// The command: worlds one after the other, or one again.
@main
struct LogSimulation: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-log",
    abstract: "Lets nodes, their files and the stream of their log fail, and looks that nothing accepted is lost.",
    discussion: """
      A world is made from its seed alone. A failing run prints the seed.

      EXAMPLES
        baton-log --seconds 60
        baton-log --seed 17
        baton-log --plant all
      """)

  @OptionGroup
  var options: WorldOptions

  @Option(help: ArgumentHelp("Steps of a world.", valueName: "n"))
  var steps = 4000

  /// What worlds have to come to.
  private static let mustReach = [
    "leaderships", "accepted", "failed", "full disks", "begun again", "copies", "decided", "losses", "steps back",
    "restarts",
  ]

  func run() throws {
    let worlds = Worlds<Plant>(
      replay: "baton-log --seed ", steps: steps, mustReach: LogSimulation.mustReach, enough: 100, mostPlanted: 2000,
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
