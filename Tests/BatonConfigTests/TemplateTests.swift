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

  @Test func asItIsItSaysNothing() throws {
    let file = try read(ConfigurationTemplate.text)
    #expect(file.listen == nil)
    #expect(file.peers == nil)
    #expect(file.settings.isEmpty)
    #expect(file.tls == TLSFiles())
  }

  @Test func withoutItsCommentsItHasEveryKey() throws {
    let text = Self.uncommented(ConfigurationTemplate.text)
    #expect(mistakes(in: text) == [])
    let file = try read(text)
    #expect(Set(file.settings.keys) == Set(Settings.table.map(\.name)))
    for setting in Settings.table { #expect(file.settings[setting.name]?.value == Settings()[keyPath: setting.path]) }
    #expect(file.listen?.first?.value == .byDefault)
    let keys = FileReader.keys + FileReader.listenKeys + FileReader.tlsKeys + FileReader.peerKeys
    for key in keys + PeerLimits.table.map(\.name) { #expect(text.contains("\(key):"), "\(key)") }
    #expect(file.peers?.first?.may.count == Right.examples.count - 1)
  }

  @Test func everyLineHasAReason() {
    for line in ConfigurationTemplate.text.components(separatedBy: "\n") {
      #expect(line.isEmpty || line.hasPrefix("#"))
      #expect(line.count <= 120, "\(line)")
    }
  }
}
