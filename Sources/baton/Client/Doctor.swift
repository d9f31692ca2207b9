import ArgumentParser
import BatonClient

/// `baton doctor`: checks the server, and says how to mend what is wrong.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the server: what is wrong, and how to mend it.",
    discussion: """
      The exit code is 0 if nothing is wrong, 1 if something is wrong, and 3 if the server cannot be reached. In a \
      pipe each finding is a line with tabs between the fields: ok, note or wrong; what was checked; what was found; \
      what to do.
      """)

  @Option(
    help: ArgumentHelp("How long the answers may take: seconds, or 500ms.", valueName: "time"),
    transform: SpokenTime.duration)
  var timeout: Duration = .seconds(5)

  @OptionGroup var server: ServerOptions

  func run() async throws {
    Deadline.end(
      after: timeout, .unreachable,
      saying: "baton: no answer from \(server.place) within \(timeout.words): it is not a Baton server, or it "
        + "hangs; read its log, or wait longer with --timeout")
    do {
      try await examine()
    } catch let error as BatonError {
      try tell(Finding(unreached: error, at: server.place))
      throw error.exitCode
    }
  }

  private func examine() async throws {
    let client = try await server.baton(named: "cli").connect()
    var hello = RequestMembers()
    hello.add("name", text: "cli")
    let clock = ContinuousClock()
    let start = clock.now
    let welcome = try await client.request("hello", hello.all)
    let roundTrip = clock.now - start
    let inspected = try await client.request("inspect", [("server", Payload(true))])
    await client.close()
    if server.json {
      try put(welcome.bytes)
      try put(inspected.bytes)
    }
    let findings = try Diagnosis(welcome: welcome, inspected: inspected, roundTrip: roundTrip).findings(
      at: server.place)
    for finding in findings { try tell(finding) }
    if findings.contains(where: { $0.weight == .wrong }) { throw ExitCode.failure }
  }

  /// Prints a text after a mark, on as many lines as it needs.
  private func tell(_ text: String, behind mark: String, isIndented: Bool = false) throws {
    var mark = mark
    let rest = isIndented ? "   " : " "
    for line in text.displaySafe.wrapped(to: Terminal.size.columns - 4) {
      try put("\(mark) \(line)")
      mark = rest
    }
  }

  private func tell(_ finding: Finding) throws {
    switch server.form {
    case .json: if finding.weight == .wrong { talk("baton: \(finding.text); \(finding.remedy ?? "")") }
    case .program:
      try put("\(finding.weight)\t\(finding.subject)\t\(finding.text)\t\(finding.remedy ?? "")")
    case .people:
      try tell("\(finding.subject): \(finding.text)", behind: finding.weight.mark)
      if let remedy = finding.remedy { try tell(remedy, behind: Paint.output("  →", .dim), isIndented: true) }
    }
  }
}
