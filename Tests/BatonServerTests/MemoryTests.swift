import ProgramKit

#if os(Linux)
  import Foundation
  import Testing

  /// Everything that the server keeps for its peers is accounted for (contract, section 10). With every queue filled to
  /// its limit, the resident size stays within the size at the start plus the sum of the limits.
  ///
  /// Each step fills something, makes sure that it is full, and says what it may cost. After each step, what was added
  /// is compared with that, so that a failure names what is not accounted for. The sum is compared with the whole.
  @Suite struct MemoryTests {
    @Test func withEveryQueueFullMemoryIsWhatTheLimitsAddUpTo() throws {
      let file = freshPath() + ".yaml"
      try ("open: local\n" + MemoryLimits.topics).write(toFile: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(atPath: file) }
      let account = try MemoryAccount(
        of: RunningServer(["--config", file], at: ["unix:"], set: MemoryLimits.settings))
      var peers: [Peer] = []
      for fill in MemoryFilling.steps {
        let filling = MemoryFilling(account)
        try fill(filling)
        peers += filling.peers
        try account.check()
      }
      // No connection was lost while the rest was filled.
      #expect(try account.server().connections == peers.count + 1)
    }
  }

  /// The limits of the server under test: small enough to be reached quickly, and large enough to be seen in its
  /// memory.
  enum MemoryLimits {
    static let openMessages = 2000
    static let openBytes = 8 << 20
    static let totalBytes = 32 << 20
    static let queueBytes = 6 << 20
    static let queueMessages = 3000
    static let offersUnsent = 1 << 20
    static let eventsUnsent = 2 << 20
    static let readingUnsent = 3 << 20
    static let maxUnsent = 4 << 20
    static let unfinished = 8 << 20
    static let links = 8000
    static let emptyPlaces = 2000
    static let patterns = 10_000
    static let lapsedOffers = 8000
    static let cachedTopics = 2000
    static let cachedBytes = 4 << 20
    static let retainedTopics = 4000
    static let retainedBytes = 4 << 20
    static let historyBytes = 8 << 20
    static let day = 86_400_000
    /// What the configuration file says.
    static let topics = "topics: [ { pattern: history.>, keep: 1000000 } ]\n"

    static let settings: KeyValuePairs<String, Int> = [
      "max_open_messages": openMessages, "max_open_bytes": openBytes, "max_total_bytes": totalBytes,
      "max_queue_messages": queueMessages, "max_queue_bytes": queueBytes, "offers_unsent_bytes": offersUnsent,
      "events_unsent_bytes": eventsUnsent, "reading_unsent_bytes": readingUnsent, "max_unsent_bytes": maxUnsent,
      "max_unfinished_bytes": unfinished, "max_links": links, "max_empty_places": emptyPlaces, "max_patterns": patterns,
      "max_lapsed_offers": lapsedOffers, "max_cached_topics": cachedTopics, "max_cached_bytes": cachedBytes,
      "max_retained_topics": retainedTopics, "max_retained_bytes": retainedBytes, "max_history_bytes": historyBytes,
      "slow_ms": day, "line_timeout_ms": day, "timeout_ms": day,
      // Each step fills a limit from one connection.
      "share_of_free": 1_000_000,
    ]
  }

  /// What the server may have resident, after what was filled so far, and what it has.
  final class MemoryAccount {
    /// What `inspect` says of the server.
    struct Server: Decodable {
      struct Paused: Decodable {
        let name, why: String
        let open, unsent_bytes: Int
      }
      let connections, subscriptions, links, open, open_bytes, unsent_bytes, unfinished_bytes, missed: Int
      let memory_bytes: Int
      let paused: [Paused]
    }

    private struct Reply: Decodable {
      let server: Server
    }

    private let watcher: Peer
    private let program: Program
    let place: String
    /// What is resident after the last step, and what may be.
    private var resident = 0
    private var allowed = 0
    /// What the step under way may take.
    private var items: [(name: String, bytes: Int)] = []
    private var course: [String] = []

    /// Blocks and pieces that the server keeps for later, and the buffer into which it reads: they are always there.
    private static let pools = (4 << 20) + (2 << 20) + (256 << 10)
    /// Code that a step uses for the first time, and unused memory between pieces.
    private static let between = 1 << 20

    init(of server: RunningServer) throws {
      program = server.program
      place = server.place
      watcher = try server.peer()
      resident = try residentNow()
      allowed = resident + Self.pools
    }

    /// Something may take memory: this many pieces of this many bytes.
    func add(_ name: String, _ pieces: Int, of bytes: Int) { items.append((name, pieces * bytes)) }

    /// Compares what the step has taken with what it may take.
    func check() throws {
      let before = resident
      resident = try residentNow()
      let more = items.reduce(0) { $0 + $1.bytes } + Self.between
      allowed += more
      course.append("\((resident - before) >> 10) of \(more >> 10) KiB: \(Set(items.map(\.name)).sorted())")
      items = []
      #expect(resident - before <= more, "a step took more than is accounted for; all so far: \(course)")
      #expect(resident <= allowed, "\(course)")
    }

    /// What the server says of itself.
    func server() throws -> Server {
      let line = try #require(watcher.ask(#"{"op":"inspect","chain":"none","server":true}"#))
      return try JSONDecoder().decode(Reply.self, from: Data(line.utf8)).server
    }

    /// What the server says of the links of a chain.
    func links(of chain: String) throws -> String {
      try #require(watcher.ask(#"{"op":"inspect","chain":"\#(chain)"}"#))
    }

    /// Asks again and again until what the server says of itself is as wanted: nothing else tells when lines are
    /// carried out.
    func wait(_ what: String, until isSo: (Server) -> Bool) throws {
      for _ in 0..<300_000 where try isSo(server()) { return }
      Issue.record("never came: \(what); \(try server())")
    }

    /// `VmRSS`, in bytes.
    private func residentNow() throws -> Int {
      try #require(program.residentKilobytes) << 10
    }
  }
#endif
