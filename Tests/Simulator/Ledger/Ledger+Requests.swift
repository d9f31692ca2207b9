import BatonCore

/// What lines do, one at a time, and whether they get the answer that they must get.
extension Ledger {
  /// Carries out in the books what the line does, and takes the answer that belongs to it.
  func apply(_ line: SentLine, from connection: Int) {
    switch line.intent {
    case .silence: return
    case .fatal:
      takeClosing(of: connection)
      if !accounts[connection].isCondemned { fail(.oneReply, "#\(connection) lives on after \(line.text)") }
    case .wrong:
      coverage.insert(.refusedLine)
      takeError(for: line, of: connection)
    case .verdict(let verdict): apply(verdict, line, from: connection)
    case .send(let message): applySend(message, line, from: connection)
    case .broadcast(let message): applyBroadcast(message, line, from: connection)
    default: applyRequest(line, from: connection)
    }
  }

  private func applyRequest(_ line: SentLine, from connection: Int) {
    switch line.intent {
    case .insert(let wish): applyInsert(wish, line, from: connection)
    case .replace(let name, let wish): applyReplace(name, wish, line, from: connection)
    case .remove(let chain, let name): applyRemove(chain: chain, name: name, line, from: connection)
    case .subscribe(let patterns): applySubscribe(patterns, line, from: connection)
    case .unsubscribe(let patterns):
      guard takeAnswer(.ok, for: line, of: connection) != nil || !line.wantsReply else { return }
      resubscribed.append(connection)
      accounts[connection].patterns.removeAll { patterns?.contains($0) ?? true }
    case .hello(let name, let heartbeatMilliseconds):
      guard let answer = takeAnswer(.welcome, for: line, of: connection) else { return }
      if let name { accounts[connection].names.append(name) }
      if let heartbeatMilliseconds { accounts[connection].heartbeatMilliseconds = heartbeatMilliseconds }
      if let number = answer.integer(.connection) { learn(number, of: connection) }
    case .ask(let op):
      guard let answer = takeAnswer(op, for: line, of: connection) else { return }
      if op == .chains {
        checkChains(answer)
        checkCounts(answer)
      }
    case .explain(let topic, let chain): applyExplain(topic, chain: chain, line, from: connection)
    default: preconditionFailure("handled by apply")
    }
  }

  private func applySubscribe(_ patterns: [Pattern], _ line: SentLine, from connection: Int) {
    // An error without an id may be about a later line: this one must have asked for too much.
    let fresh = patterns.count { !accounts[connection].patterns.contains($0) }
    let mayBeRefused = line.id != nil || patternCount(of: connection) + fresh > settings.maxPatterns
    if mayBeRefused, isRefusedPatterns(patterns.count, line, of: connection) { return }
    guard takeAnswer(.ok, for: line, of: connection) != nil || !line.wantsReply else { return }
    resubscribed.append(connection)
    if patterns.contains(where: \.isOwn) { isOverheard = true }
    for pattern in patterns where !accounts[connection].patterns.contains(pattern) {
      accounts[connection].patterns.append(pattern)
    }
  }

  /// The patterns of its subscriptions and of its links.
  private func patternCount(of connection: Int) -> Int {
    let own = chains.joined().filter { links[$0].owner == connection }
    return own.reduce(accounts[connection].patterns.count) { $0 + links[$1].accepts.count }
  }

  /// A connection was refused more patterns: it must have too many, those of its links among them.
  func checkLimit(_ more: Int, of connection: Int) {
    let count = patternCount(of: connection) + more
    if count <= settings.maxPatterns { fail(.oneReply, "#\(connection) is refused \(count) patterns") }
    coverage.insert(.limitReached)
  }

  /// Whether the next answer refuses so many patterns more; if so it is taken.
  func isRefusedPatterns(_ more: Int, _ line: SentLine, of connection: Int) -> Bool {
    guard let next = accounts[connection].direct.first, next.op == .error, next.string(.code) == "limit_reached",
      isSame(next.raw(.id), line.id)
    else { return false }
    takeError(for: line, of: connection)
    checkLimit(more, of: connection)
    return true
  }

  func isSame(_ told: ArraySlice<UInt8>?, _ expected: [UInt8]?) -> Bool {
    switch (told, expected) {
    case (nil, nil): true
    case (let told?, let expected?): told.elementsEqual(expected)
    default: false
    }
  }

