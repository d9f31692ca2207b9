import ProgramKit

#if os(Linux)
  import Testing

  /// The steps that fill the server with messages and with their results.
  extension MemoryFilling {
    /// Senders that read nothing: results come for their messages under way, also after the server has stopped reading
    /// from them.
    func fillSenders() throws {
      let handler = try newHandler("echo")
      let senders = try (0..<4).map { _ in try newPeer() }
      let payload = text(64 << 10)
      let count = Limits.maxUnsent / payload.utf8.count - 1
      let open = try account.server().open
      for (number, sender) in senders.enumerated() {
        for _ in 0..<count { send(to: "echo", from: sender) }
        for _ in 0..<count { #expect(handler.line()?.hasPrefix(#"{"op":"offer""#) == true) }
        for id in 1...count {
          handler.say(#"{"op":"handled","id":\#(number * count + id),"payload":"\#(payload)"}"#)
        }
        try account.wait("sender \(number) is paused, and all its messages are over") {
          $0.paused.count { $0.why == "unsent" } == number + 1 && $0.open == open
        }
        account.add("unsent to a sender", 1, of: Self.unsent(Limits.maxUnsent))
      }
    }

    /// As many messages of one connection as may be open, each with a key of its own.
    func fillMessagesAndKeys() throws {
      let before = try account.server()
      _ = try newHandler("keys")
      let sender = try newPeer()
      for number in 0..<Limits.openMessages { send(to: "keys", #","key":"key-\#(number)""#, from: sender) }
      try account.wait("the sender is paused") {
        $0.open == before.open + Limits.openMessages && $0.paused.contains { $0.open == Limits.openMessages }
      }
      account.add("keys", Limits.openMessages, of: Self.key)
      try addMessages("messages with keys", before.open_bytes)
    }

    /// As many messages as may wait for one link; one more passes the link.
    func fillQueueOfMessages() throws {
      let before = try account.server().open_bytes
      _ = try newHandler("queue", #","window":1"#)
      let senders = try (0..<2).map { _ in try newPeer() }
      for _ in 0..<Limits.openMessages - 1 { send(to: "queue", #","reply":false"#, from: senders[0]) }
      let rest = Limits.queueMessages - Limits.openMessages + 2
      for _ in 0..<rest { send(to: "queue", #","reply":false"#, from: senders[1]) }
      try expectOverload(of: "queue", from: senders[1])
      try addMessages("messages in a queue", before)
    }

    /// As many bytes as may wait for one link.
    func fillQueueOfBytes() throws {
      let before = try account.server().open_bytes
      _ = try newHandler("bytes", #","window":1"#)
      let sender = try newPeer()
      for _ in 0...Limits.queueBytes / 16_000 { send(to: "bytes", payload: 16_000, #","reply":false"#, from: sender) }
      try expectOverload(of: "bytes", payload: 16_000, from: sender)
      try addMessages("bytes in a queue", before)
    }

    private func expectOverload(of chain: String, payload: Int = 0, from peer: Peer) throws {
      send(to: chain, payload: payload, from: peer)
      #expect(peer.line()?.contains(#""unhandled""#) == true)
      #expect(try account.links(of: chain).contains(#""overload":0"#) == false)
    }

    /// Answers to messages of mode `all`, until they take as much as the messages of one connection may take.
    func fillResults() throws {
      let before = try account.server().open_bytes
      let first = try newHandler("all")
      try insert("silent", into: "all", #","window":65536"#, on: first)
      let sender = try newPeer()
      let payload = text(100_000)
      var count = 0
      // Each answer counts twice: among the results, and as the last one.
      while count * 2 * payload.utf8.count < Limits.openBytes {
        count += 1
        send(to: "all", #","mode":"all""#, from: sender)
        var offer = ""
        repeat { offer = try #require(first.line()) } while !offer.contains(#""handler":"h""#)
        let id = try #require(offer.firstMatch(of: /"id":([0-9]+)/)).1
        first.say(#"{"op":"handled","id":\#(id),"payload":"\#(payload)"}"#)
      }
      try account.wait("the sender is paused") { $0.paused.contains { $0.why == "messages" && $0.open == count } }
      try addMessages("results of mode all", before)
    }

    /// Messages of many connections, until all together take as much as they may.
    func fillAllMessages() throws {
      let before = try account.server().open_bytes
      for number in 0... {
        let left = Limits.totalBytes - (try account.server().open_bytes)
        if left <= 0 { break }
        let sender = try newPeer()
        _ = try newHandler("total-\(number)", #","window":1"#)
        let count = min(left, Limits.queueBytes / 2) / 30_000 + 1
        for _ in 0..<count { send(to: "total-\(number)", payload: 30_000, from: sender) }
        let goal = Limits.totalBytes - left + count * 30_000
        try account.wait("the messages are under way") { $0.open_bytes >= min(goal, Limits.totalBytes) }
      }
      try addMessages("all messages", before)
    }

    /// Connections that went on sending while all messages took too much: what came in one piece is kept.
    func fillBacklogs() throws {
      let before = try account.server().unfinished_bytes
      for number in 1...8 {
        let ping = #"{"op":"ping"}"# + "\n"
        let send = #"{"op":"send","chain":"keys","topic":"t"}"# + "\n"
        try newPeer().say(unended: send + String(repeating: ping, count: 10_000))
        try account.wait("it is left unread") { $0.paused.count { $0.why == "total" } >= number }
      }
      let more = try account.server().unfinished_bytes - before
      #expect(more > 8 * 10_000)
      account.add("backlogs", 1, of: Self.kept(more))
    }
  }
#endif
