import ArgumentParser
import BatonCore
import WorldKit

/// The command: runs worlds one after the other, by number or by time, or replays one.
@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-simulate",
    abstract: "Drives the core through its door with random peers, and holds invariants against what it does.",
    discussion: """
      A world is made from its seed alone. A failing run prints the seed and the command that replays it.

      EXAMPLES
        baton-simulate --seconds 60
        baton-simulate --worlds 1000 --first-seed 5000
        baton-simulate --seed 17
        baton-simulate --plant all
        baton-simulate --churn
      """)

  @Option(help: ArgumentHelp("Run worlds for so long.", valueName: "s"))
  var seconds: Int?

  @Option(help: ArgumentHelp("Run so many worlds.", valueName: "n"))
  var worlds: Int?

  @Option(help: ArgumentHelp("The seed of the first world; the next one has the next number.", valueName: "n"))
  var firstSeed: UInt64 = 1

  @Option(help: ArgumentHelp("Replay the world of this seed, with a log.", valueName: "n"))
  var seed: UInt64?

  @Flag(help: "Live through an hour in which 10,000 connections come and go, which must leave nothing behind.")
  var churn = false

  @Option(
    help: ArgumentHelp("Plant this fault, or all, or a part of all as 0/3; each must be found.", valueName: "name"))
  var plant: String?

  func run() throws {
    Alarm.arm(replay: "swift run -c release baton-simulate --seed ")
    if churn { return try churn(seed ?? firstSeed) }
    if let seed { return try replay(seed) }
    if let plant { return try plantFaults(plant) }
    try Run(firstSeed: firstSeed, worlds: worlds, seconds: seconds).carryOut()
  }

  private func faults(_ name: String) throws -> [Fault] {
    let found = planted(name, of: Fault.allCases, named: \.rawValue)
    guard found.isEmpty else { return found }
    throw ValidationError("no fault \(name); there are all, \(Fault.allCases.map(\.rawValue).joined(separator: ", "))")
  }

  private func churn(_ seed: UInt64) throws {
    Alarm.rest()
    let start = Clock.milliseconds
    let world = World(seed: seed, plan: .hour(seed), fault: nil, log: Log(isOn: false))
    let report = world.run()
    print(
      "\(world.network.wires.count) connections in \(world.network.now.microseconds / 1_000_000) s with seed \(seed):")
    print("\(report.calls) calls through the door in \(Clock.milliseconds - start) ms; the most at once:")
    print(world.peaks.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    guard let violation = report.violation else { return print("nothing is left") }
    print("\(violation.invariant.rawValue) is broken \(violation.detail)")
    throw ExitCode.failure
  }

  private func replay(_ seed: UInt64) throws {
    if let violation = Crowd(seed: seed).run() {
      print("in the crowd, \(violation.invariant.rawValue) is broken: \(violation.detail)")
      throw ExitCode.failure
    }
    let report = World(seed: seed, fault: try plant.flatMap { try faults($0).first }, log: Log(isOn: true)).run()
    print("world \(seed): \(report.calls) calls, hash \(String(report.hash, radix: 16))")
    guard let violation = report.violation else { return print("no invariant is broken") }
    print("\(violation.invariant.rawValue) is broken: \(violation.detail)")
    throw ExitCode.failure
  }

  private func plantFaults(_ name: String) throws {
    var hasMissed = false
    for fault in try faults(name) where !PlantedRun(fault: fault, firstSeed: firstSeed).isFound() { hasMissed = true }
    if hasMissed { throw ExitCode.failure }
  }
}
