/// `findings`: tells what is wrong (contract, section 8).
extension Router {
  mutating func tellFindings(to connection: Slot<Connection>, at now: Instant) {
    guard request.wantsReply else { return }
    let survey = survey(for: connection)
    guard findsNothingMore(with: survey, for: connection, at: now) else {
      readAgain()
      return
    }
    survey.findings.areHidden = false
    endSurvey(of: connection)
    if seesServer(connection) {
      findPaused(survey, at: now)
      findLimits(survey)
      findAtTheDoor(survey)
      findAmongNodes(survey, at: now)
      findInRecord(survey)
    }
    findInStore(survey, for: connection, at: now)
    writeFindings(survey.findings, to: connection, at: now)
  }

  /// Days before the end of the server's certificate from which on that is told.
  public static let fewDays = 14

  /// Looks who may come in, and how.
  private mutating func findAtTheDoor(_ survey: Survey) {
    if settings.process.listensToOthers(), !identities.isAsked {
      survey.findings.add(
        .open,
        Finding(
          why: "the server listens to other machines, and anybody there may connect and do everything",
          next: "say in the configuration file who may do what (peers; baton config init shows how), or let it "
            + "listen on 127.0.0.1 or on a Unix socket only"))
    }
    if let seconds = settings.process.certificateSeconds(), seconds < Router.fewDays * 86_400 {
      let days = seconds / 86_400
      survey.findings.add(
        .certificate,
        Finding(
          why: seconds < 0
            ? "the server's certificate is not good any more"
            : "the server's certificate is good for \(days) more days",
          next: "put a new one in its place, and let the server read it: baton reload, or SIGHUP"))
    }
    if settings.process.takesPlainTokens(), identities.isAsked {
      survey.findings.add(
        .plainTokens,
        Finding(
          why: "tokens come over plain TCP from other machines, where anybody on the way can read them",
          next: "listen at tls:HOST:PORT there, unless something in front of the server ends TLS"))
    }
  }

  /// How long a connection may be paused before it is told.
  private static let longPause = 1000
  /// For how long missed events are told, in seconds.
  private static let missedSeconds = 60

  /// Looks at one more piece of all links, chains and connections. Returns true if nothing is left.
  private mutating func findsNothingMore(
    with survey: Survey, for connection: Slot<Connection>, at now: Instant
  ) -> Bool {
    for _ in 0..<settings.pieces.size {
      spent &+= Cost.look
      if survey.nextLink < links.extent {
        let link = Slot<Link>(survey.nextLink)
        survey.nextLink += 1
        if links.isTaken(link), links[link].fate == nil, links[link].mounted == .nobody {
          survey.findings.areHidden = !maySee(links[link].chain, connection)
          findAt(link, survey, at: now)
        }
      } else if survey.nextChain < chains.extent {
        let chain = Slot<Chain>(survey.nextChain)
        survey.nextChain += 1
        if chains.isTaken(chain), chains[chain].firstKeyed != .nobody {
          survey.findings.areHidden = !maySee(chain, connection)
          findKeyed(in: chain, survey, at: now)
        }
      } else if seesServer(connection), survey.nextConnection < connections.extent {
        let peer = Slot<Connection>(survey.nextConnection)
        survey.nextConnection += 1
        survey.findings.areHidden = false
        if isPeer(peer) { findAt(peer, survey, at: now) }
      } else {
        return true
      }
    }
    return false
  }

  // MARK: Links

