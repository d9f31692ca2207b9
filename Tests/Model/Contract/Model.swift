/// The contract as a program, written for clarity: requests, closes and the time go in, lines come out. It knows
/// nothing of the server's code, and is compared with it line by line.
///
/// A chain is a list of links, a walk remembers a copy of each chain as it stood, time is a number of milliseconds.
/// Nothing is looked up by anything but going through it. The files `Model+….swift` hold a concept each.
package struct Model {
  package let settings: Settings
  let broken: Rule?
  package internal(set) var now = 0

  package internal(set) var connections: [Connection] = []
  var chains: [String: Chain] = [:]
  /// Every link that there ever was.
  var links: [Link] = []
  /// Every message that was ever taken in; a walk's number is its place, counted from 1.
  var walks: [Walk] = []
  /// By chain and key: who walks, then who waits for that.
  var lines: [String: [Int]] = [:]
  var alarms = Alarms()
  /// One counter for all chains.
  var version = 0
  /// When what is open ends, once the server is going.
  var drainEnd: Int?
  /// Whether nothing is open any more in a server that goes.
  var isDrained = false
  /// Connections that are read again; the last one goes first.
  var readAgain: [Int] = []
  /// What the server broadcasts itself once the call is done in which it happened.
  var happened: [Happening] = []
  /// What was said since it was last taken: to whom, and the line.
  private(set) var said: [(connection: Int, line: String)] = []
  /// What has happened, for the comparison to count.
  package var seen = Seen()

  /// A server without connections. It keeps all rules but `broken`.
  package init(settings: Settings, broken: Rule? = nil) {
    self.settings = settings
    self.broken = broken
    for place in settings.guardedPlaces { guardPlace(place.handler, in: place.chain) }
  }

  func keeps(_ rule: Rule) -> Bool { broken != rule }

  // MARK: In

  /// A peer connects. Connections are called 0, 1, 2 …
  package mutating func open(at time: Int) -> Int {
    pass(to: time)
    connections.append(Connection(number: connections.count + 1, heard: now))
    let connection = connections.count - 1
    if drainEnd != nil {
      seen.insert(.drainTurnedAway)
      end(connection, "draining")
    }
    return connection
  }

  /// A peer says some lines at once.
  package mutating func take(_ asked: [Asked], from connection: Int, at time: Int) {
    pass(to: time)
    if connections[connection].phase == .open {
      connections[connection].heard = now
      connections[connection].pings = 0
      connections[connection].unread += asked
      readOn(connection)
    }
    finish()
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

  /// The server is to go.
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

  /// The end of a call: the server's own broadcasts, then what it reads on, and at last it goes.
  private mutating func finish() {
    tellHappenings()
    while !readAgain.isEmpty { readOn(readAgain.removeLast()) }
    goIfDrained()
  }

  // MARK: Out

  /// What was said since the last call.
  package mutating func takeSaid() -> [(connection: Int, line: String)] {
    defer { said.removeAll(keepingCapacity: true) }
    return said
  }

  /// When something is due next.
  package var nextAlarm: Int? { alarms.next }

  /// The names of a chain's links.
  package func names(in chain: String, isMount: Bool) -> [String] {
    (chains[chain]?.links ?? []).filter { links[$0].isMount == isMount }.map { links[$0].name }
  }

  mutating func say(_ line: Line, to connection: Int) {
    if hears(connection) { said.append((connection, line.whole)) }
  }

  /// What the server wants of a connection; it stands among the lines, because it comes after those before it.
  mutating func wish(_ what: Ending, for connection: Int) {
    guard !connections[connection].isToClose else { return }
    connections[connection].isToClose = what == .close
    said.append((connection, what.rawValue))
  }

  /// How the server ends a connection.
  package enum Ending: String {
    /// It shuts down its writing side, and drops what still comes.
    case shutDown = "(shut down)"
    case close = "(close)"
  }

  /// Whether lines still reach the peer.
  func hears(_ connection: Int) -> Bool {
    connections[connection].phase == .open || connections[connection].phase == .halfClosed
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
