import ProgramKit

#if os(Linux)
  import Testing

  /// One step that fills the server: its peers, which stay as they are from then on, and what they fill.
  final class MemoryFilling {
    typealias Limits = MemoryLimits
    let account: MemoryAccount
    private(set) var peers: [Peer] = []

    init(_ account: MemoryAccount) { self.account = account }

    /// The steps in their order; the last ones leave no room for links, messages and unfinished lines.
    static let steps: [@Sendable (MemoryFilling) throws -> Void] = [
      { try $0.fillValues() }, { try $0.fillHistory() },
      { try $0.fillSubscriptions() }, { try $0.fillEmptyPlaces() }, { try $0.fillCachedLists() },
      { try $0.fillLapsedOffers() }, { try $0.fillSubscribers() }, { try $0.fillHandlers() },
      { try $0.fillSenders() }, { try $0.fillMessagesAndKeys() }, { try $0.fillQueueOfMessages() },
      { try $0.fillQueueOfBytes() }, { try $0.fillResults() }, { try $0.fillAllMessages() }, { try $0.fillLinks() },
      { try $0.fillBacklogs() }, { try $0.fillUnfinishedLines() },
    ]

    // MARK: What things cost, in bytes

    /// What waits to be written stands in blocks of 16 KiB. A line may leave nearly half of a block unused. Of a block,
    /// only the pages of 4 KiB that were touched count.
    static func unsent(_ bytes: Int) -> Int { bytes * 3 / 2 }
    /// An unfinished line stands in memory that doubles as it grows. A message or an answer has memory of its own.
    static func kept(_ bytes: Int) -> Int { bytes * 9 / 8 }
    /// A message counts with its bytes and 512 more. The tables in which its walk, its offer and their timer stand keep
    /// their size, which doubles as they grow; a short message takes a piece of 512 bytes.
    private static let message = 1024
    static let key = 256
    private static let connection = 4096
    private static let pattern = 640
    /// With the name and the numbers under which it counts for `/metrics`.
    private static let link = 1280
    private static let lapsedOffer = 256

    // MARK: Peers

    func newPeer() throws -> Peer {
      let peer = try Peer(account.place)
      peers.append(peer)
      account.add("a connection", 1, of: Self.connection)
      return peer
    }

    /// A peer that serves a link and reads nothing.
    func newHandler(_ chain: String, _ settings: String = #","window":65536"#) throws -> Peer {
      let peer = try newPeer()
      try insert("h", into: chain, settings, on: peer)
      return peer
    }

    func insert(_ name: String, into chain: String, _ settings: String, on peer: Peer) throws {
      let reply = try #require(peer.ask(#"{"op":"insert","chain":"\#(chain)","handler":"\#(name)"\#(settings)}"#))
      #expect(reply.hasPrefix(#"{"op":"ok""#), "\(reply)")
    }

    /// Inserts links by a connection that is closed afterwards, and waits until the server knows that.
    private func insert(_ names: [String], into chain: String, _ settings: String) throws {
      let before = try account.server().connections
      try {
        let peer = try Peer(account.place)
        for name in names { try insert(name, into: chain, settings, on: peer) }
      }()
      try account.wait("the places are empty") { $0.connections == before }
    }

    func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    func send(to chain: String, payload: Int = 0, _ members: String = "", from peer: Peer) {
      peer.say(#"{"op":"send","chain":"\#(chain)","topic":"t"\#(members),"payload":"\#(text(payload))"}"#)
    }

    // MARK: Steps

    /// One connection takes all the patterns that it may have.
    private func fillSubscriptions() throws {
      let peer = try newPeer()
      var count = 0
      while true {
        let topics = (0..<50).map { #""subject.\#(count + $0).*""# }.joined(separator: ",")
        let reply = try #require(peer.ask(#"{"op":"subscribe","topics":[\#(topics)]}"#))
        if reply.contains("limit_reached") { break }
        count += 50
      }
      #expect(count == Limits.patterns)
      account.add("subscriptions", Limits.patterns, of: Self.pattern)
    }

    /// As many places are held as may be held; one more is not.
    private func fillEmptyPlaces() throws {
      try insert((0...Limits.emptyPlaces).map { "held-\($0)" }, into: "held", #","hold_ms":\#(Limits.day)"#)
      try account.wait("all but one place are held") { $0.links == Limits.emptyPlaces }
      account.add("held places", Limits.emptyPlaces, of: Self.link)
    }

    /// The lists of links that accept a topic, for as many topics as are kept. Links that are required and absent fail
    /// a message at once.
    private func fillCachedLists() throws {
      try insert((0..<400).map { "absent-\($0)" }, into: "lists", #","required":true"#)
      account.add("required places", 400, of: Self.link)
      let peer = try newPeer()
      for number in 0..<Limits.cachedTopics {
        let reply = peer.ask(#"{"op":"send","chain":"lists","topic":"topic.\#(number)"}"#)
        #expect(reply?.contains(#""unhandled""#) == true)
      }
      account.add("cached lists", 1, of: Limits.cachedBytes)
    }

    /// A handler leaves as many offers unanswered as it may.
    private func fillLapsedOffers() throws {
      let handler = try newHandler("lapsed")
      let senders = try (0..<Limits.lapsedOffers / Limits.openMessages).map { _ in try newPeer() }
      var (offers, lapsed) = (0, 0)
      func hear() throws {
        if try #require(handler.line()).hasPrefix(#"{"op":"lapsed""#) { lapsed += 1 } else { offers += 1 }
      }
      for (number, sender) in senders.enumerated() {
        for _ in 0..<Limits.openMessages { send(to: "lapsed", #","reply":false,"timeout_ms":900"#, from: sender) }
        // This reads the offers, so that none has to wait for the handler.
        while offers < Limits.openMessages * (number + 1) { try hear() }
      }
      while lapsed < Limits.lapsedOffers { try hear() }
      try account.wait("their messages are over") { $0.open == 0 }
      account.add("lapsed offers", Limits.lapsedOffers, of: Self.lapsedOffer)
      // From here on there are never as many messages.
      account.add("messages at once", Limits.lapsedOffers, of: Self.message)
    }

    /// Subscribers that read nothing, until there is no room for an event.
    private func fillSubscribers() throws {
      let subscribers = try (0..<4).map { _ in try newPeer() }
      for peer in subscribers {
        #expect(peer.ask(#"{"op":"subscribe","topics":["busy"]}"#)?.hasPrefix(#"{"op":"ok""#) == true)
      }
      let broadcaster = try newPeer()
      let broadcast = #"{"op":"broadcast","topic":"busy","payload":"\#(text(9000))"}"#
      while try #require(broadcaster.ask(broadcast)) != #"{"op":"ok","delivered":0}"# {}
      account.add("unsent to subscribers", subscribers.count, of: Self.unsent(Limits.eventsUnsent))
    }

    /// Handlers that read nothing, until offers wait.
    private func fillHandlers() throws {
      let before = try account.server().open_bytes
      let sender = try newPeer()
      for number in 0..<4 {
        _ = try newHandler("deaf-\(number)")
        repeat {
          for _ in 0..<8 { send(to: "deaf-\(number)", payload: 9000, #","reply":false"#, from: sender) }
        } while try account.links(of: "deaf-\(number)").contains(#""waiting":0"#)
        account.add("unsent to a handler", 1, of: Self.unsent(Limits.offersUnsent))
      }
      try addMessages("messages of deaf handlers", before)
    }

    /// As many links as there may be.
    private func fillLinks() throws {
      let before = try account.server().links
      let peer = try newPeer()
      for number in before..<Limits.links { try insert("link-\(number)", into: "links", "", on: peer) }
      let reply = peer.ask(#"{"op":"insert","chain":"links","handler":"one-more"}"#)
      #expect(reply?.contains("limit_reached") == true)
      account.add("links", Limits.links - before, of: Self.link)
    }

    /// Lines that are not ended, until one more would end the oldest.
    private func fillUnfinishedLines() throws {
      let part = 200_000
      let rest = Limits.unfinished - (try account.server().unfinished_bytes)
      while try account.server().unfinished_bytes + part <= Limits.unfinished {
        let before = try account.server().unfinished_bytes
        try newPeer().say(unended: "{" + text(part - 1))
        try account.wait("the line has come") { $0.unfinished_bytes == before + part }
      }
      account.add("unfinished lines", 1, of: Self.kept(rest))
    }

    // MARK: Accounts

    /// What messages count since the count was `before`.
    func addMessages(_ name: String, _ before: Int) throws {
      account.add(name, 1, of: Self.kept(try account.server().open_bytes - before))
    }
  }
#endif
