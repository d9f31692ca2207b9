import Foundation
import ProgramKit
import Testing

/// `baton expect`: what it prints, what it writes, and its exit codes. `BatonExpectTests` tests what it knows.
@Suite struct ExpectTests {
  /// A folder with the files of the page; it is gone with the value.
  private final class Folder {
    let path = freshPath()
    /// What the page says is printed.
    let shown: [String]

    init() throws {
      let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let page = try String(contentsOf: package.appending(path: "Docs/testing.md"), encoding: .utf8)
      let blocks = page.matches(of: /```(yaml|text)\n((?:.*\n)*?)```/).map { (kind: $0.1, text: String($0.2)) }
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      shown = blocks.first { $0.kind == "text" }?.text.components(separatedBy: "\n").dropLast() ?? []
      try write(blocks[0].text, "baton.yaml")
      try write(blocks[0].text.replacing(", required: true, on_failure: stop", with: ""), "weaker.yaml")
      try write(blocks[1].text, "expect.yaml")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String) throws {
      try text.write(toFile: "\(path)/\(name)", atomically: false, encoding: .utf8)
    }

    func read(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
  }

  private static func run(_ line: String, in folder: Folder) throws -> (lines: [String], code: Int32) {
    let program = try Program(shell: "cd '\(folder.path)' && '\(Program.path)' expect \(line)")
    return (program.remainingLines(), program.wait())
  }

  @Test func saysThatAllIsAsExpected() throws {
    let folder = try Folder()
    let run = try Self.run("expect.yaml", in: folder)
    #expect(run.lines == ["expect.yaml: 3 cases, all as expected"])
    #expect(run.code == 0)
  }

  @Test func showsWhatDiffersAsThePageDoes() throws {
    let folder = try Folder()
    let run = try Self.run("expect.yaml --config weaker.yaml", in: folder)
    #expect(run.lines == folder.shown)
    #expect(run.code == 1)
  }

  @Test func printsAnExampleThatRuns() throws {
    let folder = try Folder()
    #expect(try Self.run("--example > example.yaml", in: folder).code == 0)
    let run = try Self.run("example.yaml expect.yaml --json", in: folder)
    #expect(run.lines.count == 1 && run.lines[0].hasPrefix(#"{"cases":7,"failed":0,"expectations":[{"file":"#))
    #expect(run.code == 0)
  }

  @Test func writesAReport() throws {
    let folder = try Folder()
    let run = try Self.run("expect.yaml --config weaker.yaml --junit report.xml", in: folder)
    #expect(run.code == 1)
    let report = try folder.read("report.xml")
    #expect(report.hasPrefix(#"<?xml version="1.0" encoding="UTF-8"?>"#))
    #expect(report.contains(#"<testsuites name="baton expect" tests="3" failures="1""#))
    let nowhere = try Self.run("expect.yaml --junit nowhere/report.xml", in: folder)
    #expect(
      nowhere.lines == ["baton: the report cannot be written into nowhere/report.xml: No such file or directory"])
    #expect(nowhere.code == 1)
  }

  @Test func mistakesAreToldWithTheirPlaces() throws {
    let folder = try Folder()
    try folder.write(folder.read("expect.yaml").replacing("asked:", with: "aksed:"), "slip.yaml")
    try folder.write("chains: { c: { lnks: [] } }\n", "wrong.yaml")
    try folder.write("config: wrong.yaml\nexpect: []\n", "one.yaml")
    try folder.write("config: wrong.yaml\nexpect: []\n", "two.yaml")
    var run = try Self.run("slip.yaml expect.yaml", in: folder)
    #expect(run.lines == [#"slip.yaml:9:5: a case has no key "aksed"; did you mean "asked"?"#])
    #expect(run.code == 64)
    run = try Self.run("slip.yaml --json", in: folder)
    #expect(
      run.lines == [
        #"{"errors":[{"file":"slip.yaml","line":9,"column":5,"message":"a case has no key \"aksed\"; did you mean "#
          + #"\"asked\"?"}]}"#
      ])
    #expect(run.code == 64)
    // A mistake of the configuration file is told once, with its own place.
    run = try Self.run("one.yaml two.yaml", in: folder)
    #expect(run.lines.count == 1 && run.lines[0].hasPrefix("wrong.yaml:1:16: "))
    #expect(run.code == 64)
    run = try Self.run("nowhere.yaml", in: folder)
    #expect(run.lines == ["nowhere.yaml: the file cannot be read: No such file or directory"])
    #expect(run.code == 64)
    #expect(try Self.run("", in: folder).code == 64)
  }
}
