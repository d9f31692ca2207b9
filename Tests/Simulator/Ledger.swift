import BatonCore
import WorldKit

/// What the server owes its peers, however lines are cut and whenever they come: a reply to each request, a result to
/// each message, offers that count up, tables within their limits. The model checks what lines say.
final class Ledger {
  /// What one connection has asked and got.
  struct Account {
    /// What is owed, by id as it stands on the wire.
    fileprivate(set) var owed: [[UInt8]: Owed] = [:]
    /// Errors that may come without an id that was asked for.
    fileprivate var mayErr = 0
    /// When each of its offers times out at the earliest.
    fileprivate var offers: [Instant] = []
    fileprivate var lapsed: Set<Int> = []
    /// Those that were made in a stage: another link may end the message.
    fileprivate var together: Set<Int> = []
    /// Messages that it has asked to cancel, by id as it stands on the wire; and those that were cancelled.
    fileprivate var toCancel: Set<[UInt8]> = []
    fileprivate var cancelled: Set<[UInt8]> = []
  }

  struct Owed {
    let line: SentLine
    /// The calls of the core before the line came.
    var cameAt: Int
    /// When the result must have come, once the server has the message.
    var due: Instant?

    var isMessage: Bool {
      if case .message = line.kind { return true }
      return false
    }
  }

  let settings: Settings
  private let mayPause: Bool
  private let mayDrain: Bool
  private let chains: Int
  private var accounts: [Account] = []
  /// The connections that are there, and are not to end.
  private var staying: [Int] = []
  private var hasCancelled = false
  /// Nil in worlds in which no file declares chains.
  var watch: ChainWatch?
  private var stages = StageWatch()
  private var spans = SpanWatch()
  /// Nil in worlds in which identities have no limits.
  var limits: LimitPlan?
  /// Nil in worlds in which nothing stays.
  var stays: StayWatch?
  /// Nil in worlds without a record.
  var records: RecordWatch?
  /// The connection that looks at chains for the watch.
  var observer: Int?
  private(set) var covered: Set<String> = []
  private(set) var violation: Violation?

  init(_ plan: Plan) {
    settings = plan.settings
    (mayPause, mayDrain, chains) = (plan.mayPause, plan.drainsAtStep != nil, plan.allChains.count)
    limits = plan.limits
    records = plan.settings.record.map {
      RecordWatch(isStrict: $0.isStrict, hidesSome: plan.limits != nil || plan.stays != nil)
    }
  }

  /// Notes the first fault of the world. Later faults may follow from it, and are not noted.
  func fail(_ invariant: Invariant, _ detail: @autoclosure () -> String) {
    if violation == nil { violation = Violation(invariant: invariant, detail: detail()) }
  }

  func cover(_ what: String) { covered.insert(what) }

  /// A connection has come; its number is how many there were before.
  func opens() {
    staying.append(accounts.count)
    accounts.append(Account())
  }

  func closes(_ connection: Int) {
    staying.removeAll { $0 == connection }
    accounts[connection] = Account()
    stages.leaves(connection)
  }

  // MARK: Lines

  /// The peer has put the line on its wire.
  func asks(_ line: SentLine, _ connection: Int) {
    switch line.kind {
    case .silence: return
    case .verdict, .wrong, .fatal: accounts[connection].mayErr += 1
    case .message, .request:
      if let message = line.cancels {
        hasCancelled = true
        accounts[connection].toCancel.insert(message)
      }
      guard let id = line.id else { return accounts[connection].mayErr += 1 }
      accounts[connection].owed[id] = Owed(line: line, cameAt: watch?.call ?? 0)
    }
  }

  /// The next call brings the line to the server.
  func comes(_ line: SentLine, _ connection: Int) {
    if let watch, let id = line.id { accounts[connection].owed[id]?.cameAt = watch.call }
  }

  /// The peer ends within a line.
  func cuts(_ connection: Int) { accounts[connection].mayErr += 1 }

  /// The line has reached the server: an offer may have its answer.
  func answers(_ line: SentLine, from connection: Int) { stages.heard(line, from: connection) }

  /// The line has reached the server, and the call is over: a request is answered by now, and messages are under way.
  func heard(_ line: SentLine, from connection: Int, _ now: Instant) {
    guard let id = line.id, let owed = accounts[connection].owed[id], !mayPause, staying.contains(connection) else {
      return
    }
    if case .message(let timeout) = owed.line.kind {
      accounts[connection].owed[id]?.due = now.advanced(milliseconds: timeout + 1)
    } else if line.wantsReply {
      fail(.oneReply, "#\(connection) \(line.text) gets no answer")
    }
  }

