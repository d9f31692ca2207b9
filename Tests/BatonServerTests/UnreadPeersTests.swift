import Foundation
import ProgramKit
import Testing

/// Peers that never read cost other peers nothing (contract, section 10). Beside handlers and subscribers that are as
/// far behind as the server allows, a control client loses nothing.
@Suite struct UnreadPeersTests {
  @Test(arguments: [1, 100]) func aControlClientLosesNothing(beside count: Int) throws {
    let server = try RunningServer(at: ["unix:"], set: ["offers_unsent_bytes": 65536, "events_unsent_bytes": 65536])
    let crowd = try UnreadCrowd(count, at: server.place)
    try crowd.fill()
    let control = try ControlClient(server.place)
    for _ in 1...100 {
      try control.round()
      try crowd.addTraffic()
    }
    // They have not read a byte, and all are still there.
    #expect(try crowd.handlersThatWait() == count)
  }
}

/// Handlers and subscribers that never read, and one connection that sends and broadcasts to them.
private final class UnreadCrowd {
  private let count: Int
  private let subscribers: [Peer]
  private let handlers: [Peer]
  private let traffic: Peer
  private let payload = String(repeating: "x", count: 16 << 10)

  init(_ count: Int, at place: String) throws {
    self.count = count
    subscribers = try (0..<count).map { _ in try Peer(place) }
    handlers = try (0..<count).map { _ in try Peer(place) }
    traffic = try Peer(place)
    for (number, handler) in handlers.enumerated() {
      handler.say(#"{"op":"insert","reply":false,"chain":"unread-\#(number)","handler":"deaf","window":65536}"#)
    }
    for peer in subscribers + handlers { peer.say(#"{"op":"subscribe","reply":false,"topics":["busy"]}"#) }
  }

  /// Returns once there is no room for an event. From then on there is no room for an offer either.
  func fill() throws {
    while try broadcast("") < 2 * count {}
    repeat { send() } while try broadcast(payload) > 0
    send()
    #expect(try handlersThatWait() == count)
  }

  /// Adds more of everything. There is no room for any of it.
  func addTraffic() throws {
    send(to: 0)
    #expect(try broadcast(payload) == 0)
  }

  /// Handlers whose link has waiting messages although their windows have room.
  func handlersThatWait() throws -> Int {
    let line = try #require(traffic.ask(#"{"op":"inspect"}"#))
    return line.matches(of: /"handler":"deaf",[^}]*"connections":1,[^}]*"waiting":[1-9]/).count
  }

  private func send() {
    for number in 0..<count { send(to: number) }
  }

  private func send(to number: Int) {
    let message = #"{"op":"send","reply":false,"chain":"unread-\#(number)","topic":"t","timeout_ms":86400000"#
    traffic.say(#"\#(message),"payload":"\#(payload)"}"#)
  }

  private func broadcast(_ payload: String) throws -> Int {
    let line = try #require(traffic.ask(#"{"op":"broadcast","topic":"busy","payload":"\#(payload)"}"#))
    return try #require(line.wholeMatch(of: /{"op":"ok","delivered":([0-9]+)}/).flatMap { Int($0.1) }, "\(line)")
  }
}
