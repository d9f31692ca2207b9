import BatonCore

/// The simulator's own bookkeeping: it hears every line that reaches the server and sees every line that the server
/// says, and holds the invariants against them. It shares nothing with the core but settings and instants.
///
/// One call through the door is settled at a time: first all that the server said in it is noted (`said`), then
/// `settle` goes through what it heard, line by line, and accounts for all that was said.
final class Ledger {
  /// A call through the router's door.
  enum Call {
    case opened(Int), received(Int), ended(Int), closed(Int), wrote(Int)
    case drain, wake
  }

  let settings: Settings
  /// Bytes that payload and meta may take together.
  let payloadLimit: Int
  var now = Instant(microseconds: 0)
  /// Counts lines and calls: the order in which things happened.
  var tick = 0
  var messages: [Message] = []
  var walks: [Walk] = []
  var openWalks: [Int] = []
  var walkByNumber: [Int: Int] = [:]
  var links: [Link] = []
  /// The links that are there, in order, chain by chain.
  var chains: [[Int]]
  var accounts: [Account] = []
  var drainEnd: Instant?
  var coverage = Coverage()
  private(set) var violation: Violation?

  /// The call came when something was due already, which it may have carried out first.
  var isLate = false
  /// False while several messages may move in an order that the books do not know.
  private(set) var isOrderKnown = false

  /// Connections were ended by the server in this call.
  var isLosing: Bool { !newlyLeaving.isEmpty }
  /// Links were renumbered in this call.
  private(set) var hasMoved = false

  /// Connections that were said something in this call.
  private var spokenTo: [Int] = []
  /// Connections about whose end the server made up its mind in this call.
  private var newlyLeaving: [Int] = []
  private(set) var call = Call.wake

  init(settings: Settings, chains: Int) {
    self.settings = settings
    payloadLimit = settings.maxLine - 4096
    self.chains = Array(repeating: [], count: chains)
  }

  /// Notes the first fault of the world; what follows from it is of no interest.
  func fail(_ invariant: Invariant, _ detail: @autoclosure () -> String) {
    if violation == nil { violation = Violation(invariant: invariant, detail: detail()) }
  }

  // MARK: What the network tells

  func opened() {
    var account = Account()
    account.lastHeard = now
    accounts.append(account)
  }

  /// A call through the door is about to be made.
  func begin(_ call: Call) {
    self.call = call
    switch call {
    case .ended(let connection): accounts[connection].isEnded = true
    case .drain: drainEnd = now.advanced(milliseconds: settings.drainMilliseconds)
    default: break
    }
  }

  /// A whole line has reached the server.
  func hears(_ line: SentLine, from connection: Int) { accounts[connection].backlog.append(line) }

  /// The server has said a line to the connection.
  func said(_ line: ServerLine, to connection: Int) {
    if !accounts[connection].isSpokenTo {
      accounts[connection].isSpokenTo = true
      spokenTo.append(connection)
    }
    if line.op == .moved { hasMoved = true }
    switch line.op {
    case .offer: accounts[connection].newOffers.append(line)
    case let op where op.isDirect:
      if op == .error, isAboutForm(line) { accounts[connection].errors += 1 }
      accounts[connection].direct.append(line)
    default: accounts[connection].others.append(line)
    }
  }

  /// The server wishes the connection to end.
  func isToEnd(_ connection: Int, for reason: CloseReason?) {
    checkReason(reason, of: connection)
    newlyLeaving.append(connection)
  }

  // MARK: Settling

  /// Accounts for everything that was heard and said in the call.
  func settle() {
    tick += 1
    takeLapses()
    takeOffers()
    letGo(newlyLeaving.filter { accounts[$0].endReason?.isDue ?? false })
    switch call {
    case .received(let connection):
      accounts[connection].lastHeard = now
      hear(from: connection)
    case .ended(let connection):
      coverHalfClose(of: connection)
      takeOffers()
      if accounts[connection].lineBegun != nil, accounts[connection].isHeard { takeCutLine(of: connection) }
      leave(connection)
    case .closed(let connection):
      coverClose(of: connection)
      accounts[connection].isOpen = false
      if isLate { doubtHops(connection) }
      leave(connection)
    case .wake: passTime()
    case .wrote(let connection): hear(from: connection)
    case .opened, .drain: break
    }
    takeOffers()
    takeLateLapses()
    letGo(newlyLeaving.filter { !accounts[$0].isLeaving })
    takeResults()
    takeRest()
    if case .drain = call { checkToldDraining() }
    checkLeftovers()
    for connection in spokenTo { accounts[connection].isSpokenTo = false }
    spokenTo.removeAll(keepingCapacity: true)
    newlyLeaving.removeAll(keepingCapacity: true)
    hasMoved = false
  }

  /// Goes through the lines that the connection has sent. A server that stops reading in the middle keeps the rest;
  /// then only lines that must be answered are under way (`Wire.certain`), so that a missing answer tells.
  private func hear(from connection: Int) {
    while let line = accounts[connection].backlog.first, accounts[connection].isHeard {
      if !accounts[connection].isRead, line.mustBeAnswered, accounts[connection].direct.isEmpty {
        coverage.insert(.backlog)
        return
      }
      accounts[connection].backlog.drop(1)
      tick += 1
      isOrderKnown = true
      apply(line, from: connection)
      isOrderKnown = false
      takeOffers()
    }
    if !accounts[connection].isHeard { accounts[connection].backlog.removeAll() }
  }

