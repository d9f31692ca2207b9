import Foundation
import ProgramKit
import Testing

/// Compares the recipes of the images with the files that they name and the program that they start. No image is built
/// here.
@Suite struct ImageTests {
  private static let recipes = ["Docker/Dockerfile", "Docker/handlers.Dockerfile"]

  /// The lines of a recipe that begin with `word`, without it.
  private static func lines(_ word: String, of recipe: String) throws -> [String] {
    try Page.text(recipe).components(separatedBy: "\n").filter { $0.hasPrefix("\(word) ") }
      .map { String($0.dropFirst(word.count + 1)) }
  }

  /// The words of a list in brackets.
  private static func words(in text: String) throws -> [String] {
    let list = try #require(text.firstMatch(of: /\[.+\]/)).0
    return try JSONDecoder().decode([String].self, from: Data(list.utf8))
  }

  /// The configuration file in the room of the compose file.
  private static let file = "Docker/config/baton.yaml"

  /// The compose file: the server's arguments, and the handlers' arguments by service.
  private static func room() throws -> (server: [String], handlers: [String: [String]]) {
    let text = try Page.text("Docker/compose.yaml")
    #expect(text.contains("BATON_CONFIG: /etc/baton/baton.yaml"))
    #expect(text.contains("./config:/etc/baton:ro"))
    let server = ["serve", "--config", Page.package.appending(path: file).path]
    let services = text.matches(of: /^  ([a-z-]+):\n(?:    .*\n)+/.anchorsMatchLineEndings())
    let handlers = services.compactMap { service in
      service.0.contains("target: ")
        ? service.0.firstMatch(of: /command: \[(.+)\]/).map { command in
          (String(service.1), command.1.split(separator: ", ").map(String.init))
        } : nil
    }
    return (server, Dictionary(uniqueKeysWithValues: handlers))
  }

  @Test(arguments: recipes) func whatIsCopiedIsThereAndIsSent(_ recipe: String) throws {
    let sent = try Page.text(".dockerignore").matches(of: /\n!(\S+)/).map { String($0.1) }
    let copied = try Self.lines("COPY", of: recipe).filter { !$0.hasPrefix("--from") }
    #expect(!copied.isEmpty)
    for source in copied.flatMap({ $0.split(separator: " ").dropLast() }) {
      #expect(FileManager.default.fileExists(atPath: Page.package.appending(path: "\(source)").path), "\(source)")
      #expect(sent.contains { source == $0 || source.hasPrefix("\($0)/") }, "\(source) is not sent to the builder")
    }
  }

  @Test func theRoomNamesWhatTheRecipesHave() throws {
    let text = try Page.text("Docker/compose.yaml")
    let named = text.matches(of: /dockerfile: (\S+)/).map { String($0.1) }
    #expect(Set(named) == Set(Self.recipes))
    let stages = try Self.lines("FROM", of: "Docker/handlers.Dockerfile").compactMap { $0.firstMatch(of: /AS (.+)/)?.1 }
    let targets = text.matches(of: /target: (\S+)/).map(\.1)
    #expect(targets.count == 4)
    #expect(Set(targets).isSubset(of: Set(stages)))
  }

  @Test func aHandlerServesEachGuardedPlace() throws {
    let room = try Self.room()
    let guarded = try Page.text(Self.file).matches(of: /handler: ([a-z-]+),.*required: true, on_failure: stop/)
      .map { String($0.1) }
    #expect(guarded.count == 4)
    #expect(Set(guarded) == Set(room.handlers.keys))
    for (service, arguments) in room.handlers {
      #expect(arguments.first == service)
      #expect(arguments.count > 1)
    }
  }

  /// The image's own command, with a token, and the compose file's, on a free port and with a store of its own instead of
  /// its places.
  @Test func theServerStartsIsHealthyAndGoes() throws {
    let recipe = "Docker/Dockerfile"
    #expect(try Self.lines("ENTRYPOINT", of: recipe) == ["[\"baton\"]"])
    let command = try Self.words(in: Self.lines("CMD", of: recipe)[0])
    var health = try Self.words(in: Self.lines("HEALTHCHECK", of: recipe)[0])
    #expect(health.removeFirst() == "baton")
    let unsaid = try Program(command + ["--port", "0"])
    #expect(unsaid.remainingErrorLines().count { $0.hasPrefix("  - ") } == 3)
    #expect(unsaid.wait() == 64)
    let store = freshPath()
    defer { for end in ["", "-wal", "-shm", ".mark"] { try? FileManager.default.removeItem(atPath: store + end) } }
    let room = try Self.room().server + ["--store", store]
    for (arguments, environment) in [(command, ["BATON_TOKEN=secret"]), (room, [])] {
      let server = try Program(arguments + ["--port", "0"], environment: environment)
      let place = try #require(server.places().first?.firstMatch(of: /^tcp [0-9.]+:(\d+)$/))
      let asked = try Program(health, environment: ["BATON_SERVER=127.0.0.1:\(place.1)"])
      #expect(asked.wait() == 0)
      server.send(SIGTERM)
      #expect(server.wait() == 0)
    }
  }
}
