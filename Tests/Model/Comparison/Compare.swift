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

  @Option(help: ArgumentHelp("Break this rule in the model, or all in turn; each must be found.", valueName: "rule"))
  var plant: String?

  func run() throws {
    if let seed { return try Replay(seed: seed, broken: try rules().first).carryOut() }
    // A replay that traps tells more by itself.
    Alarm.arm(replay: "swift run -c release baton-model --seed ")
    if plant != nil { return try plantFaults() }
    try Run(firstSeed: firstSeed, steps: steps).carryOut()
  }

  private func rules() throws -> [Rule] {
    guard let plant else { return [] }
    if plant == "all" { return Rule.allCases }
    guard let rule = Rule(rawValue: plant) else {
      throw ValidationError("no rule \(plant); there are all, \(Rule.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return [rule]
  }

  private func plantFaults() throws {
    var missed: [String] = []
    for rule in try rules() {
      if !PlantedRun(rule: rule, firstSeed: firstSeed).isFound() { missed.append(rule.rawValue) }
    }
    guard !missed.isEmpty else { return }
    print("not found: \(missed.joined(separator: ", "))")
    throw ExitCode.failure
  }
}
