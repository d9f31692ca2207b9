import ArgumentParser
import Foundation
import ProgramKit
import Synchronization

/// Lets each call to libuv, OpenSSL and the kernel fail, one after the other, and checks that the program goes on correctly.
/// Linux only.
@main
struct BatonFaults: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baton-faults",
    abstract: "Let the n-th call to libuv fail, for every n, while the program serves a small world.",
    discussion: """
      No call may end the program, leave a handle, a descriptor or a link behind, or harm more than one connection. \
      Where the program cannot start it has to say why. Linux only.
      """)

  @Option(help: "The program to start.") var program = Program.path
  @Option(help: "How many calls are to fail, one in each life of the program; all that a life makes if left out.")
  var calls: Int?
  @Option(help: "Let only every n-th of these calls fail.") var every = 1
  @Option(help: "With --every: which of the first n calls is the first to fail, counted from 0.") var first = 0
  @Option(help: "Play one life only, in which this call fails, and tell how it went.") var at: Int?
  @Option(help: "Lives that are lived at once.") var atOnce = 8
  @Option(help: "How often everything is played in the one life in which many calls fail.") var times = 12
  @Option(help: "The source of the library that lets calls fail.") var shim = "Tests/Faults/Shim/shim.c"

  func validate() throws {
    guard every > 0, first >= 0 else { throw ValidationError("--every is 1 or more, and --first 0 or more") }
  }

  func run() throws {
    #if os(Linux)
      // A write to a server that is gone must be an error of that write.
      signal(SIGPIPE, SIG_IGN)
      let shim = try Shim(source: self.shim)
      defer { shim.remove() }
      let household = try Household()
      if let at { try replay(at, shim, household) } else { try playAll(shim, household) }
    #else
      print("baton-faults needs LD_PRELOAD and /proc, which only Linux has")
      throw ExitCode.failure
    #endif
  }

  /// The calls that a life must make at least, so that the run tests enough.
  private static let leastCalls = 2000
  /// In the life in which many calls fail, one in this many fails.
  private static let step = 97

  private func life(
    _ faults: Faults, _ shim: Shim, _ household: Household, times: Int = 1
  ) throws -> FaultRun.Outcome {
    try FaultRun(shim: shim, program: program, faults: faults, times: times, household: household).play()
  }

  private func replay(_ number: Int, _ shim: Shim, _ household: Household) throws {
    let outcome = try life(.one(at: number), shim, household)
    for line in outcome.failed + outcome.disturbances + outcome.log { print(line) }
    print(outcome.failure.map { "FAILED: \($0)" } ?? "it went well")
    if outcome.failure != nil { throw ExitCode.failure }
  }

  /// The sums of the lives that have ended.
  private struct Tally {
    var next = 1
    var refusedStarts = 0
    var failedCalls: [String: Int] = [:]
    var failures: [String] = []
    var storm = FaultRun.Outcome()
  }

  private final class SharedTally: Sendable {
    let value = Mutex(Tally())
  }

  private func playAll(_ shim: Shim, _ household: Household) throws {
    let untouched = try life(.none, shim, household)
    if let failure = untouched.failure { throw Failure("without any fault: \(failure)\n\(untouched.log)") }
    guard let made = untouched.calls, made >= Self.leastCalls else {
      throw Failure("a life makes \(untouched.calls ?? 0) calls only")
    }
    let last = calls ?? made
    let tally = SharedTally()
    tally.value.withLock { $0.next = 1 + first % max(1, every) }
    // Lives wait more than they work. They get threads of their own, because queues have no more threads than the
    // machine has cores.
    let ended = DispatchSemaphore(value: 0)
    for worker in 0...atOnce {
      Thread.detachNewThread {
        if worker == 0 {
          let outcome = Result { try life(.every(Self.step, from: made / 10), shim, household, times: times) }
          tally.value.withLock { countStorm(outcome, &$0) }
        }
        while let number = tally.value.withLock({ next(&$0, last: last) }) {
          let outcome = Result { try life(.one(at: number), shim, household) }
          tally.value.withLock { count(outcome, number, &$0) }
        }
        ended.signal()
      }
    }
    for _ in 0...atOnce { ended.wait() }
    try tally.value.withLock { try tell($0, made: made) }
  }

  /// The life in which many calls fail must not leave anything behind either, nor take more and more memory.
  private func countStorm(_ outcome: Result<FaultRun.Outcome, any Error>, _ tally: inout Tally) {
    let title = "every \(Self.step)th call of a long life"
    switch outcome {
    case .failure(let error): tally.failures.append("\(title): \(error)")
    case .success(let outcome):
      tally.storm = outcome
      let half = outcome.memory.count / 2
      let (early, late) = (outcome.memory.prefix(half).max() ?? 0, outcome.memory.suffix(half).max() ?? 0)
      let isFlat = late <= early + early / 20 + 1024
      let failure =
        outcome.failure ?? (outcome.isRefusedStart ? "it does not start" : nil)
        ?? (isFlat ? nil : "memory grows: \(outcome.memory) KiB")
      if let failure { tally.failures.append("\(title): \(failure)") }
    }
  }

  private func next(_ tally: inout Tally, last: Int) -> Int? {
    guard tally.next <= last, tally.failures.count < 10 else { return nil }
    defer { tally.next += every }
    return tally.next
  }

  private func count(_ outcome: Result<FaultRun.Outcome, any Error>, _ number: Int, _ tally: inout Tally) {
    switch outcome {
    case .failure(let error): tally.failures.append("call \(number): \(error)")
    case .success(let outcome):
      if outcome.isRefusedStart { tally.refusedStarts += 1 }
      for call in outcome.failed {
        let name = call.split(separator: " ").dropFirst(2).joined(separator: " ")
        tally.failedCalls[name, default: 0] += 1
      }
      guard let failure = outcome.failure else { return }
      let log = outcome.log.suffix(20).map { "\n    \($0)" }.joined()
      tally.failures.append("\(outcome.failed.first ?? "call \(number)"): \(failure)\(log)")
    }
  }

  private func tell(_ tally: Tally, made: Int) throws {
    for (name, count) in tally.failedCalls.sorted(by: { $0.key < $1.key }) { print("\(name): \(count)") }
    let failed = tally.failedCalls.values.reduce(0, +)
    let refused = tally.refusedStarts
    print("\(failed) of the \(made) calls of a life failed, one in each life; \(refused) times it did not start")
    let storm = tally.storm
    print("\(storm.failed.count) calls of a long life failed; memory: \(storm.memory.last ?? 0) KiB at its end")
    for failure in tally.failures { print("FAILED: \(failure)") }
    guard tally.failures.isEmpty else {
      print("again: baton-faults --program \(program) --at NUMBER")
      throw ExitCode.failure
    }
  }
}