  private mutating func findAt(_ link: Slot<Link>, _ survey: Survey, at now: Instant) {
    if let opened = openedBreaker(at: link) {
      survey.findings.add(
        .breaker, weight: now.milliseconds(since: opened),
        Finding(
          about: about(link), since: opened,
          why: "\(settings.breakerOffers) offers in a row got no verdict in time, so the link gets no more for now",
          next: "look at the handler's log; baton chains shows the last failure"))
    }
    if links[link].isAbsent {
      survey.findings.add(
        .ofUnserved(links[link].settings), weight: Router.weightOfAbsence(links[link].settings),
        Finding(
          about: about(link), since: links[link].holdEnd,
          why: Router.whyAbsent(links[link].settings, holdsTries: links[link].isDeclared && desk.sight != nil),
          next: "start the handler \(links[link].name.string), or see in its log why it went"))
    }
    if let last = lastFailures(at: link) {
      survey.findings.add(
        .failing, weight: last.failures * 1000 / last.messages,
        Finding(
          about: about(link),
          why: links[link].settings.isShadow
            ? "the shadow gave no verdict on \(last.failures) of the last \(last.messages) copies; messages go on without it"
            : "\(last.failures) of the last \(last.messages) messages failed there",
          next: "look at the handler's log; baton chains shows the last failure, and baton walks the messages that did "
            + "not end well"))
    }
    if let slow = slowness(of: link, at: now) {
      survey.findings.add(
        .slow, weight: slow.high / max(1, slow.limit),
        Finding(
          about: about(link),
          why: "one in a hundred of its answers of the last minute took \(slow.high / 1000) ms or longer, of "
            + "\(slow.limit) ms (timeout_ms): what takes longer than that fails",
          next: "look at what the handler does, start more handlers with share, or give the link more time (timeout_ms)"
        ))
    }
    guard hasLongWait(at: link, now), let first = firstWaitBegan(at: link) else { return }
    survey.findings.add(
      .waiting, weight: now.milliseconds(since: first),
      Finding(
        about: about(link), since: links[link].waitedSince,
        why:
          "messages have waited there without a pause for more than ten seconds: \(links[link].waiting) now, the first "
          + "for \(now.milliseconds(since: first)) ms\(whoWaitsMost(at: link))",
        next: "start more handlers with share, give them a larger window, or make them faster"))
  }

  /// Those at a link that are looked at to find whose messages wait there most.
  private static let mostTurnsToLookAt = 100

  private mutating func whoWaitsMost(at link: Slot<Link>) -> String {
    var (turn, left) = (links[link].firstTurn, Router.mostTurnsToLookAt)
    var most = turn
    while turn != .nobody, left > 0 {
      left -= 1
      spent &+= Cost.look
      if waitingTurns[turn].waiting > waitingTurns[most].waiting { most = turn }
      turn = waitingTurns[turn].next
    }
    guard most != .nobody, waitingTurns[most].account != .nobody else { return "" }
    let owner = ownerText(of: waitingTurns[most].account, waitingTurns[waitingTurns[most].first].sender)
    return "; most of them, \(waitingTurns[most].waiting), by \(owner)"
  }

  private static func whyAbsent(_ settings: LinkSettings, holdsTries: Bool) -> String {
    if settings.isShadow {
      return "no handler serves this shadow: messages go on, and nobody gets copies"
    }
    let what =
      switch (settings.isRequired, settings.onFailure[.disconnect]) {
      case (true, true): "no handler serves it, and it is required: every message that comes there fails"
      case (true, false):
        "no handler serves it, and it is required: messages go on behind it, and tell the failure"
      case (false, _): "no handler serves it, and the configuration file does not require it: messages pass"
      }
    return what + (holdsTries ? "; tries of durable messages that come there do not count meanwhile" : "")
  }

  /// A place at which messages end is worse than one that tells a failure; that is worse than one that they pass.
  private static func weightOfAbsence(_ settings: LinkSettings) -> Int {
    if settings.isShadow { return 0 }
    if !settings.isRequired { return 1 }
    return settings.onFailure[.disconnect] ? 3 : 2
  }

