import Testing

@testable import baton

/// Tables and the texts in them: what fits, what is left out, and how wide they are.
@Suite struct TextTableTests {
  private static let table = {
    var table = TextTable(columns: [
      .init(title: "#", importance: 1, isRight: true), .init(title: "NAME", importance: 9, least: 5),
      .init(title: "STATE", importance: 5),
    ])
    table.rows = [
      .heading([.init("main", .bold), .init("2 links")]), .cells([.init("1"), .init("porter"), .init("open", .green)]),
      .cells([.init("10"), .init("a-long-name"), .init("")]),
    ]
    return table
  }()

  private func lines(_ width: Int, isColoured: Bool = false) -> [String] {
    let (titles, rows) = Self.table.lines(width: width, paint: Paint(isOn: isColoured))
    return [titles] + rows
  }

  @Test func columnsAreAsWideAsTheirCells() {
    #expect(
      lines(200) == [
        " #  NAME         STATE", "main  2 links", " 1  porter       open", "10  a-long-name",
      ])
  }

  @Test func theWidestIsShortenedWhereItMay() {
    #expect(lines(20) == [" #  NAME       STATE", "main  2 links", " 1  porter     open", "10  a-long-n…"])
  }

  @Test func theLeastImportantGoFirst() {
    #expect(lines(15) == ["NAME      STATE", "main  2 links", "porter    open", "a-long-…"])
    #expect(lines(11) == ["NAME", "main  2 li…", "porter", "a-long-name"])
    #expect(lines(4) == ["NAME", "main", "por…", "a-l…"])
  }

  @Test func columnsThatTellNothingGoBeforeTheOthers() {
    var table = TextTable(columns: [.init(title: "A", importance: 1), .init(title: "B", importance: 2)])
    table.rows = [.cells([.init("1"), .init("")])]
    #expect(table.lines(width: 4, paint: Paint(isOn: false)).titles == "A  B")
    #expect(table.lines(width: 3, paint: Paint(isOn: false)).titles == "A")
  }

  @Test(arguments: 0...40) func nothingIsWiderThanItMay(width: Int) {
    #expect(lines(width).allSatisfy { $0.displayWidth <= width })
  }

  @Test func coloursTakeNoRoom() {
    #expect(lines(200, isColoured: true)[2] == " 1  porter       \u{1B}[32mopen\u{1B}[0m")
    #expect(lines(200, isColoured: true)[1] == "\u{1B}[1mmain\u{1B}[0m  2 links")
  }

  // MARK: Texts

  @Test(arguments: [
    ("porter", 6), ("日本語", 6), ("한국", 4), ("e\u{301}", 1), ("é", 1), ("→…µ", 3), ("👍", 2), ("⚡", 2), ("𗀀", 2),
    ("", 0),
  ])
  func widths(text: String, width: Int) { #expect(text.displayWidth == width) }

  @Test func wideCharactersAreNotCutInTwo() {
    #expect("日本語".fitted(to: 5) == "日本…")
    #expect("日本語".fitted(to: 4) == "日…")
    #expect("日本語".filled(to: 4) == "日… ")
    #expect("日本語".filled(to: 8, isRight: true) == "  日本語")
  }

  @Test(arguments: [
    ("\u{1B}[2J", #"\u{1B}[2J"#), ("a\u{9B}31m", #"a\u{9B}31m"#), ("\r\n\t", #"\u{D}\u{A}\u{9}"#),
    ("\u{202E}drow", #"\u{202E}drow"#), ("a\u{200B}b", #"a\u{200B}b"#), ("\u{2028}", #"\u{2028}"#),
    ("\u{3164}", #"\u{3164}"#), ("\u{E0100}", #"\u{E0100}"#), ("日本 é", "日本 é"),
  ])
  func nothingActsOnTheTerminal(text: String, safe: String) {
    #expect(text.displaySafe == safe)
    #expect(TextTable.Cell(text).text == safe)
  }

  @Test func figures() {
    #expect([0, 999, 1234, 1_234_567, -1000].map(Figures.count) == ["0", "999", "1,234", "1,234,567", "-1,000"])
    #expect(
      [0, 999, 1500, 153_000, 2_100_000].map(Figures.microseconds) == ["0 µs", "999 µs", "1.5 ms", "153 ms", "2.1 s"])
    #expect(
      [0, 1200, 61_000, 7_500_000, 180_000_000].map(Figures.milliseconds)
        == ["0 ms", "1.2 s", "1 min", "2 h 05 min", "2 d 2 h"])
    #expect([0, 1023, 1536, 64 << 20].map(Figures.bytes) == ["0 B", "1023 B", "1.5 KiB", "64 MiB"])
    #expect([nil, 0, 2.55, 1234.4].map(Figures.rate) == ["", "0", "2.5", "1,234"])
  }

  @Test func bars() {
    #expect(Sparkline.text([0, 1, 50, 100]) == "▁▂▅█")
    #expect(Sparkline.text([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█")
    #expect(Sparkline.text([0, 1, 50, 100], bars: Array("_.-:=+*#")) == "_.=#")
    #expect(Sparkline.text([]) == nil)
    #expect(Sparkline.text([0, 0]) == nil)
  }

  @Test func keysComeOutOfPieces() {
    var reader = KeyReader()
    #expect(reader.read("qj\u{1B}[A\u{1B}OB".utf8) == [.character("q"), .character("j"), .up, .down])
    #expect(reader.read("\u{1B}".utf8) == [])
    #expect(reader.read("[5".utf8) == [])
    #expect(reader.read("~\u{3}".utf8) == [.pageUp, .interrupt])
    #expect(reader.read("\u{1B}[200;1xq".utf8) == [.character("q")])
  }
}
