import Foundation
import ProgramKit
import Testing

/// `baton config diff`, and chains of the file in a server that runs.
@Suite final class ConfigDiffTests {
  private let file = freshPath() + ".yaml"
  private let other = freshPath() + ".yaml"
  private static let chains = """
    open: local
    chains:
      main:
        links:
          - { handler: words, required: true, on_failure: stop }
          - { handler: human, timeout_ms: 200 }

    """

  deinit {
    unlink(file)
    unlink(other)
  }

  private func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func server(_ text: String, _ arguments: [String] = []) throws -> RunningServer {
    try write(text, to: file)
    return try RunningServer(["--config", file] + arguments, at: ["unix:"])
  }

  @Test func itTellsWhatWouldChangeAndChangesNothing() throws {
    let server = try server(Self.chains)
    let same = try server.run("config", "diff", file)
    #expect(same.remainingLines() + same.remainingErrorLines() == [])
    #expect(same.wait() == 0)
    try write(
      Self.chains.replacing("200", with: "300").replacing(
        "open: local", with: "settings: { window: 7 }\npeers: { ann: { user: \(getuid()), may: [everything] } }"),
      to: other)
    let program = try server.run("config", "diff", other)
    #expect(
      program.remainingLines() == [
        "changed\tsettings.window", "changed\tchains.main", "changed\taccess", "changed\tpeers.ann",
        "link\tchanged\tmain/human\ttimeout_ms\t",
      ])
    #expect(program.wait() == 1)
    let json = try server.run("config", "diff", file, "--json")
    #expect(json.line()?.hasSuffix(#""changed":[],"restart":[]}"#) == true)
    #expect(json.wait() == 0)
    let peer = try server.peer()
    #expect(peer.ask(#"{"op":"insert","handler":"eve"}"#)?.contains("not_allowed") == true)
    #expect(peer.ask(#"{"op":"insert","handler":"human"}"#)?.contains(#""declared":true"#) == true)
  }

  @Test func mistakesHaveTheNameOfTheFile() throws {
    let server = try server(Self.chains)
    try write("settings: { windw: 1 }\nchains: { a: { links: [{ mount: a }] } }\n", to: other)
    let program = try server.run("config", "diff", other)
    let lines = program.remainingErrorLines()
    #expect(
      lines == [
        "\(other):1:13: there is no setting \"windw\"; did you mean \"window\"?",
        "\(other):2:33: this mount closes a circle: a → a; take one of its mounts out",
      ])
    #expect(program.remainingLines() == [])
    #expect(program.wait() == 64)
    let json = try server.run("config", "diff", other, "--json")
    #expect(json.line()?.contains(#""code":"bad_config","#) == true)
    #expect(json.wait() == 64)
    let missing = try server.run("config", "diff", "/nowhere/baton.yaml")
    #expect(missing.wait() == 64)
  }

  @Test func whoMayNotIsRefusedAndNobodyIsThere() throws {
    let server = try server("peers: { ann: { user: \(getuid()), may: [see main] } }\n")
    let program = try server.run("config", "diff", file)
    #expect(program.errorLine()?.hasSuffix("(not_allowed)") == true)
    #expect(program.wait() == 2)
    let lost = try Program(["config", "diff", file, "--server", "unix:/nowhere/baton.sock"])
    #expect(lost.wait() == 3)
  }

  @Test func withoutAFileItComparesWithTheOptions() throws {
    let server = try RunningServer(["--set", "window=7", "--guard", "main/words"])
    try write("open: local\nsettings: { window: 9 }\nchains: { other: { links: [] } }\n", to: other)
    let program = try server.run("config", "diff", other)
    let lines = program.remainingLines()
    #expect(lines.first == "changed\tchains.other" && lines.count == 2)
    #expect(lines.last?.hasPrefix("warning\t3:11\tthe chain \"other\" has no links") == true, "\(lines)")
    #expect(program.wait() == 1)
    try write("chains: { main: { links: [] } }\n", to: other)
    let twice = try server.run("config", "diff", other)
    #expect(twice.errorLine()?.contains("the chain \"main\" is declared (") == true)
    #expect(twice.wait() == 64)
  }

  @Test func certificatesAreRead() throws {
    let server = try server(Self.chains)
    try write(
      "listen: [tls:127.0.0.1:0]\ntls: { key: /dev/zero, certificate: \(other) }\nopen: local\n", to: other)
    let program = try server.run("config", "diff", other)
    #expect(program.errorLine() == "\(other):2:13: /dev/zero is not a file of at most 1 MiB, in PEM")
    #expect(program.wait() == 64)
  }

  @Test func aReloadCarriesChainsOut() throws {
    let server = try server(Self.chains)
    let words = try server.peer()
    #expect(words.ask(#"{"op":"insert","handler":"words"}"#)?.contains(#""rank":1"#) == true)
    try write(
      "chains: { main: { links: [{ handler: human }, { handler: words, timeout_ms: 10s }] } }\n", to: file)
    let bad = try server.run("reload")
    #expect(
      bad.errorLine() == "1:77: timeout_ms is a whole number of milliseconds such as 5000, not \"10s\"; write 10000")
    #expect(bad.wait() == 1)
    #expect(words.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
    try write("chains: { main: { links: [{ handler: human }, { handler: words }] } }\nopen: local\n", to: file)
    let good = try server.run("reload")
    let lines = good.remainingLines()
    #expect(
      lines.prefix(3) == [
        "changed\tchains.main", "link\tchanged\tmain/words\ton_failure,required\tunguarded",
        "link\tchanged\tmain/human\ttimeout_ms\t",
      ])
    #expect(lines.last?.contains("main/words guards less than before (on_failure, required)") == true, "\(lines)")
    #expect(good.wait() == 0)
    #expect(words.line() == #"{"op":"moved","chain":"main","handler":"words","rank":2}"#)
  }
}