  private mutating func findKeyed(in chain: Slot<Chain>, _ survey: Survey, at now: Instant) {
    let reached = walks[chains[chain].firstKeyed].reached
    guard now.milliseconds(since: reached) > Router.longWait else { return }
    let keyed = chains[chain].keyed
    let wait = keyed == 1 ? "one message waits for its key" : "\(keyed) messages wait for their keys"
    survey.findings.add(
      .waiting, weight: now.milliseconds(since: reached),
      Finding(
        about: ",\"chain\":\"\(chains[chain].name.string)\"", since: reached,
        why: "\(wait), and the first has waited for more than ten seconds\(whoHolds(chains[chain].firstKeyed))",
        next: "baton stuck tells what is under way with that key; use more keys, or faster handlers"))
  }

  /// Which key a walk waits for, and whose message is under way with it, as far as the router knows: a part of a text in
  /// JSON.
  private mutating func whoHolds(_ walk: Slot<Walk>) -> String {
    let queue = walks[walk].keyQueue
    let holder = queue == .nobody || queue == KeyQueue.keepers ? .nobody : keyQueues[queue].current
    let key = Router.quotedAgain(walks[walk].message.key)
    guard holder != .nobody else { return ": for \(key)" }
    return ": for \(key), which a message of \(Router.quotedAgain(walks[holder].message.from)) has"
  }

  /// A JSON string as a part of another one.
  private static func quotedAgain(_ text: UnsafeRawBufferPointer) -> String {
    String(OwnedBytes(quoting: text).string.dropFirst().dropLast())
  }

  private mutating func about(_ link: Slot<Link>) -> String { "," + placeText(of: link) }

  // MARK: Connections

  private mutating func findAt(_ peer: Slot<Connection>, _ survey: Survey, at now: Instant) {
    let account = connections[peer].account
    if isCrowded, account != .nobody, accounts[account].unsent.bytes > survey.mostUnsent {
      survey.mostUnsent = accounts[account].unsent.bytes
      survey.leavesMostUnsent = ownerText(of: account, peer)
    }
    if connections[peer].listening.missedAt > 0 { findMissed(by: peer, survey, at: now) }
  }

  /// Whose an account is, one of whose connections is this; `nobody` if that has gone.
  private mutating func ownerText(of account: Slot<PeerAccount>, _ peer: Slot<Connection>) -> String {
    let identity = accounts[account].identity
    if identity != .nobody, !identities[identity].isAnonymous {
      return "the connections of \(identities[identity].name)"
    }
    return peer == .nobody
      ? "connections of one address that have gone"
      : "the connections from the address of connection \(connections[peer].number)"
  }

  private mutating func findMissed(by peer: Slot<Connection>, _ survey: Survey, at now: Instant) {
    guard secondsOfUptime(at: now) - Int(connections[peer].listening.missedAt) <= Router.missedSeconds else { return }
    let (why, next): (String, String) =
      switch connections[peer].listening.missedFor {
      case .reader:
        (
          "it reads more slowly than events come, and missed some in the last minute",
          "let it subscribe to fewer topics or read faster, or raise events_unsent_bytes"
        )
      case .identity:
        (
          "the connections of its identity leave as much unread as they may (share_of_free), and it missed events in the "
            + "last minute",
          "let those read faster, or close them: baton connections shows them"
        )
      case .all:
        (
          "too much is unsent to all connections (max_total_unsent_bytes), and it missed events in the last minute",
          "let those that leave much unread read faster, or close them: baton connections shows them"
        )
      case .turn:
        (
          "it cost the server too much at once, and missed events of $baton in the last minute",
          "let it subscribe to fewer topics of $baton, or send less at once"
        )
      }
    survey.findings.add(.missed, Finding(about: about(peer), why: why, next: next))
  }

