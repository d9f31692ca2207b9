import Foundation
import Testing

/// Tries the handlers of the README, as one who pastes them, with real netcats.
@Suite struct HandlerExampleTests {
  #if os(Linux)
    private static let netcats = [Netcat.openBSD, .ncat]
  #else
    private static let netcats = [Netcat.ncat]
  #endif

  @Test(arguments: HandlerExample.headings, netcats) func answers(_ heading: String, with netcat: Netcat) throws {
    try netcat.require()
    let example = try HandlerExample(heading, of: Page.text("README.md"))
    try #require(!example.printed.isEmpty)
    let folder = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try TourServer()
    defer { server.end() }
    let listener = try Command(shell: "ncat 127.0.0.1 \(server.port)")
    defer { listener.end() }
    listener.type(#"{"op":"subscribe","topics":["$baton.link.inserted"]}"#)
    #expect(try listener.nextLine() == #"{"op":"ok"}"#)

    let pasted = netcat.command(example.handler, port: server.port)
      .replacing(".build/release/baton", with: "'\(Page.program)'")
    let handler = try Command(
      shell: "cd '\(folder.path)' && export BATON_SERVER=127.0.0.1:\(server.port)\n\(pasted)")
    defer { handler.end() }
    #expect(try listener.nextLine().contains(#""topic":"$baton.link.inserted""#))
    // One that answers once has read and written to its end: it answers again.
    for walk in 1...2 {
      let sender = try Command(shell: netcat.command(example.message, port: server.port))
      defer { sender.end() }
      for line in example.printed {
        #expect(try sender.nextLine() == line.replacing(#""walk":1"#, with: "\"walk\":\(walk)"))
      }
    }
  }
}
