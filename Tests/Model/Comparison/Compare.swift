import ArgumentParser
import BatonModel
import WorldKit

/// The command: runs random worlds against the core and the model, or replays one, or plants faults.
@main
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-model",
    abstract: "Compares the core with a model of the contract, line by line, in random worlds.",
    discussion: """
      A world is made from its seed alone. A difference prints the seed and the command that replays it.

      EXAMPLES
        baton-model --steps 1000000
        baton-model --seed 17
        baton-model --plant all
      """)

  @Option(help: ArgumentHelp("Run worlds until so many steps are done.", valueName: "n"))
  var steps = 1_000_000

  @Option(help: ArgumentHelp("The seed of the first world; the next one has the next number.", valueName: "n"))
  var firstSeed: UInt64 = 1

  @Option(help: ArgumentHelp("Replay the world of this seed, with a log.", valueName: "n"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Break this rule in the model, or plant this fault at the core's door, or all in turn, or a part of all as 0/3; each must be found.",
      valueName: "name"))
  var plant: String?

  func run() throws {
    if let seed { return try Replay(seed: seed, plant: try plants().first).carryOut() }
    // A replay needs no alarm: if it traps, its log tells more.
    Alarm.arm(replay: "swift run -c release baton-model --seed ")
    if plant != nil { return try plantFaults() }
    try Run(firstSeed: firstSeed, steps: steps).carryOut()
  }

  private func plants() throws -> [Plant] {
    guard let plant else { return [] }
    let found = planted(plant, of: Plant.all, named: \.name)
    guard found.isEmpty else { return found }
    throw ValidationError("no rule or fault \(plant); there are all, \(Plant.all.map(\.name).joined(separator: ", "))")
  }

  private func plantFaults() throws {
    let missed = try plants().filter { !PlantedRun(plant: $0, firstSeed: firstSeed).isFound() }
    guard !missed.isEmpty else { return }
    print("not found: \(missed.map(\.name).joined(separator: ", "))")
    throw ExitCode.failure
  }
}
