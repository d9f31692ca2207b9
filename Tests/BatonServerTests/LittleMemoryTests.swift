import BatonCore
import Foundation
import ProgramKit

#if os(Linux)
  import Testing

  /// A server with little memory refuses, does not read, and closes those who take most, but it does not die (contract,
  /// section 10). An allocation that fails would end the process, so the limits that the server chooses at its start
  /// must hold before.
  @Suite struct LittleMemoryTests {
    /// The address space in KiB: 700 MiB.
    private static let addressSpace = 700 << 10

    @Test func everyKindOfLoadTogetherIsSurvived() throws {
      let day = 86_400_000
      let server = try RunningServer(
        at: ["unix:"], set: ["slow_ms": day, "line_timeout_ms": day, "timeout_ms": day],
        limitingMemoryTo: Self.addressSpace)
      let load = try HeavyLoad(on: server)
      try load.leaveResultsUnread()
      try load.leaveEventsUnread()
      try load.beginLines()
      try load.sendMessages()
      try load.takePatterns()
      try load.insertLinks()
      // Once more, now that everything is full.
      try load.beginLines()
      try load.sendMessages()
      let client = try Peer(server.place)
      #expect(client.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
      #expect(server.program.isRunning)
    }
  }

  /// Peers that take as much as they can get.
  private final class HeavyLoad {
    let account: MemoryAccount
    private let server: RunningServer
    private var peers: [Peer] = []
    private var rounds = 0

    private static let payload = String(repeating: "x", count: 1_000_000)

    init(on server: RunningServer) throws {
      self.server = server
      account = try MemoryAccount(of: server)
    }

    private func newPeer() throws -> Peer {
      let peer = try server.peer()
      peers.append(peer)
      return peer
    }

    /// Patterns of eight tokens that nobody else has, which is what takes most memory.
    func takePatterns() throws {
      for number in 0..<24 {
        let peer = try newPeer()
        for first in stride(from: 0, to: 5000, by: 50) {
          let patterns = (first..<first + 50).map { pattern in
            "\"" + (0..<8).map { "a-token-\(number)-\(pattern)-\($0)" }.joined(separator: ".") + "\""
          }
          let reply = try #require(peer.ask(#"{"op":"subscribe","topics":[\#(patterns.joined(separator: ","))]}"#))
          if reply.contains("limit_reached") { return }
          #expect(reply == #"{"op":"ok"}"#)
        }
      }
    }

    /// Messages of 1 MB each from many peers, to handlers that answer nothing.
    func sendMessages() throws {
      for number in 0..<4 {
        _ = try newPeer().ask(#"{"op":"insert","chain":"big-\#(number)","handler":"h-\#(rounds)","window":65536}"#)
      }
      for number in 0..<150 {
        try newPeer().say(
          #"{"op":"send","chain":"big-\#(number % 4)","topic":"t","payload":"\#(Self.payload)"}"#)
      }
    }

    /// Subscribers that read nothing, until there is no room for an event.
    func leaveEventsUnread() throws {
      for _ in 0..<50 { #expect(try newPeer().ask(#"{"op":"subscribe","topics":["busy"]}"#) == #"{"op":"ok"}"#) }
      let broadcaster = try newPeer()
      let broadcast = #"{"op":"broadcast","topic":"busy","payload":"\#(Self.payload)"}"#
      while try #require(broadcaster.ask(broadcast)) != #"{"op":"ok","delivered":0}"# {}
    }

    /// Senders that read nothing, and whose results are large.
    func leaveResultsUnread() throws {
      let handler = try newPeer()
      #expect(handler.ask(#"{"op":"insert","chain":"echo","handler":"h","window":65536}"#)?.contains("ok") == true)
      for number in 0..<10 {
        let sender = try newPeer()
        for _ in 0..<50 { sender.say(#"{"op":"send","chain":"echo","topic":"t"}"#) }
        for id in number * 50 + 1...number * 50 + 50 {
          #expect(handler.line()?.hasPrefix(#"{"op":"offer""#) == true)
          handler.say(#"{"op":"handled","id":\#(id),"payload":"\#(Self.payload)"}"#)
        }
      }
    }

    /// Lines of nearly 1 MB that do not end.
    func beginLines() throws {
      for _ in 0..<50 { try newPeer().say(unended: "{" + Self.payload) }
    }

    /// As many links as there may be, each in a chain of its own. Each counts as a pattern, too.
    func insertLinks() throws {
      for first in stride(from: 0, to: Settings().maxLinks, by: 5000) {
        let peer = try newPeer()
        let lines = (first..<first + 5000).map {
          #"{"op":"insert","chain":"a-chain-\#($0)","handler":"a-handler-\#($0)","reply":false}"# + "\n"
        }
        peer.say(unended: lines.joined())
        let reply = try #require(peer.ask(#"{"op":"ping"}"#))
        if reply.contains("limit_reached") { return }
        #expect(reply == #"{"op":"pong"}"#)
      }
    }
  }
#endif
