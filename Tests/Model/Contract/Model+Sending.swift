/// `send`: a message is taken in, waits for its key's turn, and walks (contract, section 4).
extension Model {
  mutating func send(_ message: Send, _ asked: Asked, from connection: Int) throws(Refusal) {
    let isNotice = message.mode == .notify
    if isNotice, message.timeoutMilliseconds != nil || message.key != nil { throw Refusal("bad_member") }
    try checkCargo(message.payload, beside: message.meta)
    let timeout = message.timeoutMilliseconds ?? settings.timeoutMilliseconds
    var walk = Walk(
      message: message, id: asked.id, sender: connection, from: connections[connection].from,
      wantsResult: asked.wantsReply && !isNotice, deadline: now + timeout)
    walk.payload = message.payload
    walks.append(walk)
    let number = walks.count - 1
    if isNotice { return notify(number, asked, from: connection) }
    seen.insert(message.mode == .all ? .all : .first)
    if walk.wantsResult { connections[connection].owed += 1 }
    takeTurn(number)
  }

  /// What payload and meta may take together, at every step of a walk (section 2).
  func checkCargo(_ payload: String?, beside meta: String?) throws(Refusal) {
    let count = (payload?.utf8.count ?? 0) + (meta?.utf8.count ?? 0)
    if count > settings.maxCargo { throw Refusal("bad_member") }
  }

  // MARK: Keys

  /// Messages of the same chain and key walk one at a time, in the order in which they came in.
  private mutating func takeTurn(_ walk: Int) {
    guard let line = walks[walk].line, keeps(.keyInOrder) else { return begin(walk) }
    lines[line, default: []].append(walk)
    if lines[line]?.first == walk { return begin(walk) }
    seen.insert(.keyWaited)
    alarms.set(.walk(walk), at: walks[walk].deadline)
  }

  /// A message has ended: the next of its key takes its turn.
  private mutating func giveTurn(after walk: Int) {
    guard let line = walks[walk].line, let index = lines[line]?.firstIndex(of: walk) else { return }
    lines[line]?.remove(at: index)
    guard index == 0 else { return }
    guard let next = lines[line]?.first else { return lines[line] = nil }
    // At its deadline nobody is asked any more: it has waited to the end.
    if walks[next].deadline <= now, keeps(.deadlineWins) { end(next, .timeout(by: nil)) } else { begin(next) }
  }

  /// The message enters its chain, as it stands now.
  private mutating func begin(_ walk: Int) {
    enter(walks[walk].chain, walk)
    walkOn(walk)
  }

  // MARK: Results

  /// How a walk can end.
  enum Outcome {
    /// In mode `first` by that verdict; in mode `all` by the last one.
    case handled(by: String, payload: String?)
    case unhandled
    case rejected(by: String, message: String?, code: String?)
    /// The message is JSON.
    case failed(by: String, Cause, message: String)
    case timeout(by: String?)
  }

  /// Ends a walk: tells the result, and lets the next of its key go.
  mutating func end(_ walk: Int, _ outcome: Outcome) {
    leave(walk)
    walks[walk].isOver = true
    alarms.cancel(.walk(walk))
    let sender = walks[walk].sender
    if walks[walk].wantsResult {
      say(result(of: walk, outcome), to: sender)
      connections[sender].owed -= 1
      closeIfFinished(sender)
    }
    giveTurn(after: walk)
  }

  private mutating func result(of walk: Int, _ outcome: Outcome) -> Line {
    let results = walks[walk].results
    var payloads = results.count
    var line = result(of: walk, outcome, payloads: payloads)
    // What does not fit leaves out payloads from the end.
    while line.whole.utf8.count + 1 > settings.maxLine, payloads > 0 {
      seen.insert(.truncated)
      payloads -= 1
      line = result(of: walk, outcome, payloads: payloads)
    }
    return line
  }

  private mutating func result(of walk: Int, _ outcome: Outcome, payloads: Int) -> Line {
    var line = Line("result")
    line.add("id", json: walks[walk].id)
    switch outcome {
    case .handled(let by, let payload):
      line.add("status", "handled")
      line.add("by", by)
      line.add("payload", json: payload)
    case .unhandled:
      seen.insert(.unhandled)
      line.add("status", "unhandled")
      if walks[walk].isRewritten { line.add("payload", json: walks[walk].payload) }
    case .rejected(let by, let message, let code):
      line.add("status", "rejected")
      line.add("by", by)
      line.add("message", message)
      line.add("code", json: code)
    case .failed(let by, let cause, let message):
      line.add("status", "failed")
      line.add("by", by)
      line.add("cause", cause.rawValue)
      line.add("message", json: message)
    case .timeout(let by):
      seen.insert(.deadline)
      line.add("status", "timeout")
      line.add("by", by)
    }
    if walks[walk].mode == .all { add(walks[walk].results, payloads: payloads, to: &line) }
    line.add("hops", walks[walk].hops)
    line.add("walk", walk + 1)
    line.add("again", ifTrue: walks[walk].again && keeps(.againIsMarked))
    return line
  }

  private mutating func add(_ results: [(by: String, payload: String?)], payloads: Int, to line: inout Line) {
    if results.count > 1 { seen.insert(.severalResults) }
    let all = results.enumerated().map { place, result in
      let payload = place < payloads ? result.payload.map { ",\"payload\":\($0)" } ?? "" : ""
      return "{\"by\":\"\(result.by)\"\(payload)}"
    }
    line.add("results", json: "[\(all.joined(separator: ","))]")
    line.add("truncated", ifTrue: payloads < results.count)
  }
}
