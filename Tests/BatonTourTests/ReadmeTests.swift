import BatonCore
import Foundation
import ProgramKit
import Testing

/// What the README says besides the tour, and the page of limits, is compared with the program and the files.
@Suite struct ReadmeTests {
  private static let pages = [
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Docs/settings.md", "Clients/README.md",
    "Docs/build-a-client.md", "Docs/why.md", "Docs/configuration.md", "Docs/testing.md",
    "Docs/security.md", "Docs/tutorial.md", "Docs/commands.md", "Docs/concepts.md", "Docs/deploy.md", "Docs/operate.md",
    "Docs/webhooks.md", "Docs/shadows.md", "Docs/http.md", "Docs/proxies.md", "Docs/console.md",
    "Docs/protocol.md", "Docs/guarantees.md", "Clients/conformance/README.md",
    "Clients/conformance/cases/README.md", "Tests/README.md",
    "Tests/Transcripts/README.md", "Docker/README.md", "Scripts/systemd/README.md",
  ]

  @Test func theTwoCommandsComeFirst() throws {
    let first = try #require(Page.blocks(of: Page.text("README.md")).first)
    let commands = first.lines.map { String($0.prefix { $0 != " " }) }
    #expect(commands == ["./Scripts/serve", "./Scripts/test"])
    for command in commands {
      #expect(FileManager.default.isExecutableFile(atPath: Page.package.appending(path: command).path), "\(command)")
    }
  }

  /// JSON stands in the tour and in the handlers, which other tests run. JSON within a sentence is sent here.
  @Test func everyExampleIsUnderstood() throws {
    let text = try Page.text("Docs/tutorial.md")
    for block in Page.blocks(of: text) where !Tour.contains(block) && !HandlerExample.contains(block) {
      #expect(!block.lines.contains { $0.contains("{\"op\"") }, "line \(block.firstLine) shows JSON that nobody sends")
    }
    let examples = text.matches(of: /`({"op":[^`]*})`/).map { String($0.1) }
    #expect(!examples.isEmpty)
    let server = try RunningServer()
    let peer = try server.peer()
    for example in examples {
      let reply = try #require(peer.ask(example))
      #expect(!reply.hasPrefix(#"{"op":"error""#), "\(example)\n\(reply)")
    }
  }

  /// Every link and every name of a file must lead to a file: by its path, or for a Swift file by the end of its path.
  @Test(arguments: pages) func everyFileIsThere(_ page: String) throws {
    let text = try Page.text(page)
    let links = text.matches(of: /\]\((?!https:)([^)#]+)[^)]*\)/).map { String($0.1) }
    let paths = text.matches(of: /`((?:\.\/)?(?:Sources|Tests|Scripts|Clients)\/[A-Za-z0-9_.\/+-]+)[^`]*`/)
      .map { String($0.1) }
    let sources = text.matches(of: /`([A-Za-z0-9\/+]+\.swift)`/).map { String($0.1) }
    #expect(!(links + paths + sources).isEmpty)
    let folder = Page.package.appending(path: page).deletingLastPathComponent()
    for file in links.map({ folder.appending(path: $0) }) + paths.map({ Page.package.appending(path: $0) }) {
      #expect(FileManager.default.fileExists(atPath: file.path), "\(page) names \(file.path)")
    }
    let all =
      FileManager.default.enumerator(atPath: Page.package.appending(path: "Sources").path)?
      .compactMap { "/\($0)" } ?? []
    for source in sources {
      #expect(all.contains { $0.hasSuffix("/\(source)") }, "\(page) names \(source)")
    }
  }

  @Test func theTranscriptShownIsTheFile() throws {
    let text = try Page.text("CONTRIBUTING.md")
    let shown = try #require(Page.blocks(of: text).first { $0.language == "transcript" })
    let path = try #require(text.firstMatch(of: /`(Tests\/Transcripts\/[a-z0-9-]+\.transcript)`/)).1
    #expect(try Page.text(String(path)) == shown.lines.joined(separator: "\n") + "\n")
  }

  @Test func theTableOfSettingsIsTheProgram() throws {
    let page = try #require(Page.text("Docs/settings.md").components(separatedBy: "<!-- contract ends -->").first)
    let rows = page.components(separatedBy: "\n")
      .compactMap { $0.wholeMatch(of: /\| `([a-z_]+)` \| ([^|]+) \| ([^|]+) \|/) }
    #expect(rows.map { String($0.1) } == Settings.table.map(\.name))
    // The index names what shows each of them.
    let shown = try Page.text("Tests/Transcripts/README.md").components(separatedBy: "\n")
      .compactMap { $0.wholeMatch(of: /\| `([a-z_]+)` \| (\[[^|]+\]\([^|]+\)) \|/) }
    #expect(shown.map { String($0.1) } == Settings.table.map(\.name))
    for (row, setting) in zip(rows, Settings.table) {
      let value = Settings()[keyPath: setting.path]
      let isMebibytes = setting.unit == "bytes" && value % (1 << 20) == 0
      #expect(row.2 == (isMebibytes ? "\(value >> 20) MiB" : "\(value) \(setting.unit)"), "\(setting.name)")
    }
  }
}
