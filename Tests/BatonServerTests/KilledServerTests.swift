import Foundation
import ProgramKit
import Testing

/// A server that is killed and started again at once, on the same port and the same socket path.
@Suite struct KilledServerTests {
  @Test func comesBackAtTheSamePlacesAtOnce() throws {
    let path = freshPath()
    var endpoints = ["127.0.0.1:0", "unix:\(path)"]
    for _ in 0..<3 {
      let program = try Program(["serve"] + endpoints.flatMap { ["--listen", $0] })
      let places = program.places()
      try #require(places.count == 2)
      endpoints[0] = String(places[0].dropFirst("tcp ".count))
      let clients = try places.map { try ControlClient($0, chain: $0.hasPrefix("unix") ? "unix" : "tcp") }
      for client in clients {
        try client.round()
        try client.send()
      }
      program.send(SIGKILL)
      #expect(program.wait() == -SIGKILL)
      for client in clients { #expect(client.sender.line() == nil) }
    }
  }
}
