import Foundation
import ProgramKit
import Testing

/// `baton bench` measures something. This suite does not ask whether it is fast.
@Suite struct BenchTests {
  /// One run's figures, by the names that `--json` gives them.
  private struct Report: Decodable {
    struct Run: Decodable {
      let count: Int
      let seconds, per_second, p50_us, p99_us, p999_us, load_cores: Double
      let server_us_each, server_cores: Double?
      let load_was_bottleneck: Bool
    }
    let bench, counted: String
    let window, bytes: Int
    let handlers, subscribers: Int?
    let runs: [Run]
    let median: Run
  }

  private func report(of arguments: [String]) throws -> Report {
    let program = try Program(["bench"] + arguments + ["--json"])
    let line = try #require(program.line(), "\(program.remainingErrorLines())")
    #expect(program.wait() == 0)
    return try JSONDecoder().decode(Report.self, from: Data(line.utf8))
  }

  private func checkFigures(_ run: Report.Run, of count: Int) {
    #expect(run.count >= count)
    #expect(run.seconds > 0)
    #expect(abs(run.per_second * run.seconds - Double(run.count)) < Double(run.count) * 0.01)
    #expect(run.p50_us > 0)
    #expect(run.p50_us <= run.p99_us)
    #expect(run.p99_us <= run.p999_us)
    // No message can have taken longer than the whole run.
    #expect(run.p999_us <= run.seconds * 1e6 * 1.01)
    #expect(run.load_cores > 0)
    #if os(Linux)
      #expect((run.server_us_each ?? 0) > 0)
      #expect((run.server_cores ?? 0) > 0)
    #endif
  }

  @Test(arguments: [(1, 1), (3, 64), (3, 1024)])
  func measuresAChain(handlers: Int, window: Int) throws {
    let report = try report(of: [
      "chain", "-k", "\(handlers)", "--window", "\(window)", "--messages", "2000", "--warm-up", "0", "--runs", "3",
    ])
    #expect(report.bench == "chain")
    #expect(report.counted == "messages")
    #expect(report.handlers == handlers)
    #expect(report.window == window)
    #expect(report.bytes == 128)
    #expect(report.runs.count == 3)
    for run in report.runs { checkFigures(run, of: 2000) }
    #expect(report.median.per_second == report.runs.map(\.per_second).sorted()[1])
  }

  @Test(arguments: [1, 64])
  func measuresAFanOut(window: Int) throws {
    let report = try report(of: [
      "fanout", "-n", "20", "--window", "\(window)", "--bytes", "300", "--seconds", "0.2", "--warm-up", "0.1",
    ])
    #expect(report.bench == "fanout")
    #expect(report.counted == "deliveries")
    #expect(report.subscribers == 20)
    checkFigures(try #require(report.runs.first), of: 1)
  }

  /// What `unread` reports for each kind and number of peers that never read.
  private struct UnreadReport: Decodable {
    struct Row: Decodable {
      let kind: String
      let peers, lost: Int
      let runs: [Report.Run]
    }
    let bench, counted: String
    let rows: [Row]
  }

  @Test func measuresBesidePeersThatNeverRead() throws {
    let program = try Program(["bench", "unread", "--peers", "1,3", "--messages", "2000", "--warm-up", "0", "--json"])
    let line = try #require(program.line(), "\(program.remainingErrorLines())")
    #expect(program.wait() == 0)
    let report = try JSONDecoder().decode(UnreadReport.self, from: Data(line.utf8))
    #expect(report.bench == "unread")
    #expect(report.counted == "round trips")
    let names = report.rows.map { "\($0.peers) \($0.kind)" }
    #expect(
      names == [
        "0 subscribers", "1 subscribers", "3 subscribers", "1 handlers", "3 handlers", "1 senders", "3 senders",
      ])
    for row in report.rows {
      #expect(row.lost == 0)
      for run in row.runs { checkFigures(run, of: 2000) }
    }
  }

  @Test func measuresAServerThatRuns() throws {
    let server = try RunningServer()
    let report = try report(of: ["chain", "--server", server.address, "--messages", "100", "--warm-up", "0"])
    #expect(report.runs.first?.server_us_each == nil)
    #expect(server.end() == 0)
  }

  /// A chain that other programs serve is measured, and so is their processor time.
  @Test func measuresAChainOfOthers() throws {
    let server = try RunningServer()
    let watcher = try server.peer(saying: #"{"op":"subscribe","topics":["$baton.link.inserted"]}"#)
    let answers = #"s/^{"op":"offer","id":\([0-9]*\),.*/{"op":"handled","id":\1}/p"#
    let handler = try Program([
      "handle", ">", "--name", "h", "--server", server.address, "--persistent", "--", "sed", "-un", answers,
    ])
    #expect(watcher.line()?.contains("inserted") == true)
    let report = try report(of: [
      "chain", "--server", server.address, "--handlers", "0", "--pid", "\(handler.number)", "--messages", "2000",
      "--warm-up", "0",
    ])
    #expect(report.handlers == 0)
    checkFigures(try #require(report.runs.first), of: 2000)
    handler.send(SIGTERM)
    #expect(handler.wait() == 0)
    #expect(server.end() == 0)
  }

  @Test func printsATableForPeople() throws {
    let program = try Program(["bench", "chain", "--messages", "100", "--warm-up", "0", "--runs", "2"])
    #expect(program.line() == "chain: 1 handlers, 64 in flight, lines of 128 bytes")
    #expect(program.line()?.contains("messages/s") == true)
    #expect(program.line()?.contains("run 1") == true)
    #expect(program.line()?.contains("run 2") == true)
    #expect(program.line()?.contains("median") == true)
    #expect(program.wait() == 0)
  }

  @Test func saysWhenTheServerCannotBeReached() throws {
    let program = try Program(["bench", "chain", "--server", "unix:/nowhere/at/all"])
    #expect(program.errorLine() == "Error: a connection failed: no such file or directory (ENOENT)")
    #expect(program.wait() == 1)
  }

  @Test func saysWhatTheServerRefuses() throws {
    let server = try RunningServer(set: ["max_line": 8192])
    let program = try Program(["bench", "chain", "--server", server.address, "--bytes", "9000"])
    let error = try #require(program.errorLine())
    #expect(error.hasPrefix("Error: the server wrote something unexpected: {\"op\":\"error\""))
    #expect(error.contains("line_too_long"))
    #expect(program.wait() == 1)
  }
}
