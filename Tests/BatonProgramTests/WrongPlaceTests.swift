import ProgramKit
import Testing

/// Commands that ask at a place where no lines are spoken.
@Suite struct WrongPlaceTests {
  @Test(arguments: [
    ("HTTP/1.1 400 Bad Request", "what answers there speaks HTTP; a Baton server takes lines at another port"),
    ("220 mail.example ready", "what answers there does not speak JSON lines: it is no Baton server"),
  ])
  func whatAnswersThereIsSaid(line: String, words: String) throws {
    let fake = try FakeServer()
    let program = try Program(["chains", "--server", fake.place])
    fake.take().say(line)
    #expect(program.errorLine()?.contains(words) == true)
    #expect(program.wait() == 3)
  }
}
