/// What a walk met on its way: noted at each link, told with the result and in `$baton.trace` (contract, sections 4, 7
/// and 8).
extension Model {
  /// The walk came by a link that was not asked.
  mutating func note(_ link: Int, skipped reason: String, _ walk: Int) {
    guard keeps(.traceTellsSkipped) || reason == "topic" else { return }
    note(walk, links[link].chain, links[link].name, isMount: links[link].isMount, .skipped(reason))
  }

  /// The walk waited at a link, and goes on because the link was removed or no longer accepts it.
  mutating func note(_ link: Int, left reason: String, _ walk: Int) {
    note(walk, links[link].chain, links[link].name, isMount: false, .left(reason))
  }

  /// A link fails the message: its offer has ended with this cause or, if there is none, it was not offered.
  mutating func note(_ walk: Int, at link: Int, _ cause: Cause, of offer: Offer?, message: String? = nil) {
    if let offer { return note(walk, offer, cause.rawValue, message: message) }
    let waited = now - (walks[walk].stand?.since ?? now)
    note(
      walk, links[link].chain, links[link].name, isMount: false,
      .failed(
        cause, waited: waited, isDoubtful: walks[walk].stand != nil && walks[walk].isDoubtful))
  }

  /// The walk ends where it stands: its sender has cancelled it.
  mutating func noteCancelled(_ walk: Int, at link: Int, _ offer: Offer?) {
    if let offer { return note(walk, offer, "cancelled") }
    let waited = now - (walks[walk].stand?.since ?? now)
    note(
      walk, links[link].chain, links[link].name, isMount: false,
      .cancelled(waited: waited, isDoubtful: walks[walk].isDoubtful))
  }

  /// An offer has ended.
  mutating func note(_ walk: Int, _ offer: Offer, _ outcome: String, rewrote: Bool = false, message: String? = nil) {
    note(
      walk, offer.chain, keeps(.traceIsOfItsTime) ? offer.handler : links[offer.link].name, isMount: false,
      .offered(offer, outcome: outcome, service: now - offer.made, rewrote: rewrote, message: told(message)))
  }

  /// A handler's message as traces tell it.
  private func told(_ message: String?) -> String? {
    keeps(.traceTellsMessages) ? cut(message) : nil
  }

  private mutating func note(
    _ walk: Int, _ chain: String, _ name: String, isMount: Bool, _ what: TraceEntry.What
  ) {
    let isTogether = walks[walk].isInStage && keeps(.stageIsMarked)
    guard walks[walk].isTraced else {
      return record(
        TraceEntry(chain: chain, name: name, isMount: isMount, isTogether: isTogether, what: what), of: walk)
    }
    switch what {
    case .offered(_, outcome: "timeout", _, _, _) where lastMoment(of: walk) <= now: seen.insert(.traceToDeadline)
    case .offered(_, outcome: "disconnect", _, _, _): seen.insert(.traceLost)
    case .offered(let offer, _, _, _, _) where offer.isRepeat: seen.insert(.traceRepeat)
    case .offered: seen.insert(.traceOffer)
    case .failed(_, let waited, _): seen.insert(waited > 0 ? .traceWaitedInVain : .traceFailed)
    case .cancelled: seen.insert(.traceCancelled)
    case .skipped("topic"): seen.insert(.traceTopic)
    case .skipped("percent"): seen.insert(.tracePart)
    case .skipped("when"): seen.insert(.traceCondition)
    case .left: seen.insert(.traceRemoved)
    case .skipped("visited"): seen.insert(.traceVisited)
    case .skipped: seen.insert(.traceShadow)
    }
    if case .offered(_, _, _, _, message: .some) = what { seen.insert(.traceMessage) }
    let veil = veilEntry(of: walk)
    if veil != nil { seen.insert(.traceHidden) }
    walks[walk].trace.append(
      TraceEntry(
        chain: chain, name: name, isMount: isMount, isTogether: isTogether, what: what,
        sent: walks[walk].isSpanned && keeps(.stepsTellSpans) ? walks[walk].sent : nil, veil: veil))
  }

  /// `,"version":…,"key_wait_us":…,"trace":[…]`
  mutating func addTrace(of walk: Int, to line: inout Line) {
    addBeginning(of: walk, to: &line)
    line.add("trace", json: shown(walks[walk].trace))
  }

  private mutating func addBeginning(of walk: Int, to line: inout Line) {
    let version = keeps(.versionAtEntry) ? walks[walk].version : chains[walks[walk].chain]?.version
    if let version { line.add("version", version) }
    if let waited = walks[walk].keyWait, keeps(.keyWaitIsTold) {
      seen.insert(.traceKeyWait)
      line.add("key_wait_us", waited * 1000)
    }
  }

  func addEntries(_ entries: [TraceEntry], to line: inout Line) {
    line.add("trace", json: "[\(entries.map(\.json).joined(separator: ","))]")
  }

  /// The members that `$baton.trace` and `walks` begin with.
  func beginStory(of walk: Int, _ outcome: Outcome) -> Line {
    var line = beginStory(of: walk, outcome.status)
    line.add("by", outcome.by)
    return line
  }

  /// Those of them that tell nothing of links.
  func beginStory(of walk: Int, _ status: String) -> Line {
    let message = walks[walk].message
    var line = Line()
    line.add("walk", number(of: walk))
    line.add("chain", walks[walk].chain)
    line.add("topic", message.topic)
    line.add("from", walks[walk].from)
    line.add("key", message.key)
    if keeps(.storiesTellWithin) { line.add(within: message.within) }
    line.add("status", status)
    return line
  }

  /// What `$baton.trace` says of a walk that has ended. The links that do not accept the topic are left out, unless the
  /// sender itself asked for a trace.
  mutating func tellTrace(of walk: Int, _ outcome: Outcome) {
    seen.insert(.watched)
    let message = walks[walk].message
    var line = beginStory(of: walk, outcome)
    line.add("hops", walks[walk].hops)
    line.add("again", ifTrue: walks[walk].again)
    line.add("total_us", (now - walks[walk].sent) * 1000)
    if walks[walk].isSpanned {
      line.add("traceparent", json: Line.anyText)
      if keeps(.parentIsTold) { line.add("parent", walks[walk].parentSpan) }
      line.add("began_us", json: Line.anyNumber)
    }
    addBeginning(of: walk, to: &line)
    let isWhole = message.trace == true || !keeps(.watchedLeavesTopicsOut)
    addEntries(walks[walk].trace.filter { isWhole || !$0.isUnwanted }, to: &line)
    let facts = TraceFacts(
      chain: walks[walk].chain, topic: message.topic, status: outcome.status, milliseconds: now - walks[walk].sent,
      from: walks[walk].from)
    tell("trace", line, to: seers(ofLinksOf: walk), facts)
  }
}
