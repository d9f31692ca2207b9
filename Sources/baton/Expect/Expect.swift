import ArgumentParser
import BatonClient
import BatonConfig
import BatonExpect

/// `baton expect`: tests of a configuration file.
struct Expect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Test what the configuration file does: who is asked, and what comes of a message.",
    discussion: """
      Each FILE names a configuration file under config, and has cases: a message, how the handlers answer, and what is to \
      come of it. The cases are played in this program, with the server's own core, on a clock that it moves. It needs \
      no server, no handler and no network, and a handler that hangs costs no time.

      AN EXAMPLE:
        config: baton.yaml
        expect:
          - name: an insult is never published
            as: chat-web
            broadcast: { topic: chat.kitchen, payload: hey idiot, via: moderation }
            handlers:
              words: { reject: { message: no insults } }
            result: { status: rejected, by: words }
            asked: [words]
            heard: false

      KEYS OF A CASE:
        name        what it proves
        as          an entry of peers, anonymous, or stranger; all is allowed without it
        send        topic, chain, payload, meta, mode, key, timeout_ms
        broadcast   topic, via, payload, meta, key, timeout_ms
        handlers    NAME or CHAIN/NAME with an answer, or a list of answers:
                      continue, handled, reject, failed, working: verdicts
                      hangs, dies, absent: no verdict
                      { after_ms: 600, handled: { payload: fine } }: later
                    A handler that is not named is absent.
        result      the members of the result that count
        error       the code with which the request is refused
        asked       the links that are asked, in their order
        told        the links that get a notice, or a copy
        heard       whether a subscriber hears the broadcast, or which payload
        within_ms   the most that it may take

      payload_json and meta_json take JSON as it is. Docs/testing.md says all of it. The exit code is 0 if all is \
      as expected, 1 if not, and 64 if a file is wrong.

      EXAMPLES:
        baton expect --example > expect.yaml
        baton expect expect.yaml
        baton expect expect.yaml --config next.yaml
        baton expect tests/*.yaml --junit report.xml
      """)

  @Argument(help: "Files of expectations.", completion: .file(extensions: ["yaml", "yml"]))
  var files: [String] = []

  @Option(
    help: ArgumentHelp("Try this configuration file, whatever the files say under config.", valueName: "file"),
    completion: .file())
  var config: String?

  @Option(help: ArgumentHelp("Write a report as JUnit's XML.", valueName: "file"), completion: .file())
  var junit: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  @Flag(help: "Print a file to begin with, and end.")
  var example = false

  func validate() throws {
    if files.isEmpty, !example { throw ValidationError("name a file of expectations; --example prints one") }
  }

  func run() throws {
    if example { return try put(ExampleExpectations.text) }
    let report = ExpectationReport(try read().map { ($0.path, Rehearsal($0).run()) })
    if let junit { try ReportFile.keep(report.junit, in: junit) }
    if json {
      try put(json: report.json)
    } else {
      // Nothing is cut off for who reads a file or a log.
      let columns = Terminal.isOutput ? Terminal.size.columns : 10_000
      for line in OutcomeLines(paint: .output, columns: columns).lines(of: report) { try put(line) }
    }
    if report.failures > 0 { throw ExitCode.failure }
  }

  /// Reads all files. If anything is wrong, prints all that is, and ends with the exit code for a wrong file.
  private func read() throws -> [ExpectationFile] {
    var read: [ExpectationFile] = []
    var mistakes: [ConfigMistake] = []
    var untold = 0
    for path in files {
      do throws(ConfigMistakes) {
        read.append(try ExpectationFile.read(at: path, config: config))
      } catch {
        // Two files may share a configuration file, and its mistakes.
        mistakes += error.all.filter { !mistakes.contains($0) }
        untold += error.untold
      }
    }
    if mistakes.isEmpty { return read }
    if json {
      try put(json: "{\(ConfigCheck.errors(mistakes, untold: untold))}")
    } else {
      for line in ConfigMistakes(all: mistakes, untold: untold).lines { talk(line.displaySafe) }
    }
    throw ExitCode.validationFailure
  }
}
