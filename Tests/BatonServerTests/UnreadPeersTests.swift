import Foundation
import ProgramKit
import Testing

/// Peers that never read cost nobody else anything (contract, section 10): beside handlers and subscribers that are as
/// far behind as the server lets them be, a control client loses nothing.
@Suite struct UnreadPeersTests {
  @Test(arguments: [1, 100]) func aControlClientLosesNothing(beside count: Int) throws {
    let path = freshPath()
    let program = try Program([
      "serve", "--listen", "unix:\(path)", "--set", "offers_unsent_bytes=65536", "--set", "events_unsent_bytes=65536",
    ])
    let place = try #require(program.places().first)
    let crowd = try UnreadCrowd(count, at: place)
    try crowd.fill()
    let control = try LockStepClient(at: place)
    for round in 1...100 {
      try control.goRound(round)
      try crowd.addTraffic()
    }
    // They have not read a byte and are all still there.
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

  /// Returns once no event finds room any more: as of that, offers find none either.
  func fill() throws {
    while try broadcast("") < 2 * count {}
    repeat { send() } while try broadcast(payload) > 0
    send()
    #expect(try handlersThatWait() == count)
  }

  /// More of everything, of which nothing finds room.
  func addTraffic() throws {
    send(to: 0)
    #expect(try broadcast(payload) == 0)
  }

  /// Handlers whose link has messages waiting, though their windows are wide open.
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

/// A sender, a handler and a subscriber that know which line comes next.
private final class LockStepClient {
  private let sender: Peer
  private let handler: Peer
  private let listener: Peer

  init(at place: String) throws {
    sender = try Peer(place)
    handler = try Peer(place)
    listener = try Peer(place)
    #expect(handler.ask(#"{"op":"insert","chain":"control","handler":"h"}"#)?.hasPrefix(#"{"op":"ok""#) == true)
    #expect(listener.ask(#"{"op":"subscribe","topics":["control"]}"#) == #"{"op":"ok"}"#)
  }

  /// One message and one broadcast.
  func goRound(_ number: Int) throws {
    sender.say(#"{"op":"send","id":\#(number),"chain":"control","topic":"t","payload":\#(number)}"#)
    let offer = try #require(handler.line())
    #expect(offer.hasPrefix(#"{"op":"offer","id":\#(number),"#), "\(offer)")
    #expect(offer.contains(#""payload":\#(number),"#), "\(offer)")
    handler.say(#"{"op":"handled","id":\#(number),"payload":-\#(number)}"#)
    let result = try #require(sender.line())
    #expect(
      result.hasPrefix(#"{"op":"result","id":\#(number),"status":"handled","by":"h","payload":-\#(number),"#),
      "\(result)")
    let reply = sender.ask(#"{"op":"broadcast","id":\#(number),"topic":"control","payload":\#(number)}"#)
    #expect(reply == #"{"op":"ok","id":\#(number),"delivered":1}"#)
    let event = try #require(listener.line())
    #expect(event.hasPrefix(#"{"op":"event","topic":"control","payload":\#(number),"#), "\(event)")
  }
}