  /// The server has sent a line to the connection.
  func said(_ line: SaidLine, to connection: Int, _ now: Instant) {
    stays?.said(line, to: connection)
    stages.said(line, to: connection)
    if spans.said(line) { cover("traced beyond the server") }
    records?.said(line)
    cover([line.op, line.text("status") ?? line.text("code")].compactMap { $0 }.joined(separator: " "))
    switch line.op {
    case "offer":
      accounts[connection].offers.append(now.advanced(milliseconds: line.number("timeout_ms") ?? 0))
      watch?.offered(line)
      let count = accounts[connection].offers.count
      if line.isTrue("together") { accounts[connection].together.insert(count) }
      if line.number("id") != count { fail(.inOrder, "not the \(count)th offer: \(line.spelled)") }
    case "lapsed":
      guard let id = line.number("id"), accounts[connection].offers.indices.contains(id - 1),
        accounts[connection].lapsed.insert(id).inserted
      else { return fail(.settledOnce, "#\(connection) has no such offer open: \(line.spelled)") }
      if line.text("why") == "cancelled" {
        cover("lapsed, cancelled")
        let mayEnd = hasCancelled || accounts[connection].together.contains(id)
        if !mayEnd { fail(.endsOnce, "nobody cancels: \(line.spelled)") }
        return
      }
      // If less than a millisecond is left, an offer says one millisecond.
      checkEarly(accounts[connection].offers[id - 1].advanced(milliseconds: -1), now, line)
    case "explained" where connection == observer:
      watch?.saw(line)
      takeReply(line, connection)
    case _ where line.isReply:
      if line.text("status") == "timeout", let id = line.raw("id") {
        checkEarly(accounts[connection].owed[Array(id)]?.due?.advanced(milliseconds: -1), now, line)
      }
      takeReply(line, connection)
    default: break
    }
  }

  /// Nothing times out before its time, except at the end of a drain. Times in lines are whole milliseconds.
  private func checkEarly(_ due: Instant?, _ now: Instant, _ line: SaidLine) {
    guard let due, !mayDrain, now < due else { return }
    fail(.onTime, "\(due.microseconds) µs were to come first: \(line.spelled)")
  }

  private func takeReply(_ line: SaidLine, _ connection: Int) {
    if let id = line.raw("id"), let owed = accounts[connection].owed.removeValue(forKey: Array(id)) {
      if line.op == "ok", owed.line.op == "insert" { watch?.inserted(line) }
      if line.op == "result" { watch?.ended(line, of: owed.line, cameAt: owed.cameAt) }
      if line.text("status") == "cancelled" { checkCancelled(Array(id), line, connection) }
      if let message = owed.line.cancels, line.op == "ok" { checkCancel(of: message, line, connection) }
      if line.op == "error" || owed.line.wantsReply, owed.isMessage || line.op != "result" { return }
      return fail(.oneReply, "#\(connection) did not ask for it: \(line.spelled)")
    }
    if line.op == "result" { return fail(.endsOnce, "#\(connection) has no message under way: \(line.spelled)") }
    if line.op == "error", CloseReason(rawValue: line.text("code") ?? "") != nil { return }
    accounts[connection].mayErr -= 1
    if line["id"] != nil && line.op != "error" || accounts[connection].mayErr < 0 {
      fail(.oneReply, "#\(connection) has asked for no such thing: \(line.spelled)")
    }
  }

  /// A message is cancelled only if its sender has asked for it.
  private func checkCancelled(_ id: [UInt8], _ line: SaidLine, _ connection: Int) {
    accounts[connection].cancelled.insert(id)
    if !accounts[connection].toCancel.contains(id) { fail(.endsOnce, "nobody has cancelled it: \(line.spelled)") }
  }

  /// The server has answered a `cancel`: the message has its result by now, and the answer says whether that was it.
  private func checkCancel(of message: [UInt8], _ line: SaidLine, _ connection: Int) {
    let isTrue = line.isTrue("cancelled")
    cover(isTrue ? "cancelled" : "cancelled in vain")
    if let owed = accounts[connection].owed[message], owed.line.wantsReply {
      return fail(.endsOnce, "#\(connection) has no result of \(owed.line.text): \(line.spelled)")
    }
    // No id comes twice, so the second `cancel` of a message is in vain.
    if isTrue, accounts[connection].cancelled.remove(message) == nil {
      fail(.endsOnce, "#\(connection) no such message was cancelled: \(line.spelled)")
    }
  }

  func isToEnd(_ connection: Int, _ reason: CloseReason?) {
    if let reason { cover("end: \(reason.rawValue)") }
    // At the end of draining, nobody is told an end of which the record has no line.
    let mayBeUntold = mayDrain && records?.isStrict == true
    if reason == .finished, !mayBeUntold, let owed = owedMessage(connection) {
      fail(.coherentDoor, "#\(connection) is finished, and still owed the result of \(owed.line.text)")
    }
    staying.removeAll { $0 == connection }
    stages.leaves(connection)
  }

