import ArgumentParser
import BatonModel
import ConditionKit

/// Compares the core's answers to conditions with the model's, and which conditions they refuse.
struct FuzzConditions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conditions",
    abstract: "Compare what the core and the model of the contract say of made-up conditions and messages.")

  @Option(help: ArgumentHelp("So many conditions, each with four messages.", valueName: "n"))
  var cases = 100_000

  @Option(help: ArgumentHelp("The seed of the first condition; the next one has the next number.", valueName: "n"))
  var firstSeed: UInt64 = 1

  @Flag(help: "Break each rule in the model, and plant each fault at the core: ten must be found.")
  var plant = false

  func run() throws {
    if plant { return try plantAll() }
    var counts: [String: Int] = [:]
    if let found = search(ConditionTwins(), cases, counting: &counts) {
      print(found)
      throw ExitCode.failure
    }
    let figures = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("\(cases) conditions, no disagreement: \(figures)")
  }

  private static let leastFound = 10

  private func plantAll() throws {
    var missed: [String] = []
    var none: [String: Int] = [:]
    for rule in ConditionRule.allCases where search(ConditionTwins(broken: rule), cases, counting: &none) == nil {
      missed.append(rule.rawValue)
    }
    for fault in ConditionFaultAtTheDoor.allCases
    where search(ConditionTwins(fault: fault), cases, counting: &none) == nil {
      missed.append(fault.rawValue)
    }
    let planted = ConditionRule.allCases.count + ConditionFaultAtTheDoor.allCases.count
    print("\(planted) faults planted, \(planted - missed.count) found")
    if missed.isEmpty { return }
    print("not found: \(missed.joined(separator: ", "))")
    // Some need more cases than there is time for.
    if planted - missed.count < Self.leastFound { throw ExitCode.failure }
  }

  /// The first disagreement, with its seed; nil if there is none.
  private func search(_ twins: consuming ConditionTwins, _ cases: Int, counting: inout [String: Int]) -> String? {
    for seed in firstSeed..<firstSeed + UInt64(cases) {
      var maker = ConditionMaker(seed: seed)
      let condition = maker.condition()
      for _ in 0..<4 {
        let message = maker.message()
        let (words, outcome) = twins.disagreement(condition, message, identity: seed % 7 > 0)
        if let words {
          let said = message.sorted { $0.key < $1.key }.map { "\n\($0.key): \($0.value.prefix(2000))" }.joined()
          return "seed \(seed): \(words)\n\(condition)\(said)"
        }
        switch outcome {
        case .refused: counting["refused", default: 0] += 1
        case .answered(let answer): counting[answer, default: 0] += 1
        }
      }
    }
    return nil
  }
}
