import ArgumentParser
import BatonStore
import CFaultyDisk
import Foundation

/// The command: lives of a store on a disk that fails (Docs/guarantees.md, "The disk is full, fails, or is
/// damaged").
@main
struct StoreFaults: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-store-faults",
    abstract: "Lets each call of the store to its disk fail, cuts the power at each, and lets memory be missing.",
    discussion: """
      The disk is one in memory: it loses what was not synced, in torn pieces, and after a sync that failed it may never
      have what it was for. What was told stored must be there at the next start, what was told failed must not, and
      nothing else. A failing run prints how to run it again.

      EXAMPLES
        baton-store-faults --seconds 20
        baton-store-faults --seeds 50
        baton-store-faults --seed 3 --kind error --at 117
        baton-store-faults --million /var/tmp/store
      """)

  @Option(help: ArgumentHelp("Play lives with so many seeds, each fault at each call.", valueName: "n"))
  var seeds: UInt64 = 1

  @Option(help: ArgumentHelp("End after so long, wherever it is: each seed leaves calls out then.", valueName: "s"))
  var seconds: Int?

  @Option(help: ArgumentHelp("Play the life of this seed.", valueName: "n"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "With this fault alone: \(Kind.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "kind"))
  var kind: Kind?

  @Option(help: ArgumentHelp("At this call alone.", valueName: "n"))
  var at: Int?

  @Option(help: ArgumentHelp("Steps of a life.", valueName: "n"))
  var steps = 30

  @Option(help: ArgumentHelp("Measure a start with a million messages in this file, which is made.", valueName: "file"))
  var million: String?

  @Option(help: ArgumentHelp("How many instead of a million.", valueName: "n"))
  var count: UInt64 = 1_000_000

  @Flag(help: "Give each of them a name (once).")
  var named = false

  @Flag(help: "On a disk that lies about its syncs: a promise must break.")
  var plant = false

  func run() throws {
    if let million { return try Million.run(count: count, path: million, isNamed: named) }
    Life.isLogged = at != nil
    memory_install()
    disk_install()
    let folder = NSTemporaryDirectory() + "baton-store-faults-\(UInt64.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // What is in it is in memory. An empty file beside a mark would be a store that was cut.
    try Data(count: 512).write(to: URL(fileURLWithPath: folder + "/store"))
    var trial = Trial(path: folder + "/store", steps: steps)
    let end = seconds.map { Date().timeIntervalSince1970 + Double($0) }
    if plant { return try findLie(&trial) }
    var next = seed ?? 1
    repeat {
      for kind in kind.map({ [$0] }) ?? Kind.allCases { try play(&trial, next, kind, isShort: end != nil) }
      next += 1
    } while end.map { Date().timeIntervalSince1970 < $0 } ?? (seed == nil && next <= seeds)
    print(trial.told)
  }

  private func findLie(_ trial: inout Trial) throws {
    disk_lie(1)
    let calls = try trial.count(seed: 1, .power)
    for call in 1...calls {
      do { try trial.run(seed: 1, .power, at: call) } catch { return print("found at call \(call): \(error)") }
    }
    print("a disk that lies was not found")
    throw ExitCode.failure
  }

  /// One fault at each call of a life; in short, at a hundred of them, others with each seed.
  private func play(_ trial: inout Trial, _ seed: UInt64, _ kind: Kind, isShort: Bool) throws {
    let calls = try trial.count(seed: seed, kind)
    let every = isShort ? max(1, calls / 100) : 1
    for call in at.map({ [$0] }) ?? Array(stride(from: 1 + Int(seed) % every, through: calls, by: every)) {
      do { try trial.run(seed: seed, kind, at: call) } catch {
        print("\(error)")
        print("replay: baton-store-faults --seed \(seed) --kind \(kind.rawValue) --at \(call) --steps \(steps)")
        throw ExitCode.failure
      }
    }
  }
}

extension Kind: ExpressibleByArgument {}
