/// The real program on a free port, for one test.
final class TourServer {
  private let command: Command
  let port: String

  init() throws {
    command = try Command(Page.program, ["serve", "--port", "0"])
    do {
      var line = try command.nextLine()
      while !line.hasPrefix("listening on tcp ") { line = try command.nextLine() }
      port = String(line.split(separator: ":").last ?? "")
    } catch {
      command.end()
      throw error
    }
  }

  func end() { command.end() }
}
