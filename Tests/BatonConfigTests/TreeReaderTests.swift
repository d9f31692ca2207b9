import Testing

@testable import BatonConfig

/// What no file may have, whatever it is about, and the slips that are usual with patterns and addresses
/// (Docs/settings.md, "What is not read, refused, or lost").
@Suite struct TreeReaderTests {
  @Test(arguments: [
    ("settings:\n  window: 1\n  window: 2\n", "3:3", "\"window\" stands here a second time; line 2 has it already"),
    ("settings: &all { window: 1 }\n", "1:11", "names of nodes"),
    ("listen: [*places]\n", "1:10", "for the text write '*places'"),
    ("settings: { window: !!int 1 }\n", "1:21", "types (!type)"),
    ("settings: { window: 1 }\n---\nlisten: []\n", "2:1", "a second document"),
    ("listen:\n  - tcp:127.0.0.1:1\n  - \u{7}\n", "3:5", "a control character"),
    ("settings: { window: 1 } # \u{2028}\n", "1:27", "looks like the end of a line"),
    ("settings: { window: 1 }\rlisten: []\n", "1:24", "a carriage return"),
    ("? [a]\n: b\n", "1:3", "a key is a text, and a list stands here"),
    ("settings:\n  window:1\n", "2:3", "after the colon of a key comes a space"),
  ])
  func isTold(text: String, place: String, words: String) {
    let found = mistakes(in: text)
    #expect(isOnly(found, place, words), "\(found)")
  }

  @Test(arguments: [
    ("peers:\n  a: { user: b, may: [subscribe x, >] }\n", "2:36", "'>'"),
    ("peers:\n  a:\n    user: b\n    may:\n      - *.x\n", "5:9", "'*.x'"),
    ("peers: { a: { user: *, may: [] } }\n", "1:21", "'*'"),
    ("peers:\n  a:\n    user: >\n    may: []\n", "3:11", "for the pattern write '>'"),
    ("peers:\n  a:\n    user: |\n      b\n    may: []\n", "3:11", "| begins a text of several lines"),
    ("listen: [tcp:[::1]:1]\n", "1:13", "'tcp:[::1]:22866'"),
    ("listen: [{ tcp: [::1]:1 }]\n", "1:18", "'tcp:[::1]:22866'"),
    ("listen:\n\t- unix:a\n", "2:1", "a tab stands here"),
    ("settings:\n  window: 1\n\tmax_line: 9000\n", "3:1", "a tab stands here"),
    ("listen: [@x]\n", "1:10", "'@x'"),
    ("listen: [unix:a, unix:b\n", "1:9", "the list that begins here with ["),
    ("settings: { window: 1\n", "1:11", "the map that begins here with {"),
    ("listen: ['unix:a]\n", "1:10", "does not end"),
    ("settings:\n  window: 1\n max_line: 9000\n", "3:2", "begin in the same column"),
    ("tls: certificate: a\n", "1:17", "a KEY: VALUE cannot stand here"),
  ])
  func aSlipIsKnown(text: String, place: String, words: String) {
    let found = mistakes(in: text)
    #expect(isOnly(found, place, words), "\(found)")
  }

  @Test(arguments: [
    ([0x61, 0xFF], "1:2"), ([0x0A, 0xC3], "2:1"), ([0xC0, 0x80], "1:1"), ([0xED, 0xA0, 0x80], "1:1"),
    ([0xF4, 0x90, 0x80, 0x80], "1:1"), ([0xFF, 0xFE, 0x61, 0x00], "1:1"), ([0xC3, 0xA9, 0x20, 0xE2, 0x82], "1:3"),
  ])
  func onlyUTF8IsRead(bytes: [UInt8], place: String) {
    let found = mistakes(in: bytes)
    #expect(isOnly(found, place, "not UTF-8"), "\(found)")
  }

  @Test func whatAnEditorMayLeaveDoesNotMatter() throws {
    #expect(mistakes(in: [0xEF, 0xBB, 0xBF] + Array("listen:\r\n  - unix:a\r\n".utf8)).isEmpty)
    #expect(mistakes(in: "").isEmpty)
    #expect(mistakes(in: "# nothing\n").isEmpty)
    #expect(mistakes(in: "---\n{}\n...\n").isEmpty)
    // Columns are characters, not bytes.
    #expect(isOnly(mistakes(in: "{ 'é': 1 }"), "1:3", "no key \"é\""))
  }

  @Test func depthAndSizeAreBounded() {
    #expect(isOnly(mistakes(in: String(repeating: "[", count: 100_000)), "1:33", "more than 32"))
    #expect(isOnly(mistakes(in: String(repeating: "- \n", count: 200_000)), "100001:2", "more than 100000 values"))
    #expect(mistakes(in: String(repeating: "#", count: (1 << 20) + 1)) == ["the file has more than 1048576 bytes"])
  }

  @Test func mistakesAreBounded() throws {
    let text = "settings:\n" + (0..<1000).map { "  x\($0): 1\n" }.joined()
    do throws(ConfigMistakes) {
      _ = try read(text)
      Issue.record("it is right")
    } catch {
      #expect(error.all.count == 100)
      #expect(error.untold == 900)
    }
  }
}
