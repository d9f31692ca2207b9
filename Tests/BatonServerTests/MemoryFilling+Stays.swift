import ProgramKit

#if os(Linux)
  import Testing

  /// The steps that fill the server with what stays.
  extension MemoryFilling {
    /// Values of as many topics as may have one, then longer ones in their places, until they have no more bytes.
    func fillValues() throws {
      let peer = try newPeer()
      let count = try count(to: "max_retained_topics") { number in
        peer.ask(#"{"op":"broadcast","topic":"value.\#(number)","payload":\#(number),"retain":true}"#)
      }
      #expect(count == Limits.retainedTopics)
      let payload = text(5000)
      let longer = try self.count(to: "max_retained_bytes") { number in
        peer.ask(#"{"op":"broadcast","topic":"value.\#(number)","payload":"\#(payload)","retain":true}"#)
      }
      #expect(longer > (Limits.retainedBytes - Limits.retainedTopics * 360) / 5300)
      account.add("values that stay", 1, of: Limits.retainedBytes)
    }

    /// How many requests are carried out before one is past this limit.
    private func count(to limit: String, _ ask: (Int) throws -> String?) throws -> Int {
      for number in 0... {
        let reply = try #require(try ask(number))
        if reply.contains(limit) { return number }
        #expect(reply.hasPrefix(#"{"op":"ok""#), "\(reply)")
      }
      return 0
    }

    /// Short events of many topics, until the oldest ones are gone; then long ones.
    func fillHistory() throws {
      let peer = try newPeer()
      for (length, count) in [(8, Limits.historyBytes / 256), (9000, Limits.historyBytes / 9000)] {
        for number in 0..<count {
          peer.say(
            #"{"op":"broadcast","topic":"history.\#(number % 500)","payload":"\#(text(length))","reply":false}"#)
        }
        #expect(peer.ask(#"{"op":"ping"}"#) == #"{"op":"pong"}"#)
        try expectGone()
        account.add(
          length == 8 ? "short events that are kept" : "gaps of short events between long ones", 1,
          of: length == 8 ? Limits.historyBytes * 9 / 8 : Limits.historyBytes * 3 / 8)
        try account.check()
      }
    }

    /// The first event of all is not kept any more.
    private func expectGone() throws {
      let reader = try Peer(account.place)
      let reply = try #require(reader.ask(#"{"op":"subscribe","topics":["none"]}"#))
      let epoch = try #require(reply.firstMatch(of: /"epoch":"([^"]+)"/)).1
      reader.say(#"{"op":"subscribe","topics":["history.0"],"after":0,"epoch":"\#(epoch)"}"#)
      #expect(reader.line()?.hasPrefix(#"{"op":"ok""#) == true)
      #expect(reader.line()?.hasPrefix(#"{"op":"missed","at_most":"#) == true)
    }
  }
#endif
