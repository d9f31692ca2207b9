import Foundation
import ProgramKit
import Testing

/// Newcomers past `max_connections`: all are told, the log says it once.
@Suite struct RefusalTests {
  @Test func allAreToldAndTheLogSaysItOnce() throws {
    let program = try Program(["serve", "--port", "0", "--set", "max_connections=2"])
    let place = try #require(program.places().first)
    let early = try [Peer(place), Peer(place)]
    for peer in early { #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#) }
    let late = try (0..<50).map { _ in try Peer(place) }
    for peer in late { #expect(peer.line()?.contains(#""code":"too_many_connections""#) == true) }
    program.send(SIGTERM)
    let lines = program.remainingErrorLines().filter { $0.contains("new connections are refused") }
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.contains("max_connections is reached") == true)
    #expect(program.wait() == 0)
  }
}