  private mutating func findPaused(_ survey: Survey, at now: Instant) {
    var (peer, left) = (firstPaused, Findings.mostOfAKind + 1)
    while peer != .nobody, left > 0 {
      left -= 1
      guard let since = connections[peer].stoppedAt, now.milliseconds(since: since) > Router.longPause else { return }
      let (why, next): (String, String) =
        switch connections[peer].pauses.first {
        case .unsent:
          (
            "it does not read: \(connections[peer].outbox.count) bytes wait for it",
            "let it read what it is sent, or close it"
          )
        case .total:
          (
            connections[peer].pauses.contains(.total)
              ? "the messages of all peers take too much memory" : whyAtShare(peer),
            "see which handlers are slow, or raise max_total_bytes"
          )
        default:
          (
            "it has \(connections[peer].openMessages) messages under way",
            "see which handlers are slow, or raise max_open_messages"
          )
        }
      survey.findings.add(.paused, Finding(about: about(peer), since: since, why: why, next: next))
      peer = connections[peer].nextPaused
    }
  }

  private mutating func whyAtShare(_ peer: Slot<Connection>) -> String {
    let free = "\(max(0, settings.maxTotalBytes - openBytes)) bytes more are free for all (share_of_free)"
    return connections[peer].pauses.share == .share
      ? "its messages take \(connections[peer].openBytes) bytes, and \(free)"
      : "connections of its identity or address have left too much under way, and \(free)"
  }

  private mutating func about(_ peer: Slot<Connection>) -> String { "," + whoIs(peer) }

  // MARK: Limits

  private mutating func findLimits(_ survey: Survey) {
    // Those that have been ended take no place.
    let count = connections.count - endedConnections
    findLimit("max_connections", count, of: settings.maxConnections, survey)
    findLimit("max_http_connections", requests, of: placesForRequests, survey)
    findLimit("max_links", countedLinks, of: settings.maxLinks, survey)
    findLimit("max_total_bytes", openBytes, of: settings.maxTotalBytes, survey)
    findLimit(
      "max_total_unsent_bytes", unsentBytes, of: settings.maxTotalUnsentBytes,
      by: ", \(survey.mostUnsent) of them by \(survey.leavesMostUnsent)", survey)
    findLimit("max_total_patterns", totalPatterns, of: settings.maxTotalPatterns, survey)
    findLimit("max_empty_places", emptyPlaces, of: settings.maxEmptyPlaces, survey)
    if settings.process.fileLimit > 0 {
      findLimit("files", count + ProcessFacts.ownFiles, of: settings.process.fileLimit, survey)
    }
  }

  private mutating func findLimit(
    _ name: String, _ used: Int, of limit: Int, by user: @autoclosure () -> String = "", _ survey: Survey
  ) {
    guard used > limit / 4 * 3 + limit % 4 * 3 / 4 else { return }
    survey.findings.add(
      .limit,
      Finding(
        about: ",\"limit\":\"\(name)\"", why: "\(used) of \(limit) are in use\(user())",
        next: name == "files"
          ? "raise the limit of open files (ulimit -n)" : "raise \(name), or find out who uses so many"))
  }

  // MARK: The reply

  private mutating func writeFindings(_ findings: Findings, to connection: Slot<Connection>, at now: Instant) {
    var text = ""
    for what in Finding.What.allCases {
      for finding in findings.of(what) {
        spent &+= Cost.entry
        let since = finding.since.map { ",\"since_ms\":\(now.milliseconds(since: $0))" } ?? ""
        text += text.isEmpty ? "{" : ",{"
        text += "\"level\":\"\(what.level)\",\"what\":\"\(what.rawValue)\"\(finding.about)\(since)"
        text += ",\"why\":\"\(finding.why)\",\"next\":\"\(finding.next)\"}"
      }
    }
    var page = beginPage("findings")
    var writer = page.begin(atMost: text.utf8.count + 96)
    writer.literal(",\"findings\":[")
    writer.raw(text)
    writer.literal(findings.hasMore ? "],\"more\":true" : "]")
    // How much is wrong elsewhere is told to those alone who may see the server.
    if findings.hidden > 0, seesServer(connection) { writer.count(",\"hidden\":", findings.hidden) }
    page.commit(writer)
    sendPage(page, to: connection, at: now)
  }
}