  // MARK: Answers

  /// Takes the answer of a request that must succeed; nil when it is not wanted, or has been found wrong, or the
  /// connection was closed instead.
  func takeAnswer(_ op: ServerLine.Op, for line: SentLine, of connection: Int) -> ServerLine? {
    guard line.wantsReply else {
      coverage.insert(.noReply)
      return nil
    }
    guard let answer = nextDirect(of: connection, for: line) else { return nil }
    if answer.op != op {
      fail(.oneReply, "#\(connection) \(line.text) is answered \(answer.description) and not \(op)")
      return nil
    }
    checkID(of: answer, for: line, of: connection)
    return answer
  }

  /// Takes the error that the line must be answered with.
  @discardableResult
  func takeError(_ codes: String..., for line: SentLine, of connection: Int) -> ServerLine? {
    guard let answer = nextDirect(of: connection, for: line) else { return nil }
    guard answer.op == .error, let code = answer.string(.code), codes.isEmpty || codes.contains(code) else {
      fail(.oneReply, "#\(connection) \(line.text) is answered \(answer.description) and not \(codes)")
      return nil
    }
    if case .wrong = line.intent {} else { checkID(of: answer, for: line, of: connection) }
    return answer
  }

  /// The next answer in the connection's stream. Where it is one that closes, the line is not heard any more.
  private func nextDirect(of connection: Int, for line: SentLine) -> ServerLine? {
    guard let next = accounts[connection].direct.first else {
      fail(.oneReply, "#\(connection) \(line.text) gets no answer")
      return nil
    }
    if next.op == .error, isClosing(next), next.string(.code) != "draining" {
      accounts[connection].isCondemned = true
      return nil
    }
    return accounts[connection].direct.popFirst()
  }

  /// Takes the error line that ends the connection, if it is next; the wish must follow it.
  private func takeClosing(of connection: Int) {
    guard let next = accounts[connection].direct.first, next.op == .error, isClosing(next) else { return }
    accounts[connection].isCondemned = true
  }

  private func checkID(of answer: ServerLine, for line: SentLine, of connection: Int) {
    if !isSame(answer.raw(.id), line.id) {
      fail(.oneReply, "#\(connection) \(line.text) is answered with another id: \(answer.description)")
    }
  }

  // MARK: Names

  /// The number by which the server knows the connection: one for each.
  func learn(_ number: Int, of connection: Int) {
    if let known = accounts[connection].number, known != number {
      fail(.oneReply, "#\(connection) is connection \(known) and then \(number)")
    }
    for other in accounts.indices where other != connection && accounts[other].number == number {
      fail(.oneReply, "#\(connection) and #\(other) are both connection \(number)")
    }
    accounts[connection].number = number
  }

  /// Whether the line's `from` or `by` names the connection.
  func checkFrom(_ member: ServerLine.Member, _ line: ServerLine, is connection: Int) {
    guard let from = line.string(member) else { return fail(.bytesKept, "no \(member) in \(line.description)") }
    if from.hasPrefix("#"), let number = Int(from.dropFirst()) { return learn(number, of: connection) }
    if accounts[connection].names.contains(from) { return }
    fail(.bytesKept, "\(member) is not #\(connection), \(accounts[connection].names): \(line.description)")
  }

  // MARK: Why the server ends a connection

  func checkReason(_ reason: CloseReason?, of connection: Int) {
    let account = accounts[connection]
    let isPlausible =
      switch reason {
      case nil: false
      case .finished?: account.isEnded
      case .lineTimeout?:
        // For bytes: `checkUnfinished` judges once all is heard.
        isLineDue(connection) || settings.maxUnfinishedBytes < 1 << 20
      case .tooManyErrors?: account.errors > settings.maxErrors
      case .idle?:
        account.heartbeatMilliseconds.map { now >= account.lastHeard.advanced(milliseconds: 3 * $0) } ?? false
      case .draining?: drainEnd != nil
      case .tooSlow?: account.unsent > settings.readingUnsentBytes || account.row.count >= settings.maxLapsedOffers
      case .tooManyConnections?, .lineTooLong?, .notJSONLines?: true
      }
    if !isPlausible { fail(.coherentDoor, "#\(connection) is to end for \(reason.map(\.rawValue) ?? "no reason")") }
    if let reason { coverage.insert(Coverage(reason)) }
  }
}
