import ArgumentParser
import Foundation
import FuzzKit
import ProgramKit

/// Sends mutated transcripts to the real program, and checks that the program stays sound.
struct FuzzServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server",
    abstract: "Send the real server mutated transcripts, beside a control client that must lose nothing.")

  @Option(help: "How long to go on; up to twenty times as long, until the counts below are there.") var seconds = 60
  @Option(help: "The same seed makes the same lines.") var seed: UInt64 = 1
  @Option(help: "The program to start.") var program: String
  @Option(name: .customLong("set"), help: "A setting of the server, name=value. May be repeated.")
  var settings: [String] = []
  @Option(help: "The folder of the transcripts.") var transcripts = "Tests/Transcripts"
  @Option(help: "Lines that must pass the decoder.") var passed = 100_000
  @Option(help: "Lines of each kind that must be accepted.") var accepted = 500
  @Option(help: "How often each way to come to the server, and what a store may answer, must be reached.")
  var reached = 10
  @Option(help: "MiB that memory may grow by after the first quarter, beside a tenth. A sanitizer needs more.")
  var slack = 4

  func run() throws {
    // A write to a connection that the server has closed must be an error of that write.
    signal(SIGPIPE, SIG_IGN)
    let lines = try TranscriptLines.read(folder: transcripts)
    let household = try Household(seed: seed)
    let server = try start(household)
    let witness = try Witness(server, household)
    let run = try MutantRun(
      server: server, household: household, seed: seed, transcripts: lines, seconds: seconds,
      counts: MutantRun.Counts(passed: passed, accepted: accepted, reached: reached))
    try run.run()
    print(run.ledger.table(run.kinds))
    print(run.reachTable)
    print("seed \(seed): \(run.ledger.total.passed) lines passed the decoder, over \(run.peersEver) connections")
    print("memory: \(run.memory.warm) KiB after a quarter of the time, at most \(run.memory.highest) KiB since")
    print("control client: \(run.controlRounds) messages and broadcasts, one after the other")
    let failure = run.failure ?? shortfall(run) ?? lost(run, witness, server) ?? farewell(server)
    if let failure = try failure ?? aftermath(run, witness, household) { try report(failure, run, server) }
    print("the server ended well, and its store is sound")
  }

  private func start(_ household: Household) throws -> RunningServer {
    try RunningServer(
      ["--log-level", "debug"] + household.options + settings.flatMap { ["--set", $0] },
      at: ["127.0.0.1:0", "tls:127.0.0.1:0"], path: program, errors: .intoLog)
  }

  /// What the witness misses.
  private func lost(_ run: MutantRun, _ witness: Witness, _ server: RunningServer) -> String? {
    do { try witness.look(server, ended: run.ended) } catch { return "\(error)" }
    return nil
  }

  /// What is wrong with the store that the server has left, also for the next server.
  private func aftermath(_ run: MutantRun, _ witness: Witness, _ household: Household) throws -> String? {
    let check = try Program(["store", "check", "--store", household.store], path: program, errors: .amongOutput)
    let lines = check.remainingLines()
    print("store: \(lines.joined(separator: "; "))")
    if check.wait() != 0 { return "the store is damaged" }
    let next = try start(household)
    return lost(run, witness, next) ?? farewell(next)
  }

  /// What the run did not reach, although nothing went wrong in it.
  private func shortfall(_ run: MutantRun) -> String? {
    if run.kinds.isEmpty { return "the server names no ops" }
    if !run.memory.isFlat(slack: slack << 10) { return "memory grew: \(run.memory.samples) KiB, second by second" }
    return run.shortfall
  }

  /// Lets the server end, and tells what is wrong with its end.
  private func farewell(_ server: RunningServer) -> String? {
    if let fault = server.farewell() { return fault }
    let log = server.program.log
    let isTroubled = ["Fatal error", "Sanitizer", "crashed", "runtime error"].contains { log.contains($0) }
    return isTroubled ? "the server's log tells of trouble" : nil
  }

  private func report(_ failure: String, _ run: MutantRun, _ server: RunningServer) throws {
    print("the last lines sent:")
    for (peer, line) in run.lastLines.suffix(64) { print("\(peer) → \(MutantPeer.told(line))") }
    // A server that has crashed may still be writing about it.
    let status = server.program.wait(within: 5000)
    print("the end of the server's log:\n\(server.program.log.suffix(8000))")
    print("the server's exit status: \(status), which is -9 where it had to be killed")
    print("FAILED: \(failure)")
    let set = settings.map { " --set \($0)" }.joined()
    print("again: baton-fuzz server --seed \(seed) --seconds \(seconds) --program \(program)\(set)")
    throw ExitCode.failure
  }
}
