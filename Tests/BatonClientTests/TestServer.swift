import BatonClient
import ProgramKit
import Testing

/// The real server for clients. It can be killed, and comes back at the same place.
final class TestServer {
  private(set) var program: Program
  /// Its place, as clients take it.
  let place: String

  init() throws {
    program = try Program(["serve", "--port", "0"])
    place = try #require(program.places().first?.dropFirst("tcp ".count)).description
  }

  /// A client of this server that is not connected yet.
  func baton(_ name: String? = nil) -> Baton {
    let baton = Baton(at: place)
    return name.map { baton.named($0) } ?? baton
  }

  /// Kills it, and starts the next one at the same port.
  func restart() throws {
    program.send(9)
    _ = program.wait()
    program = try Program(["serve", "--listen", place])
    _ = program.places()
  }
}
