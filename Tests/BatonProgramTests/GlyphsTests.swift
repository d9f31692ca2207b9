import ProgramKit
import Testing

/// What the program prints where the locale has only ASCII.
@Suite struct GlyphsTests {
  private static let ascii = ["LC_ALL=C", "LC_CTYPE=", "LANG="]

  private static let walks =
    #""op":"walks","walks":[{"walk":17,"chain":"main","topic":"chat.room","from":"anna","status":"unhandled","#
    + #""hops":2,"version":3,"trace":[{"chain":"main","handler":"words","outcome":"timeout","wait_us":5,"#
    + #""service_us":900},{"chain":"main","mount":"kitchen","outcome":"continue"}],"total_us":5300,"ago_ms":61000}]"#

  private func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  private func show(_ arguments: [String], at place: String, columns: Int) throws -> TerminalProgram {
    try TerminalProgram(
      arguments + ["--server", place], columns: columns, rows: 24, environment: Self.ascii)
  }

  @Test(arguments: [40, 100]) func aTerminal(columns: Int) throws {
    let server = try FakeServer()
    let all = try show(["walks"], at: server.place, columns: columns)
    server.answer(Self.walks)
    #expect(all.wait() == 0)
    #expect(all.screen.text.contains(columns == 40 ? "..." : "main/words gave no verdict within 900 us"))
    let one = try show(["walks", "17"], at: server.place, columns: columns)
    server.answer(Self.walks)
    #expect(one.wait() == 0)
    for terminal in [all, one] {
      #expect(isASCII(terminal.screen.text), "\(terminal.screen.text)")
      #expect(terminal.screen.faults == [])
    }
  }

  @Test func aPipe() throws {
    let server = try FakeServer()
    let program = try Program(["walks", "--server", server.place], environment: Self.ascii)
    server.answer(Self.walks)
    let line = program.remainingLines().last
    #expect(line?.hasSuffix("\tmain/words gave no verdict within 900 us") == true)
  }

  @Test func theDoctorsMarks() throws {
    let real = try RunningServer()
    let plain = try show(["doctor"], at: real.address, columns: 60)
    #expect(plain.wait() == 0)
    #expect(isASCII(plain.screen.text), "\(plain.screen.text)")
    #expect(plain.screen.lines.contains { $0.hasPrefix("ok reachable: ") })
    // A text that is too long goes on behind its mark.
    #expect(plain.screen.lines.filter { !$0.isEmpty }.allSatisfy { $0.contains(/^(ok |!  |x  |   |  -> )/) })
    let program = try TerminalProgram(
      ["doctor", "--server", real.address], columns: 60, rows: 24, environment: ["LC_ALL=C.UTF-8"])
    #expect(program.wait() == 0)
    #expect(program.screen.text.contains("✓ reachable: "))
  }

  /// A terminal that has one byte for a letter takes the second of `Û` for the begin of a sequence.
  @Test func lettersOfOthersAreSpelledOut() throws {
    let server = try FakeServer()
    let walks = Self.walks.replacing("anna", with: "Û")
    let terminal = try show(["walks", "17"], at: server.place, columns: 100)
    server.answer(walks)
    #expect(terminal.wait() == 0)
    #expect(isASCII(terminal.screen.text) && terminal.screen.text.contains(#"by \u{DB}"#), "\(terminal.screen.text)")
    let program = try Program(["walks", "--server", server.place], environment: Self.ascii)
    server.answer(walks)
    #expect(program.remainingLines().last?.contains("\tÛ\t") == true)
  }

  /// The server's messages have signs of their own.
  @Test func anErrorOfTheServer() throws {
    let real = try RunningServer()
    let peer = try real.peer(saying: #"{"op":"mount","chain":"a","on":"b"}"#)
    defer { extendLifetime(peer) }
    let program = try Program(["mount", "b", "a", "--server", real.address], environment: Self.ascii)
    let line = program.errorLine()
    #expect(line?.contains(" would make a circle: ") == true && line?.contains(" -> ") == true, "\(line ?? "")")
    #expect(isASCII(line ?? ""))
  }

  @Test func jsonIsAlwaysUTF8() throws {
    let server = try FakeServer()
    let program = try Program(["walks", "--json", "--server", server.place], environment: Self.ascii)
    server.answer(#""op":"walks","walks":[{"walk":1,"message":"…"}]"#)
    #expect(program.line()?.contains("…") == true)
  }
}
