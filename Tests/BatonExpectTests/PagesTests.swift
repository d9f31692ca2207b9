import Foundation
import Testing

@testable import BatonConfig
@testable import BatonExpect

/// What the pages and the help show, and Baton's own examples, are as expected.
@Suite struct PagesTests {
  /// The blocks of YAML of a page.
  private static func blocks(of path: String) throws -> [String] {
    let text = try String(contentsOf: package.appending(path: path), encoding: .utf8)
    return text.matches(of: /```yaml\n((?:.*\n)*?)```/).map { String($0.1) }
  }

  @Test func thePagesExamplesAreAsExpected() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "baton-expect-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let blocks = try Self.blocks(of: "Docs/testing.md")
    try blocks[0].write(to: folder.appending(path: "baton.yaml"), atomically: false, encoding: .utf8)
    let path = folder.appending(path: "expect.yaml").path
    try blocks[1].write(toFile: path, atomically: false, encoding: .utf8)
    let outcomes = Rehearsal(try ExpectationFile.read(at: path)).run()
    #expect(outcomes.count == 3)
    #expect(differences(outcomes) == [])
    // What the page says comes of a file in which the guard is gone.
    let weaker = blocks[0].replacing(", required: true, on_failure: stop", with: "")
    #expect(weaker != blocks[0])
    let other = folder.appending(path: "weaker.yaml").path
    try weaker.write(toFile: other, atomically: false, encoding: .utf8)
    let changed = Rehearsal(try ExpectationFile.read(at: path, config: other)).run()
    #expect(
      differences(changed) == [
        "2: result.status | failed | handled", "2: result.by | words | human",
        "2: result.cause | timeout | (nothing)",
      ])
  }

  /// The file that the page about it shows.
  @Test func theExampleOfTheServersFileIsAsExpected() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Self.blocks(of: "Docs/configuration.md")[0].write(toFile: path, atomically: false, encoding: .utf8)
    let expectations = package.appending(path: "Tests/Expectations/configuring.yaml").path
    let outcomes = Rehearsal(try ExpectationFile.read(at: expectations, config: path)).run()
    #expect(outcomes.count == 8)
    #expect(differences(outcomes) == [])
  }

  @Test func theExampleOfTheHelpIsAsExpected() throws {
    let outcomes = try play(ExampleExpectations.text)
    #expect(outcomes.count == 4)
    #expect(differences(outcomes) == [])
  }

  @Test(arguments: ["Docker/expect.yaml", "Tests/Expectations/asking.yaml", "Tests/Expectations/readme.yaml"])
  func batonsOwnExamplesAreAsExpected(_ path: String) throws {
    let outcomes = Rehearsal(try ExpectationFile.read(at: package.appending(path: path).path)).run()
    #expect(outcomes.count >= 5)
    #expect(differences(outcomes) == [])
  }

  @Test func theRightsOfThePageAreThoseThatAreExpected() throws {
    let file = try ExpectationFile.read(at: package.appending(path: "Tests/Expectations/readme.yaml").path)
    guard case .peers(let peers, _) = file.configuration.access else { return #expect(Bool(false), "no peers") }
    let readme = try String(contentsOf: package.appending(path: "Docs/security.md"), encoding: .utf8)
    let made = readme.matches(of: /baton token (\S+) .*--may '([^']+)'/).map { "\($0.1): \($0.2)" }
    #expect(made == peers.flatMap { peer in peer.may.map { "\(peer.name): \($0.value.spelling)" } })
  }
}
