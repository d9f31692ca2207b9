import BatonCore
import Foundation
import Testing

@testable import BatonConfig

/// The file of `baton config init`, and the page about the file.
@Suite struct TemplateTests {
  /// The text with the `#` taken away in front of lines of the file.
  private static func uncommented(_ text: String) -> String {
    text.components(separatedBy: "\n").map { line in
      line.wholeMatch(of: /#(?! [A-Za-z]).+/) == nil ? line : String(line.dropFirst())
    }.joined(separator: "\n")
  }

  private static func line(of start: String, in text: String) -> Int {
    (text.components(separatedBy: "\n").firstIndex { $0.hasPrefix(start) } ?? -1) + 1
  }

  @Test func asItIsItSaysWhatAServerWithoutAFileDoes() throws {
    let file = try read(ConfigurationTemplate.text)
    #expect(file.listen == nil)
    #expect(file.http == nil && file.httpHosts == nil && file.allowOrigins == nil)
    #expect(file.publicAddress == nil && file.proxies == nil && file.proxyHeader == nil)
    #expect(file.peers == nil)
    #expect(file.open?.value == .local)
    #expect(file.settings.isEmpty)
    #expect(file.tls == TLSFiles())
    #expect(file.chains.isEmpty)
    #expect(try Configuration.check(Array(ConfigurationTemplate.text.utf8), path: "baton.yaml").isEmpty)
  }

  @Test func withoutItsCommentsItHasEveryKey() throws {
    let all = Self.uncommented(ConfigurationTemplate.text)
    #expect(isOnly(mistakes(in: all), "\(Self.line(of: "open: ", in: all)):7", "beside peers"))
    let text = all.replacing("\nopen: local\n", with: "\n")
    #expect(mistakes(in: text) == [])
    let file = try read(text)
    #expect(Set(file.settings.keys) == Set(Settings.table.map(\.name)))
    for setting in Settings.table { #expect(file.settings[setting.name]?.value == Settings()[keyPath: setting.path]) }
    #expect(file.listen?.first?.value == .byDefault)
    #expect(file.http?.first?.value == .httpByDefault)
    let keys =
      FileReader.keys + FileReader.listenKeys + FileReader.httpKeys + FileReader.tlsKeys + FileReader.peerKeys
    for key in keys + PeerLimits.table.map(\.name) { #expect(all.contains("\(key):"), "\(key)") }
    #expect(file.peers?.first?.may.count == Right.examples.count - 1)
    for key in FileReader.chainKeys + FileReader.linkKeys + FileReader.topicKeys + FileReader.clusterKeys {
      #expect(text.contains("\(key):"), "\(key)")
    }
    #expect(file.chains.map { $0.links.map(\.link.name) } == [["words", "archive"]])
  }

  @Test func everyLineHasAReason() {
    for line in ConfigurationTemplate.text.components(separatedBy: "\n") {
      #expect(line.isEmpty || line.hasPrefix("#") || line == "open: local")
      #expect(line.count <= 120, "\(line)")
    }
  }

  /// The page about the file: its example is right, and it names every key, every variable and the form of a token.
  @Test func thePageIsRight() throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: package.appending(path: "Docs/configuration.md"), encoding: .utf8)
    let example = try #require(page.firstMatch(of: /```yaml\n((?:.*\n)*?)```/)).1
    #expect(mistakes(in: String(example)) == [])
    let warnings = try Configuration.check(Array(example.utf8), path: "baton.yaml").map(\.description)
    #expect(warnings == ["baton.yaml:16:12: \(KnownTokens.exampleWords)"])
    let keys =
      FileReader.keys + FileReader.listenKeys + FileReader.httpKeys + FileReader.tlsKeys + FileReader.peerKeys
      + FileReader.chainKeys + FileReader.linkKeys + FileReader.topicKeys + FileReader.clusterKeys
    for word in keys + PeerLimits.table.map(\.name) {
      #expect(page.contains("`\(word)`") || page.contains("\n## \(word)\n") || page.contains("`\(word): "), "\(word)")
    }
    #expect(page.contains("\n\(Token.expression)\n"))
    let chat = try #require(read(String(example)).peers?.first { $0.name == "chat-web" })
    let questions = page.matches(of: /baton config may chat-web '(.+)' baton.yaml +# exit code ([01])/)
    #expect(questions.count == 2)
    for question in questions {
      let isAllowed = if case .allowed = chat.judge(try Right(parsing: String(question.1))) { true } else { false }
      #expect(isAllowed == (question.2 == "0"))
    }
  }
}
