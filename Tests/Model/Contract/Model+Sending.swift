/// `send`: a message is taken in, waits for its key's turn, and walks (contract, section 4).
extension Model {
  mutating func send(_ message: Send, _ asked: Asked, from connection: Int) throws(Refusal) {
    let isNotice = message.mode == .notify
    if isNotice, message.timeoutMilliseconds != nil || message.key != nil || message.trace != nil {
      throw Refusal("bad_member")
    }
    try takeIn(message, nil, asked, from: connection)
  }

  /// Takes in a message, or a broadcast that walks first.
  mutating func takeIn(
    _ message: Send, _ publication: Walk.Publication?, _ asked: Asked, from connection: Int
  ) throws(Refusal) {
    let isNotice = message.mode == .notify
    try refuseWhileDraining()
    try checkCargo(message.payload, beside: message.meta)
    try refuseLoop(message.within)
    try checkRoom(for: connection)
    peers[connection].hasSent = true
    try checkRate(of: connection)
    let timeout = message.timeoutMilliseconds ?? settings.timeoutMilliseconds
    var walk = Walk(
      message: message, id: asked.id, sender: connection, owner: owner(of: connection) ?? "",
      from: peers[connection].from,
      wantsResult: asked.wantsReply && !isNotice, deadline: now + timeout, sent: now,
      isWatched: !isNotice && isHeard("$baton.trace"))
    walk.payload = message.payload
    walk.publication = publication
    if !isNotice { beginSpan(of: &walk) }
    walks.append(walk)
    let number = walks.count - 1
    if isNotice { return notify(number, asked, from: connection) }
    seen.insert(publication != nil ? .via : message.mode == .all ? .all : .first)
    if walk.wantsResult { peers[connection].owed += 1 }
    peers[connection].openMessages += 1
    checkOpen(of: connection)
    takeTurn(number)
  }

  /// What payload and meta may take together, at every step of a walk (section 2).
  func checkCargo(_ payload: String?, beside meta: String?) throws(Refusal) {
    let count = (payload?.utf8.count ?? 0) + (meta?.utf8.count ?? 0)
    if count > settings.cargoLimit { throw Refusal("bad_member") }
  }

  /// Section 4, "Messages that set off messages".
  func refuseLoop(_ within: Int?) throws(Refusal) {
    if within ?? 0 > settings.maxWithin, keeps(.loopsAreRefused) { throw Refusal("loop") }
  }

  // MARK: Keys

  /// Messages of the same chain and key walk one at a time, in the order in which they came in.
  private mutating func takeTurn(_ walk: Int) {
    guard let line = walks[walk].line, keeps(.keyInOrder) else { return begin(walk) }
    lines[line, default: []].append(walk)
    if lines[line]?.first == walk { return begin(walk) }
    seen.insert(.keyWaited)
    walks[walk].keyWait = 0
    startRecording(walk)
    alarms.set(.walk(walk), at: walks[walk].deadline)
  }

  /// A message has ended: the next of its key takes its turn.
  private mutating func giveTurn(after walk: Int) {
    guard let line = walks[walk].line, let index = lines[line]?.firstIndex(of: walk) else { return }
    lines[line]?.remove(at: index)
    guard index == 0 else { return }
    guard let next = lines[line]?.first else { return lines[line] = nil }
    // If its deadline has passed while it waited, no link is asked.
    if lastMoment(of: next) <= now, keeps(.deadlineWins) { end(next, Outcome(status: "timeout")) } else { begin(next) }
  }

  /// The message enters its chain as the chain is now.
  private mutating func begin(_ walk: Int) {
    if walks[walk].keyWait != nil { walks[walk].keyWait = now - walks[walk].sent }
    walks[walk].version = version(of: walks[walk].chain)
    enter(walks[walk].chain, walk)
    walkOn(walk)
  }

  // MARK: Results

  /// How a walk ends, and what its result tells of that.
  struct Outcome {
    let status: String
    /// In mode `all` the last link that handled it.
    var by: String?
    // JSON, as links spelled it.
    var payload: String?
    var message: String?
    var code: String?
    var cause: Cause?
    var delivered: Int?
  }