  /// A line that a half-close cut off is refused.
  private func takeCutLine(of connection: Int) {
    let answer = accounts[connection].direct.popFirst()
    if answer?.string(.code) != "bad_json" { fail(.oneReply, "#\(connection) half-closed within a line and is not told") }
    accounts[connection].lineBegun = nil
  }

  private func checkToldDraining() {
    for connection in accounts.indices where accounts[connection].isOpen && !accounts[connection].wasToldDraining {
      if accounts[connection].isLeaving, accounts[connection].endReason != .draining { continue }
      fail(.oneReply, "#\(connection) is not told that the server is going")
    }
  }

  /// Everything that this call's listeners were told beside answers, offers and results.
  private func takeRest() {
    for connection in spokenTo where !accounts[connection].others.isEmpty {
      let lines = accounts[connection].others
      accounts[connection].others.removeAll(keepingCapacity: true)
      for line in lines {
        switch line.op {
        case .event: takeEvent(line, of: connection)
        case .missed: takeMissed(line, of: connection)
        case .replaced, .removed: takeNotice(line, of: connection)
        case .moved: takeMoved(line, of: connection)
        case .draining: takeDraining(of: connection)
        case .ping where accounts[connection].heartbeatMilliseconds == nil:
          fail(.onTime, "#\(connection) is pinged without a heartbeat")
        default: break
        }
      }
    }
  }

  /// Whatever was said and has found no cause is a fault.
  private func checkLeftovers() {
    for connection in spokenTo {
      if let line = accounts[connection].newOffers.first {
        let refusal = refusal(of: line, to: connection)
        fail(refusal?.invariant ?? .inOrder, "#\(connection) \(line.description): \(refusal?.detail ?? "too early")")
      }
      while let line = accounts[connection].direct.popFirst() {
        guard line.op == .error, isClosing(line) else {
          return fail(.oneReply, "#\(connection) is told without cause: \(line.description)")
        }
        if !accounts[connection].isLeaving {
          fail(.coherentDoor, "#\(connection) lives on after \(line.description)")
        }
      }
    }
    for connection in accounts.indices {
      guard accounts[connection].isOpen, !accounts[connection].isLeaving else {
        accounts[connection].expectedEvents.removeAll()
        accounts[connection].expectedNotices.removeAll()
        continue
      }
      while let event = accounts[connection].expectedEvents.popFirst() {
        accounts[connection].missed += 1
        if !event.mayMiss { fail(.eventsOnce, "#\(connection) does not get event m\(event.message)") }
      }
      if let notice = accounts[connection].expectedNotices.first {
        fail(.oneReply, "#\(connection) is not told \(notice.op) of \(notice.name)")
      }
    }
  }

  /// Connections that the server ends leave, one after the other; first those whose offers are all explained.
  private func letGo(_ leaving: [Int]) {
    var leaving = leaving
    while !leaving.isEmpty {
      let next = leaving.firstIndex { accounts[$0].newOffers.isEmpty } ?? 0
      let connection = leaving.remove(at: next)
      accounts[connection].isLeaving = true
      leave(connection)
      takeOffers()
    }
  }

  /// What was due may have been offered to the connection before it was gone, and nobody saw it.
  private func doubtHops(_ connection: Int) {
    for walk in openWalks where walks[walk].links.contains(where: { links[$0].owner == connection }) {
      walks[walk].mayHaveMoreHops = true
    }
  }

  // MARK: Lookups

  /// Calls `body` for each connection that was said something in this call.
  func eachSpokenTo(_ body: (Int) -> Void) {
    for connection in spokenTo { body(connection) }
  }

  /// The link of that name in the chain, where there is one.
  func link(named name: String, in chain: Int) -> Int? {
    chains[chain].first { links[$0].name == name }
  }

  /// The chain that the line names.
  func chain(of line: ServerLine) -> Int? {
    guard let name = line.string(.chain) else { return nil }
    return Vocabulary.chains.firstIndex(of: name)
  }

  /// True for errors that count towards `too_many_errors`.
  private func isAboutForm(_ line: ServerLine) -> Bool {
    switch line.string(.code) {
    case "bad_json", "too_deep", "missing_member", "bad_member", "unknown_member", "duplicate_member", "unknown_op",
      "bad_topic", "bad_pattern", "bad_name", "unknown_offer":
      true
    default: false
    }
  }

  /// True for errors after which the server ends the connection.
  func isClosing(_ line: ServerLine) -> Bool {
    switch line.string(.code) {
    case "line_too_long", "line_timeout", "not_json_lines", "too_many_errors", "too_many_connections", "too_slow",
      "idle":
      true
    case "draining": line[.id] == nil && drainEnd != nil
    default: false
    }
  }
}

extension CloseReason {
  /// True where time ends the connection: that comes before what the call itself brings.
  fileprivate var isDue: Bool {
    switch self {
    case .lineTimeout, .idle, .tooSlow: true
    default: false
    }
  }
}
