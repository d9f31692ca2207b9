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
  var isOrderKnown = false

  /// Connections were ended by the server in this call.
  var isLosing: Bool { !newlyLeaving.isEmpty }
  /// The server keeps lines of a connection from which it does not read.
  var isKeeping = false
  /// Somebody has listened for the server's own broadcasts; until then they are of no interest.
  var isOverheard = false
  /// What the server is to tell of this call.
  var deeds: [(deed: Deed, isCertain: Bool)] = []
  /// What `explain` said last in this call.
  var expectation: Expectation?
  /// One line, and no more, is heard in this call.
  var isAlone = false
  /// Links were renumbered in this call.
  var hasMoved = false

  /// Broadcasts that walked a chain and have ended in this call, and who got which of them.
  var endedVia: [Int] = []
  var receivers: [Int: [Int]] = [:]
  /// Connections whose subscriptions have changed in this call.
  var resubscribed: [Int] = []

  /// Connections that were said something in this call.
  var spokenTo: [Int] = []
  /// Connections about whose end the server made up its mind in this call.
  var newlyLeaving: [Int] = []
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
