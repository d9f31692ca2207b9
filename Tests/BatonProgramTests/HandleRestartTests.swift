import BatonClient
import Foundation
import ProgramKit
import Testing

/// A server that is killed under load, with handlers made by `baton handle`.
@Suite struct HandleRestartTests {
  @Test func everySendHasAResultOrAnErrorAndThePlacesStay() async throws {
    let server = try RunningServer()
    let last = try server.handler(">", "--name", "last", "--jobs", "2", "--", "cat")
    let middle = try server.handler(
      ">", "--name", "middle", "--before", "last", "--persistent", "--", "sh", "-c",
      #"while read -r line; do id=${line#*'"id":'}; echo '{"op":"continue","id":'${id%%,*}'}'; done"#)
    let first = try server.handler(">", "--name", "first", "--at", "front", "--continue")
    let client = try await BatonClient.Baton(at: server.address).connect()

    for _ in 1...2 {
      // When the server is killed, many of these messages are under way, and some are done.
      try await withThrowingTaskGroup(of: Bool.self) { sends in
        for number in 1...60 {
          sends.addTask {
            do {
              let result = try await client.send("t", number)
              #expect(result.status == .handled)
              #expect(try result.value(Int.self) == number)
              return true
            } catch BatonError.connectionLost {
              return false
            }
          }
        }
        var results = 0
        var ended = 0
        while let hasResult = try await sends.next() {
          ended += 1
          if hasResult { results += 1 }
          if ended == 5 { try server.replace() }
        }
        #expect(ended == 60)
        #expect(results >= 5)
      }
      for handler in [first, middle, last] { try server.expectConnected(handler) }
      let chains = try #require(try server.peer().ask(#"{"op":"inspect"}"#))
      #expect(chains.matches(of: /"handler":"(\w+)"/).map { String($0.1) } == ["first", "middle", "last"])
      #expect(try await client.send("t", 7).hops == 3)
    }
    await client.close()
    for handler in [first, middle, last] {
      handler.send(SIGTERM)
      while handler.line() != nil {}
      #expect(handler.wait() == 0)
    }
  }
}
