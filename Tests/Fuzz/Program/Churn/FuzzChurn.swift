import ArgumentParser
import Foundation
import ProgramKit

/// Lets peers come and go at the real program for as long as the user wants, and checks whether its memory grows.
struct FuzzChurn: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "churn",
    abstract: "Let connections, links, subscriptions, keys, mounts, replicas and held places come and go.",
    discussion: """
      Under a steady load, that must lose nothing. Fails where the server's resident size in the last tenth of the \
      time is more than a tenth above what it was in the first. Only Linux tells the size.
      """)

  @Option(help: "How long to go on.") var seconds = 600
  @Option(help: "The same seed makes the same lines.") var seed: UInt64 = 1
  @Option(help: "The program to start.") var program: String
  @Option(help: "Peers that are there at once.") var peers = 64
  @Option(name: .customLong("set"), help: "A setting of the server, name=value. May be repeated.")
  var settings: [String] = []

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let server = try RunningServer(
      ["--log-level", "warning"] + settings.flatMap { ["--set", $0] }, at: ["127.0.0.1:0", "unix:"], path: program,
      errors: .intoLog)
    let run = try ChurnRun(server: server, seed: seed, seconds: seconds, peersAtOnce: peers)
    try run.run()
    print(run.ledger.table)
    print("\(run.peersEver) connections; control clients: \(run.controlRounds) messages and broadcasts, none lost")
    let (first, last) = (run.memory.firstTenth, run.memory.lastTenth)
    print("memory: \(first) KiB at most in the first tenth, \(last) KiB in the last, \(run.left) KiB with all gone")
    let failure = run.failure ?? run.ledger.shortfall ?? growth(first, last, run.memory) ?? server.farewell()
    guard let failure else { return }
    print("the end of the server's log:\n\(server.program.log.suffix(4000))")
    print("FAILED: \(failure)")
    throw ExitCode.failure
  }

  private func growth(_ first: Int, _ last: Int, _ memory: ResidentMemory) -> String? {
    guard last > first + first / 10 else { return nil }
    let step = max(1, memory.samples.count / 60)
    let course = stride(from: 0, to: memory.samples.count, by: step).map { memory.samples[$0] }
    return "memory grew by more than a tenth; its course in KiB: \(course)"
  }
}
