import ArgumentParser
import BatonRecord
import UV

/// `baton replay`: what a handler decides now of messages that were recorded.
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask a handler again about recorded messages, and show what it decides otherwise.",
    discussion: """
      It starts a server of its own, which nobody else reaches, and the program, which serves the link there. The link gets \
      what it got then: topic, payload as the links before had made it, meta, key and sender, in the order of the record. \
      Nothing reaches the server that runs. What the program does elsewhere is its own: give it no keys of production. It \
      knows that it is asked again by BATON_REPLAY=1.

      A record with payload: whole has what is needed. Messages whose payload is not known (digest, erased, masked) and those \
      whose offer timed out or was lost, or was never made (a circuit breaker, a full queue), are counted, and not compared. The worst change comes first: \
      what was refused and would pass. The exit code is 1 if more than --allow are decided otherwise, or none was compared.

      EXAMPLES:
        baton replay /var/lib/baton/record --link tools/policy -- python3 new_policy.py
        baton replay record --link tools/policy --since 7d --times 2 -- node policy.js
        baton replay record --link moderation/words --json -- baton handle '>' --chain moderation --name words -- ./words
      """)

  @Argument(help: ArgumentHelp("The folder of the record.", valueName: "folder"), completion: .directory)
  var folder: String

  @Option(
    help: ArgumentHelp("The link that the program serves: its chain, / and its name.", valueName: "chain/handler"))
  var link: String

  @Option(
    help: ArgumentHelp("Only messages that ended since then: a day or time (UTC), or how long ago.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only messages that ended before that.", valueName: "time"))
  var until: String?

  @Option(
    help: ArgumentHelp("Messages that are asked about at once, 1 to 1000. (default: 8)", valueName: "count"),
    transform: SaidWords.whole)
  var jobs = 8

  @Option(
    help: ArgumentHelp(
      "Ask so often about each, and tell how often the program contradicts itself, 1 to 10. (default: 1)",
      valueName: "count"), transform: SaidWords.whole)
  var times = 1

  @Option(
    help: ArgumentHelp("So many may be decided otherwise without exit code 1. (default: 0)", valueName: "count"),
    transform: SaidWords.whole)
  var allow = 0

  @Flag(help: "Ask also about messages with masked values, as the record has them.")
  var masked = false

  @Option(
    help: ArgumentHelp("Write a report for continuous integration (JUnit).", valueName: "file"), completion: .file())
  var junit: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The program and its arguments.", valueName: "program"))
  var command: [String] = []

  private var parts: [String] { link.split(separator: "/", omittingEmptySubsequences: false).map(String.init) }

  func validate() throws {
    guard parts.count == 2 else { throw ValidationError("--link names a chain and a handler, such as tools/policy") }
    for part in parts { _ = try SaidWords.name(part) }
    try SaidWords.check(jobs, "--jobs", isIn: 1...1000)
    try SaidWords.check(times, "--times", isIn: 1...10)
    try SaidWords.check(allow, "--allow", isIn: 0...1_000_000_000)
    guard let program = command.first else {
      throw ValidationError("say what serves the link: its program follows after --")
    }
    if let complaint = Executable.complaint(about: program) { throw ValidationError(complaint) }
    _ = try (since.map { try RecordTime.parsed($0, "--since") }, until.map { try RecordTime.parsed($0, "--until") })
  }

  func run() throws {
    let changes = try RecordCommand.telling {
      do { return try replayed() } catch let failure as ReplayFailure {
        talk("baton: \(failure.words)".displaySafe)
        throw ExitCode.failure
      } catch let failure as BenchFailure {
        talk("baton: \(failure)".displaySafe)
        throw ExitCode.failure
      }
    }
    if let junit { try ReplayReport(link, changes).write(to: junit) }
    if json { try put(json: changes.json) } else { for line in changes.lines { try put(line.displaySafe) } }
    if changes.compared == 0 { talk("baton: no message of the record could be compared at \(link)") }
    if changes.compared == 0 || changes.changed > allow { throw ExitCode.failure }
  }

  private func replayed() throws -> DecisionChanges {
    let since = try since.map { try RecordTime.parsed($0, "--since") }
    let until = try until.map { try RecordTime.parsed($0, "--until") }
    let run = try ReplayRun(jobs: jobs, times: times)
    defer { run.end() }
    try run.begin(command, chain: parts[0], link: parts[1])
    try RecordReader(RecordFolder(folder)).each { line, contents in
      if let since, line.at < since { return true }
      if let until, line.at >= until { return true }
      guard line.kind == "end",
        let asked = AskedStep(line, contents, chain: parts[0], link: parts[1], failures: true, masked: masked)
      else { return true }
      try run.play(line, contents, asked)
      return true
    }
    try run.finish()
    return run.changes
  }
}
