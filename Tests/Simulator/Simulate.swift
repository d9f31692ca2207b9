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

  @Option(help: ArgumentHelp("Plant this fault, or all, one after the other; each must be found.", valueName: "name"))
  var plant: String?

  func run() throws {
    Alarm.arm(replay: "swift run -c release baton-simulate --seed ")
    if churn { return try churn(seed ?? firstSeed) }
    if let seed { return try replay(seed) }
    if let plant { return try plantFaults(plant) }
    try Run(firstSeed: firstSeed, worlds: worlds, seconds: seconds).carryOut()
  }

  private func faults(_ name: String) throws -> [Fault] {
    if name == "all" { return Fault.allCases }
    guard let fault = Fault(rawValue: name) else {
      throw ValidationError(
        "no fault \(name); there are all, \(Fault.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return [fault]
  }

  private func churn(_ seed: UInt64) throws {
    let start = Clock.milliseconds
    let churn = Churn(seed: seed, size: .hour)
    let violation = churn.run()
    print("\(churn.opened) connections in an hour with seed \(seed): \(churn.calls) calls through the door,")
    print("\(churn.results) results and \(churn.events) events in \(Clock.milliseconds - start) ms; the most at once:")
    print(churn.peaks.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    guard let violation else { return print("nothing is left") }
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
