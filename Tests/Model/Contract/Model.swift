// What peers ask is said in words that all worlds share; what comes of it is said here alone.
@_exported public import WorldKit

/// The contract as a program, written for clarity: requests, closes and the time go in, lines come out. It knows
/// nothing of the core's code, and is compared with the core line by line.
///
/// A chain is a list of links. A walk keeps a copy of each chain as it was. Time is a number of milliseconds. To look
/// something up, the model goes through all of it. Each file `Model+….swift` holds one concept.
package struct Model: Surroundings {
  package internal(set) var settings: Settings
  /// The entries of the configuration file; nil if the server asks nobody who is there.
  package internal(set) var entries: [Entry]?
  let broken: Rule?
  package internal(set) var now = 0

  package internal(set) var peers: [Peer] = []
  var chains: [String: Chain] = [:]
  /// Every link that there ever was.
  var links: [Link] = []
  /// Every message that was ever taken in; a walk's number is its place, counted from 1.
  var walks = Walks()
  /// By chain and key: the message that walks, then the messages that wait for it.
  var lines: [String: [Int]] = [:]
  var alarms = Alarms()
  /// The values that stay, the one that has not changed for the longest time first.
  var values: [KeptEvent] = []
  /// Every event of a kept topic that there ever was, and the number of the latest one.
  var keptEvents: [KeptEvent] = []
  package internal(set) var lastSeq = 0
  /// Topics whose events are all gone, the one that has had none for longest first; and up to which number there may be
  /// events of topics that are forgotten.
  var emptyTopics: [String] = []
  var forgottenUpTo = 0
  /// How often a link came to a place.
  var arrivals = 0
  /// One counter for all chains.
  var version = 0
  /// The last versions of chains that were forgotten.
  var lastVersions: [String: Int] = [:]
  /// When everything that is open ends, once the server drains.
  var drainEnd: Int?
  /// Whether nothing is open any more in a server that drains.
  var isDrained = false
  /// Connections that are read again; the last one goes first.
  var readAgain: [Int] = []
  /// Connections that wait until all messages together take less; the first to wait goes first.
  var crowdedOut: [Int] = []
  /// Those that wait because a share of these is used; and how many of the first ones are still to be looked at.
  var waitingForShare: [Int] = []
  var leftToLookAt = 0
  /// Connections that have been ended and are not closed, with whose they are; the oldest first.
  var lingering: [(connection: Int, owner: String, isOfIdentity: Bool)] = []
  /// Connections that may make room for newcomers, and when each was last heard; those that were silent longest are the
  /// first. And when they were looked for.
  var silent: [(connection: Int, heard: Int)] = []
  var silentListedAt: Int?
  /// All events and notices that were lost.
  var missedInAll = 0
  /// Walks that did not end well or that links failed; the latest is the last.
  var kept: [KeptWalk] = []
  /// Those that are like each other; how often that changed; and how many of each kind were forgotten.
  var keptGroups: [[String]: KeptGroup] = [:]
  var keptChanges = 0
  var keptForgotten: [String: Int] = [:]
  /// By identity and right.
  var denials: [String: Denial] = [:]
  /// When what each account has sent is paid, in nanoseconds.
  var paidAt: [String: Int] = [:]
  var denialSeconds: [String: (began: Int, told: Int)] = [:]
  /// Connections that wait until their identity has fewer messages under way; and identities that have room for one.
  var waitForIdentities: [Int] = []
  var roomyIdentities: [String] = []
  /// The entries that the file has now; they count from the next reload on.
  package internal(set) var file: [Entry]?
  /// The chains that the file declares, and those that it will declare from the next reload on.
  package internal(set) var declarations: [Declaration] = []
  package internal(set) var fileChains: [Declaration] = []
  /// The settings that it says; nil: all stay as they are.
  package internal(set) var fileSettings: Settings?
  /// In which order a reload looks at connections. The contract leaves it open; the comparison takes it from the core.
  package var reviewOrder: [Int] = []
  /// Connections that wait for a reload, each with its request.
  var reloadAskers: [(connection: Int, asked: Asked)] = []
  /// Connections that were closed, and what has changed; the latest is the last.
  var ends: [Note] = []
  var changes: [Note] = []
  /// Of all links together.
  var history = History()
  /// How many messages were traced beyond the server in a second.
  var spans = (second: -1, count: 0)
  /// What has happened in this call and the server broadcasts after it.
  var happened: [Happening] = []
  /// What was sent since it was last taken: the connection and the line.
  private(set) var said: [(connection: Int, line: String)] = []
  /// The lengths of the lines that the core sends to each connection in the next call. The model leaves some words and
  /// numbers to the core, but it has to count bytes.
  package var lengths: [Int: ArraySlice<Int>] = [:]
  /// The request for the page behind the latest one that said `more`.
  package internal(set) var nextPage: Request?
  /// What has happened, for the comparison to count.
  package var seen = Seen()
  /// When a connection was last ended because its peer was too slow; nil before that.
  package var slowEndedAt: Int?

  /// A server without connections. It keeps all rules but `broken`.
  package init(settings: Settings, broken: Rule? = nil) {
    self.settings = settings
    (entries, file) = (settings.entries, settings.entries)
    self.broken = broken
    fileChains = settings.declarations
    changeChains()
  }

  func keeps(_ rule: Rule) -> Bool { broken != rule }

  // MARK: In

  /// A peer connects. Connections are called 0, 1, 2 …
  package mutating func open(_ facts: Facts = Facts(), at time: Int) -> Int {
    pass(to: time)
    peers.append(Peer(number: peers.count + 1, opened: now))
    peers[peers.count - 1].facts = facts
    let connection = peers.count - 1
    if drainEnd != nil {
      seen.insert(.drainTurnedAway)
      end(connection, "draining")
    } else if isAsked {
      admit(connection)
    } else if peers.count(where: \.takesPlace) > settings.maxConnections,
      keeps(.connectionsAreLimited), !makeRoom()
    {
      seen.insert(.tooManyConnections)
      end(connection, "too_many_connections")
    }
    finish()
    return connection
  }

  /// A peer sends some lines at once.
  package mutating func take(_ asked: [Asked], from connection: Int, at time: Int) {
    pass(to: time)
    if peers[connection].phase == .open {
      hear(connection)
      peers[connection].begunBytes = 0
      peers[connection].unread += asked
      readOn(connection)
    }
    finish()
  }

  /// A peer sends the beginning of a line: this many bytes of it.
  package mutating func take(beginning bytes: Int, from connection: Int, at time: Int) {
    pass(to: time)
    if peers[connection].phase == .open {
      hear(connection)
      begin(bytes, of: connection)
    }
    finish()
  }

  /// The network has taken this many bytes of what was sent to the peer.
  package mutating func took(_ bytes: Int, of connection: Int, at time: Int) {
    now = time
    relieve(connection, of: bytes)
    finish()
  }

  private mutating func hear(_ connection: Int) {
    (peers[connection].heard, peers[connection].pings) = (now, 0)
  }

  /// A peer shuts down its writing side.
  package mutating func halfClose(_ connection: Int, at time: Int) {
    pass(to: time)
    endReading(from: connection)
    finish()
  }

  /// A connection is gone.
  package mutating func close(_ connection: Int, at time: Int) {
    pass(to: time)
    forget(connection)
    finish()
  }

  /// The server begins to drain.
  package mutating func drain(at time: Int) {
    pass(to: time)
    beginDraining()
    finish()
  }

  /// Time passes.
  package mutating func pass(to time: Int) {
    now = time
    while let sleeper = alarms.takeDue(at: now) {
      wake(sleeper)
      tellHappenings()
    }
    finish()
  }

  /// The end of a call: first the server's own broadcasts, then what it reads on, and last its end if it is drained.
  mutating func finish() {
    tellHappenings()
    while true {
      if readAgain.isEmpty { letInNext() }
      letInBelowShare()
      letInNextOfIdentity()
      if readAgain.isEmpty, !reloadAskers.isEmpty {
        readFileAnew()
        continue
      }
      guard !readAgain.isEmpty else { break }
      let connection = readAgain.removeFirst()
      readOn(connection)
    }
    goIfDrained()
  }

  // MARK: Out

  /// What was sent since the last call.
  package mutating func takeSaid() -> [(connection: Int, line: String)] {
    defer { said.removeAll(keepingCapacity: true) }
    lengths = [:]
    return said
  }

  /// When something is due next.
  package var nextAlarm: Int? { alarms.next }

  /// The names of a chain's links.
  package func names(in chain: String, isMount: Bool) -> [String] {
    (chains[chain]?.links ?? []).filter { links[$0].isMount == isMount }.map { links[$0].name }
  }

  mutating func say(_ line: Line, to connection: Int, isEvent: Bool = false) {
    guard hears(connection) else { return }
    said.append((connection, line.whole))
    let bytes = lengths[connection]?.popFirst() ?? line.whole.utf8.count + 1
    if isEvent, keeps(.eventsDoNotStopReading) { peers[connection].unsentEvents += bytes }
    queue(bytes, to: connection)
  }

  /// Whether something was sent to the connection in this call.
  func isNews(for connection: Int) -> Bool { said.contains { $0.connection == connection } }

  /// What the server wants of a connection. It stands among the lines, because it comes after the lines before it.
  mutating func wish(_ what: Ending, for connection: Int) {
    guard !peers[connection].isToClose else { return }
    peers[connection].isToClose = what == .close
    said.append((connection, what.rawValue))
  }

  /// How the server ends a connection.
  package enum Ending: String {
    /// The server shuts down its writing side, and drops what still comes.
    case shutDown = "(shut down)"
    case close = "(close)"
  }

  /// Whether lines still reach the peer.
  func hears(_ connection: Int) -> Bool {
    peers[connection].phase == .open || peers[connection].phase == .halfClosed
  }

  private mutating func wake(_ sleeper: Alarms.Sleeper) {
    switch sleeper {
    case .walk(let walk): timeHasCome(for: walk)
    case .connection(let connection): checkClocks(of: connection)
    case .hold(let link): holdHasEnded(of: link)
    case .drain: endEverything()
    case .shadow(let connection, let offer): shadowHasLapsed(offer, of: connection)
    }
  }
}
