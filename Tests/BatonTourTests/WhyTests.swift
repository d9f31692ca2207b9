import Foundation
import ProgramKit
import Testing

/// Plays what `Docs/why.md` shows: each command is run on a server in the state that the page describes, and prints
/// what the page shows. Only numbers and the widths of columns may differ.
@Suite struct WhyTests {
  /// What must be there while a command runs.
  private final class Scene {
    let server: RunningServer
    var peers: [Peer] = []
    /// What happens after the command was started.
    var meanwhile: () -> Void = {}

    init(_ arguments: [String]) throws { server = try RunningServer(arguments) }

    /// Connects a peer, which says these lines and gets a line for each.
    func peer(_ lines: String...) throws -> Peer {
      let peer = try server.peer()
      for line in lines { _ = peer.ask(line) }
      peers.append(peer)
      return peer
    }
  }

  /// The commands of the page, by their headings.
  private static let scenes: [(heading: String, make: @Sendable (Scene) throws -> Void)] = [
    ("Why is my message slow?", slow), ("Why did it never come?", lost),
    (buried, dead), ("Who took it?", taken), ("What changed last night?", changed), ("Who fills the server?", full),
  ]

  private static let buried = "Why was my durable message never handled?"

  private static func slow(_ scene: Scene) throws {
    let porter = try scene.peer(#"{"op":"insert","handler":"porter"}"#)
    let anna = try scene.peer(#"{"op":"hello","name":"anna"}"#)
    anna.say(#"{"op":"send","topic":"door.open","key":"house"}"#)
    _ = porter.line()
    anna.say(#"{"op":"send","topic":"door.shut","key":"house"}"#)
    _ = anna.ask(#"{"op":"ping"}"#)
  }

  private static func lost(_ scene: Scene) throws {
    let words = try scene.peer(#"{"op":"insert","handler":"words"}"#)
    let desk = try scene.peer(#"{"op":"insert","handler":"desk"}"#)
    let anna = try scene.peer(#"{"op":"hello","name":"anna"}"#)
    anna.say(#"{"op":"send","topic":"chat.room"}"#)
    _ = words.line()
    words.say(#"{"op":"failed","message":"exit code 7: no such file"}"#)
    _ = desk.line()
    desk.say(#"{"op":"continue"}"#)
    _ = anna.line()
  }

  private static func dead(_ scene: Scene) throws {
    let bill = try scene.peer(#"{"op":"insert","handler":"bill","chain":"orders"}"#)
    let anna = try scene.peer()
    _ = anna.ask(#"{"op":"send","topic":"order.paid","chain":"orders","durable":true,"tries":1}"#)
    _ = bill.line()
    bill.say(#"{"op":"failed","id":1,"message":"no ink"}"#)
    _ = anna.line()
  }

  private static func taken(_ scene: Scene) throws {
    let names = try scene.peer(#"{"op":"insert","handler":"names"}"#)
    _ = try scene.peer(#"{"op":"insert","handler":"words","accepts":["chat.*"]}"#)
    let porter = try scene.peer(#"{"op":"insert","handler":"porter"}"#)
    scene.meanwhile = {
      _ = names.line()
      names.say(#"{"op":"continue","payload":"Ann Lee"}"#)
      _ = porter.line()
      porter.say(#"{"op":"handled","payload":"Come in."}"#)
    }
  }

  private static func changed(_ scene: Scene) throws {
    let anna = try scene.peer(#"{"op":"hello","name":"anna"}"#, #"{"op":"subscribe","topics":["$baton.link.removed"]}"#)
    _ = anna.ask(#"{"op":"insert","handler":"names"}"#)
    let words = try scene.peer(#"{"op":"insert","handler":"words"}"#)
    _ = anna.ask(#"{"op":"remove","handler":"names"}"#)
    _ = anna.line()
    words.end()
    _ = anna.line()
  }

  private static func full(_ scene: Scene) throws {
    let anna = try scene.peer(#"{"op":"hello","name":"anna"}"#)
    let porter = try scene.peer(#"{"op":"insert","handler":"porter"}"#)
    anna.say(#"{"op":"send","topic":"door.open"}"#)
    _ = porter.line()
  }

  /// The commands of a section, each with what it prints.
  private static func commands(_ heading: String) throws -> [(command: String, printed: [String])] {
    try Page.blocks(of: Page.text("Docs/why.md")).filter { $0.heading == heading }.map { block in
      let first = try #require(block.lines.first)
      return (String(try #require(first.wholeMatch(of: /\$ baton (.+)/)).1), Array(block.lines.dropFirst()))
    }
  }

  @Test func everyBlockIsPlayed() throws {
    let blocks = try Page.blocks(of: Page.text("Docs/why.md"))
    #expect(blocks.allSatisfy { $0.language == "console" && $0.lines.count { $0.hasPrefix("$ ") } == 1 })
    #expect(Set(blocks.map(\.heading)) == Set(Self.scenes.map(\.heading)))
  }

  @Test(arguments: scenes.map(\.heading)) func itPrintsWhatThePageShows(_ heading: String) throws {
    let path = freshPath()
    defer { for end in ["", "-wal", "-shm", ".mark"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let scene = try Scene(heading == Self.buried ? ["--store", path, "--guard", "orders/bill"] : [])
    try Self.scenes.first { $0.heading == heading }?.make(scene)
    for (command, printed) in try Self.commands(heading) {
      let terminal = try TerminalProgram(
        Self.words(of: command) + ["--server", scene.server.address], columns: 110, rows: 40)
      scene.meanwhile()
      #expect(terminal.wait() == 0)
      let lines = terminal.screen.lines.filter { !$0.isEmpty }
      let isSame = lines.map(Self.comparable) == printed.map(Self.comparable)
      #expect(isSame, "shown:\n\(printed.joined(separator: "\n"))\nprinted:\n\(lines.joined(separator: "\n"))")
    }
  }

  /// The words of a command of the shell. Nothing else is quoted than patterns.
  private static func words(of command: String) -> [String] {
    command.split(separator: " ").map { $0.filter { $0 != "'" } }
  }

  /// A line without names of stored messages, numbers and spaces.
  private static func comparable(_ line: String) -> String {
    line.replacing(/[a-z0-9]{16}-\d+/, with: "NAME").replacing(/\d[\d.,]*( (µs|ms|s|min))?/, with: "0")
      .split(separator: " ").joined(separator: " ")
  }
}
