import ArgumentParser
import BatonClient
import BatonCluster

/// `baton doctor`: checks the server, and says how to mend what is wrong.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the server: what is wrong, and how to mend it.",
    discussion: """
      The program checks what only a client sees. Then it asks the server what it finds wrong, for instance a handler \
      that no longer answers. The exit code is 0 if nothing is wrong, 1 if something is wrong, and 3 if the server \
      cannot be reached. Warnings do not count.

      On a terminal, what is wrong comes first. What does not fit is left out: of each kind, the worst are shown.

      In a pipe each finding is a line with tabs between the fields: ok, warning or wrong; what was checked; the link, \
      connection or limit; what was found; what to do. With --json one object holds all findings.

      With --config, the NATS of the file's cluster is checked, and no server: each of its servers, each right that a node \
      needs, and the streams of the lease and the log. Nothing is changed there.

      EXAMPLES:
        baton doctor
        baton doctor --config baton.yaml
        baton doctor --json | jq '.findings[] | select(.level == "wrong")'
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long the answers may take: seconds, or 500ms.", valueName: "time"),
    transform: { .milliseconds(try SpokenTime.allowance($0)) })
  var timeout: Duration = .seconds(5)

  @Option(help: ArgumentHelp("Check the NATS of the cluster in this configuration file.", valueName: "file"))
  var config: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    if let config { return try examineEngine(config) }
    Deadline.end(after: timeout, .unreachable) { [server, timeout] in
      try server.complain(
        "no_answer",
        "no answer from \(server.namedPlace) within \(timeout.words): it is not a Baton server, or it hangs; read its log, "
          + "or wait longer with --timeout")
    }
    do {
      try await examine()
    } catch let error as BatonError {
      let finding = Finding(unreached: error, at: server.namedPlace)
      try tell([finding], json: finding.json)
      throw error.exitCode
    }
  }

  private func examine() async throws {
    let client = try await server.baton(named: "cli").connect()
    var hello = RequestMembers()
    hello.add("name", text: "cli")
    let welcome = try await client.request("hello", hello.all)
    let clock = ContinuousClock()
    let start = clock.now
    _ = try await client.request("ping")
    let roundTrip = clock.now - start
    // Who may see nothing at all is told so by the server.
    let asksForServer = if await client.maySeeServer { true } else { await !client.maySeeSomeChain }
    let inspected =
      asksForServer ? try await client.request("inspect", [("server", Payload(true)), ("limit", Payload(1))]) : nil
    var own = try Diagnosis(welcome: welcome, inspected: inspected, roundTrip: roundTrip)
      .findings(at: server.named(await client.place))
    let theirs = try await ServerFindings(of: client)
    // The server tells it only when the end is near, and only whom may see that.
    if let end = await client.certificateEnd, !theirs.all.contains(where: { $0.what == Finding.certificate }) {
      own.append(Finding(certificateUntil: end))
    }
    await client.close()
    try tell(own + theirs.all, json: (own.map(\.json) + [theirs.json]).joined(separator: ","))
    if (own + theirs.all).contains(where: { $0.level == .wrong }) { throw ExitCode.failure }
  }

  private func examineEngine(_ path: String) throws {
    let file = try ClusterFile(path)
    let examination = try EngineExamination(
      of: file.plan, keepsLog: file.configuration.store != nil, within: Int64(timeout / .milliseconds(1)))
    let diagnosis = EngineDiagnosis(examination, of: file.plan)
    let findings = diagnosis.findings
    try tell(findings, about: ("cluster", file.plan.name), json: findings.map(\.json).joined(separator: ","))
    if !diagnosis.isReached { throw ExitCode.unreachable }
    if findings.contains(where: { $0.level == .wrong }) { throw ExitCode.failure }
  }

  private func tell(_ findings: [Finding], about: (name: String, text: String)? = nil, json: String) throws {
    switch server.form {
    case .json:
      let (name, text) = about ?? ("server", server.place)
      try put(json: #"{"op":"doctor","\#(name)":\#(Payload(text: text).json),"findings":[\#(json)]}"#)
    case .program: for finding in findings { try put(finding.fields) }
    case .people:
      let (columns, rows) = Terminal.size
      for line in FindingsPage(findings, columns: columns).lines(within: rows - 1) { try put(line) }
    }
  }
}
