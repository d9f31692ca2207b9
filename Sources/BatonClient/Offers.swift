/// The offers that are open on one connection, and their handlers.
final class Offers {
  /// Calls its argument in the client, as long as the connection stands.
  typealias Inside = @Sendable (@Sendable (Offers) -> Void) async -> Void

  private let links: Links
  private let connection: Connection
  private let plan: Plan
  private let changes: Changes
  private let inside: Inside
  /// The tasks of the handlers by the ids of their offers.
  private var open: [Int: Task<Void, Never>] = [:]
  /// What people find those by that were answered last, in a ring: the server says of a refused answer only whose it was.
  private var answered = [(id: Int, title: MessageTitle)?](repeating: nil, count: Offers.remembered)
  private static let remembered = 256

  init(
    _ links: Links, on connection: Connection, _ plan: Plan, _ changes: Changes,
    inside: @escaping Inside
  ) {
    self.links = links
    self.connection = connection
    self.plan = plan
    self.changes = changes
    self.inside = inside
  }

  /// How many offers wait for their verdicts.
  var count: Int { open.count }
  /// Whether no offer waits for its verdict.
  var isEmpty: Bool { open.isEmpty }

  /// Hands an offer or a notice to its handler. Handlers begin in the order in which offers come.
  func take(_ line: ServerLine) {
    let inside = inside
    let id = line.op == "notice" ? nil : line.integer("id")
    // Nobody could answer it.
    if id == nil, line.op != "notice" { return }
    let message = Message(line, maxLine: connection.maxLine, serverStart: connection.serverStart) {
      if let id { await inside { $0.working(id) } }
    }
    guard let place = links.find(message.chain, message.handler) else {
      if let id { answer(id, MessageTitle(message), .failed("no such handler here")) }
      return
    }
    // It waits on the server for whoever takes the place next.
    if id != nil, links.isLeaving, place.link.isKept { return }
    let conclusion = place.body(message)
    let plan = plan
    let title = MessageTitle(message)
    let (within, traceparent) = (message.within, message.traceparent)
    let task = Task {
      let verdict: Verdict
      do { verdict = try await Within.next(within, traceparent) { try await conclusion() } } catch {
        verdict = plan.verdictOnError(error, of: title)
      }
      if let id { await inside { $0.answer(id, title, verdict) } }
    }
    if let id { open[id] = task }
  }

  /// An offer ran out. Its verdict is still sent, because the server counts the offers that get none.
  func lapse(_ id: Int) { open[id]?.cancel() }

  /// The server has refused a verdict. The offer is still open then, and has to be ended.
  func refuse(_ id: Int, _ line: ServerLine) {
    // The offer has lapsed.
    if ["late_verdict", "unknown_offer"].contains(line.text("code")) { return }
    let known = answered[id % Offers.remembered].flatMap { $0.id == id ? $0.title : nil }
    let what = known?.description ?? "offer \(id)"
    plan.report("the server refused the answer of \(what), which fails there: \(line.refusal)")
    answer(id, known, .failed(line.text("message")))
  }

  /// The connection is lost, and no verdict can be sent.
  func abandon() {
    for task in open.values { task.cancel() }
    open = [:]
  }

  private func working(_ id: Int) {
    var line = RequestLine("working")
    line.add("id", id)
    connection.tell(line)
  }

  private func answer(_ id: Int, _ title: MessageTitle?, _ verdict: Verdict) {
    open[id] = nil
    if let title { answered[id % Offers.remembered] = (id, title) }
    do {
      let line = try verdict.line(for: id)
      // It would end the connection, with all that is open on it, or be answered without its id.
      if let fault = connection.fault(ofAnswer: line) { return fail(id, title, fault) }
      connection.send(line)
    } catch {
      return fail(id, title, "\(error)")
    }
    // Only a client that drains waits for this.
    if links.isLeaving { changes.tell() }
  }

  /// The answer cannot be sent: why, in words.
  private func fail(_ id: Int, _ title: MessageTitle?, _ why: String) {
    let what = title?.description ?? "offer \(id)"
    plan.logError("the answer of \(what) cannot be sent, and it fails there: \(shown(why))")
    answer(id, title, .failed(why))
  }
}

extension Plan {
  /// The verdict of a handler that threw. The error is logged, unless it only says that nobody waits any more.
  fileprivate func verdictOnError(_ error: any Error, of message: MessageTitle) -> Verdict {
    let words = words(of: error)
    if !(error is CancellationError) {
      logError("the handler \(message) threw: \(words)")
    }
    return .failed(exposesErrors ? firstLine(words) : nil)
  }
}