  /// The peer has ended its side: its links are gone.
  func halfCloses(_ connection: Int) { stages.leaves(connection) }

  // MARK: What must hold between calls

  private func owedMessage(_ connection: Int) -> Owed? {
    accounts[connection].owed.values.first { $0.isMessage && $0.line.wantsReply }
  }

  /// After a wake-up nothing that was due may still be open.
  func checkTimes(_ now: Instant) {
    for connection in staying {
      for owed in accounts[connection].owed.values where owed.line.wantsReply && owed.due ?? now < now {
        fail(.onTime, "#\(connection) \(owed.line.text) is past its deadline")
      }
    }
  }

  /// The earliest time at which one of the server's messages must have ended.
  var earliestDue: Instant? {
    staying.flatMap { accounts[$0].owed.values.filter(\.line.wantsReply).compactMap(\.due) }.min()
  }

  /// A half-closed connection stays open as long as the server owes it a result, and no longer.
  func checkHalfClosed(_ connection: Int, _ wish: Router.Wish) {
    if wish.ending == .open, !mayPause, owedMessage(connection) == nil {
      fail(.coherentDoor, "#\(connection) is half-closed, owed nothing, and not closed")
    }
  }

  /// When everything is quiet, nothing is owed any more.
  func checkQuiet() {
    for connection in staying {
      guard let owed = accounts[connection].owed.values.first(where: \.line.wantsReply) else { continue }
      fail(owed.isMessage ? .endsOnce : .oneReply, "all is quiet, and #\(connection) waits for \(owed.line.text)")
    }
  }

  /// Judges where messages stand after a call.
  func judgeStages() {
    stages.judge()
    if let found = stages.violation ?? spans.violation { fail(found.invariant, found.detail) }
  }

  /// Judges what messages have seen of chains. Returns false if the observer is to look first.
  func judgeWalks(isLast: Bool) -> Bool {
    guard let isRight = watch?.judge(isLast: isLast) else { return true }
    covered.formUnion(watch?.covered ?? [])
    if let found = watch?.violation { fail(found.invariant, found.detail) }
    return isRight
  }

  /// Judges what listeners were told of what stays.
  func judgeStays(_ judge: (inout StayWatch) -> Void) {
    guard var watch = stays else { return }
    stays = nil
    judge(&watch)
    if let found = watch.violation { fail(found.invariant, found.detail) }
    stays = watch
  }

  /// The world is over.
  func noteStays() { covered.formUnion(stays?.covered ?? []) }

  /// While no message walks, nothing is kept of links but what the observer sees.
  func checkLinks(_ census: [String: Int]) {
    guard let watch, census["walks"] == nil, census["copies"] == nil else { return }
    if census["counted links"] ?? 0 != watch.linkCount {
      fail(.placesEnd, "no message walks, and there are \(watch.linkCount) links, and not \(census)")
    }
  }

  /// The core's tables hold what the network knows of, and keep to their limits. One line may go past a limit.
  func checkTables(_ census: [String: Int], connections: Int, unsent: Int) {
    func check(_ table: String, _ most: Int) {
      if census[table] ?? 0 > most { fail(.inBounds, "\(census[table] ?? 0) \(table), and \(most) are allowed") }
    }
    if census["connections"] ?? 0 != connections || census["unsent bytes"] ?? 0 != unsent {
      fail(.coherentDoor, "\(connections) connections with \(unsent) unsent bytes, and not \(census)")
    }
    check("unfinished bytes", settings.maxUnfinishedBytes)
    // Declared links, and older places of theirs, are there even where it is more.
    if watch == nil { check("counted links", settings.maxLinks) }
    check("lists", settings.maxCachedTopics * chains)
    check("open bytes", settings.maxTotalBytes + 2 * settings.maxLine)
  }
}

extension SaidLine {
  /// True for the lines that answer a request or refuse a line.
  var isReply: Bool { Self.replies.contains(op) }

  /// Whether the simulator's peers know such a line.
  var isKnown: Bool { isReply || Self.others.contains(op) }

  private static let replies: Set = ["ok", "result", "welcome", "pong", "help", "chains", "explained", "error"]
  private static let others: Set = [
    "offer", "notice", "event", "lapsed", "replaced", "removed", "moved", "missed", "draining", "ping",
  ]
}

extension SentLine {
  /// The line for messages about faults, without its LF.
  var text: String { String(decoding: bytes.prefix(200).filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self) }
}
