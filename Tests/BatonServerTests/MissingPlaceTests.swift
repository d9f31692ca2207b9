import BatonCore
import Logging
import Testing
import UV

@testable import BatonServer

/// A place that nobody has named may belong to another program: then the server goes on without it.
@Suite struct MissingPlaceTests {
  private func server() throws -> Server {
    var settings = Settings()
    settings.version = "test"
    return try Server(settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func end(_ server: Server) {
    server.abort()
    _ = server.run()
  }

  private func entry(port: UInt16, mayBeMissing: Bool) -> ListeningEntry {
    var extras = ListeningOptions()
    extras.speaksHTTP = true
    var entry = ListeningEntry(.tcp(host: "127.0.0.1", port: port), extras, givenWith: .http)
    entry.mayBeMissing = mayBeMissing
    return entry
  }

  private func port(_ endpoint: Endpoint) -> UInt16 { if case .tcp(_, let port) = endpoint { port } else { 0 } }

  @Test func theOthersStayAndAReloadTriesAgain() throws {
    let (rival, server) = try (server(), server())
    let taken = port(try rival.listen(at: .tcp(host: "127.0.0.1", port: 0)))
    let first = ListeningEntry(.tcp(host: "127.0.0.1", port: 0), ListeningOptions(), givenWith: .hostAndPort)
    let own = port(try server.listen(at: first.endpoint))
    let missing = entry(port: taken, mayBeMissing: true)
    do throws(ListenError) {
      _ = try server.listenIfPossible(at: missing)
      Issue.record("it listens")
    } catch {
      #expect(error.description.hasPrefix("port \(taken) on 127.0.0.1 is in use"))
      server.tellMissing(error)
    }
    #expect(server.lacksPlace)
    #expect(server.places.map { port($0.endpoint) } == [own])

    // A named place behind it has its own number, and is no place that may be missing.
    let named = entry(port: 0, mayBeMissing: false)
    let change = try server.prepare(listeningAt: [first, missing, named])
    #expect(change.places.map(\.entry) == [0, 2])
    #expect(change.endpoint(2).hasPrefix("tcp 127.0.0.1:"))
    #expect(change.firstForOthers == nil)
    try server.carryOut(change)
    #expect(server.lacksPlace)
    #expect(server.places.count == 2 && port(server.places[0].endpoint) == own)
    #expect(throws: ListeningFault.self) {
      try server.prepare(listeningAt: [first, entry(port: taken, mayBeMissing: false)])
    }

    end(rival)
    try server.carryOut(server.prepare(listeningAt: [first, missing]))
    #expect(!server.lacksPlace)
    #expect(server.places.map { port($0.endpoint) } == [own, taken])
    #expect(server.places.map(\.name) == ["tcp 127.0.0.1:\(own)", "http 127.0.0.1:\(taken)"])
    end(server)
  }

  /// Lines and HTTP may swap a port that is named; who came before speaks on as before.
  @Test func aNamedPortChangesItsKind() throws {
    let (other, server) = try (server(), server())
    let own = port(try other.listen(at: .tcp(host: "127.0.0.1", port: 0)))
    end(other)
    let lines = ListeningEntry(.tcp(host: "127.0.0.1", port: own), ListeningOptions(), givenWith: .hostAndPort)
    try server.carryOut(server.prepare(listeningAt: [lines]))
    let place = server.places.first
    try server.carryOut(server.prepare(listeningAt: [entry(port: own, mayBeMissing: false)]))
    #expect(server.places.count == 1 && server.places.first === place)
    #expect(place?.extras.speaksHTTP == true)
    end(server)
  }
}
