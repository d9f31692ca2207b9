import Foundation
import ProgramKit
import Testing

/// Tries the handlers of the tour as a reader does who pastes them, with real netcats.
@Suite struct HandlerExampleTests {
  #if os(Linux)
    private static let netcats = [Netcat.openBSD, .ncat]
  #else
    private static let netcats = [Netcat.ncat]
  #endif

  @Test(arguments: HandlerExample.headings, netcats) func answers(_ heading: String, with netcat: Netcat) throws {
    try netcat.require()
    let example = try HandlerExample(heading, of: Page.text("Docs/tutorial.md"))
    try #require(!example.printed.isEmpty)
    let folder = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try RunningServer()
    let listener = try server.peer(saying: #"{"op":"subscribe","topics":["$baton.link.inserted"]}"#)

    let pasted = netcat.command(example.handler, port: server.port)
      .replacing(".build/release/baton", with: "'\(Program.path)'")
    let handler = try Program(shell: "cd '\(folder.path)' && export BATON_SERVER=\(server.address)\n\(pasted)")
    #expect(listener.line()?.contains(#""topic":"$baton.link.inserted""#) == true)
    // A handler that has answered once has read and written correctly to the end. So it must answer a second time.
    for walk in 1...2 {
      let sender = try Program(shell: netcat.command(example.message, port: server.port))
      for line in example.printed {
        #expect(sender.line() == line.replacing(#""walk":1"#, with: "\"walk\":\(walk)"))
      }
    }
    withExtendedLifetime(handler) {}
  }
}