  /// Ends a walk: tells the result, and lets the next message of its key begin.
  mutating func end(_ walk: Int, _ outcome: Outcome) {
    if walks[walks.message(of: walk)].stage != nil { return endInStage(walk, outcome) }
    leave(walk)
    walks[walk].isOver = true
    if walks[walk].version == nil, walks[walk].keyWait != nil { walks[walk].keyWait = now - walks[walk].sent }
    let outcome = publishIfFree(walk, outcome)
    see(outcome)
    judgeShadows(of: walk, outcome)
    alarms.cancel(.walk(walk))
    tellResult(of: walk, outcome)
    tellEnd(of: walk, outcome)
    keep(walk, outcome)
    giveTurn(after: walk)
  }

  private mutating func see(_ outcome: Outcome) {
    switch outcome.status {
    case "unhandled": seen.insert(.unhandled)
    case "published": seen.insert(.published)
    case "timeout": seen.insert(.deadline)
    default: break
    }
  }

  /// The sender is told how it ended, and has room for another message.
  private mutating func tellResult(of walk: Int, _ outcome: Outcome) {
    let peer = walks[walk].sender
    if walks[walk].wantsResult {
      var told = outcome
      told.by = shown(outcome.by, of: walk)
      told.message = shown(outcome, of: walk)
      say(result(of: walk, told), to: peer)
    }
    peers[peer].openMessages -= 1
    noteRoom(of: owner(of: peer))
    goOnIfRoom(peer)
    guard walks[walk].wantsResult else { return }
    peers[peer].owed -= 1
    closeIfFinished(peer)
  }

  private mutating func result(of walk: Int, _ outcome: Outcome) -> Line {
    let results = walks[walk].results
    var payloads = results.count
    var line = result(of: walk, outcome, payloads: payloads)
    // If the line is too long, payloads are left out from the end. A trace may make it longer.
    while line.whole.utf8.count + 1 > settings.maxLine, payloads > 0 {
      seen.insert(.truncated)
      payloads -= 1
      line = result(of: walk, outcome, payloads: payloads)
    }
    if walks[walk].message.trace == true { addTrace(of: walk, to: &line) }
    return line
  }

  private mutating func result(of walk: Int, _ outcome: Outcome, payloads: Int) -> Line {
    var line = Line("result")
    line.add("id", json: walks[walk].id)
    line.add("status", outcome.status)
    line.add("by", outcome.by)
    let isUnhandled = ["unhandled", "published"].contains(outcome.status)
    line.add("payload", json: isUnhandled && walks[walk].isRewritten ? walks[walk].payload : outcome.payload)
    if let delivered = outcome.delivered { line.add("delivered", delivered) }
    line.add("cause", outcome.cause?.rawValue)
    line.add("message", json: outcome.message)
    line.add("code", json: outcome.code)
    if walks[walk].mode == .all { add(walks[walk].results, payloads: payloads, to: &line) }
    line.add("hops", walks[walk].hops)
    line.add("walk", number(of: walk))
    line.add("again", ifTrue: walks[walk].again && keeps(.againIsMarked))
    addFailures(of: walk, to: &line)
    if walks[walk].isSpanned, keeps(.resultsTellSpans) { line.add("traceparent", json: Line.anyText) }
    return line
  }

  private mutating func add(
    _ results: [(by: String, payload: String?, isHidden: Bool)], payloads: Int, to line: inout Line
  ) {
    if results.count > 1 { seen.insert(.severalResults) }
    let all = results.enumerated().map { place, result in
      let payload = place < payloads ? result.payload.map { ",\"payload\":\($0)" } ?? "" : ""
      let hidden = result.isHidden ? ",\"hidden\":true" : ""
      return "{\"by\":\"\(result.by)\"\(hidden)\(payload)}"
    }
    line.add("results", json: "[\(all.joined(separator: ","))]")
    line.add("truncated", ifTrue: payloads < results.count)
  }
}
