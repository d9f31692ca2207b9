import BatonCore

/// Offers as they are made and as they lapse.
extension Ledger {
  /// Why an offer cannot be accounted for.
  struct Refusal {
    let invariant: Invariant
    let detail: String
  }

  /// Accounts for all new offers that are right by now; a later line of the same call may explain the others. Offers
  /// for which a link must have been passed come last: the link's own offer may be among the new ones.
  func takeOffers() {
    while let connection = nextOffered(), let line = accounts[connection].newOffers.popFirst() {
      record(line, to: connection)
    }
  }

  /// The connection whose next offer is right and passes the fewest links.
  private func nextOffered() -> Int? {
    var best: (connection: Int, passed: Int)?
    eachSpokenTo { connection in
      guard best?.passed != 0, let line = accounts[connection].newOffers.first,
        refusal(of: line, to: connection) == nil, let passed = passed(by: line),
        passed == 0 || isNearest(line, passed)
      else { return }
      if best.map({ passed < $0.passed }) ?? true { best = (connection, passed) }
    }
    return best?.connection
  }

  /// Whether no other new offer of the same message is for a link before this one: that must have been made first.
  private func isNearest(_ line: ServerLine, _ passed: Int) -> Bool {
    var isNearest = true
    eachSpokenTo { connection in
      for other in accounts[connection].newOffers.waiting where other.integer(.walk) == line.integer(.walk) {
        if let before = self.passed(by: other), before < passed { isNearest = false }
      }
    }
    return isNearest
  }

  /// How many links lie between the place where the offer's message is for sure and the link of the offer.
  private func passed(by line: ServerLine) -> Int? {
    guard let walk = walk(of: line), let chain = chain(of: line), let name = line.string(.handler),
      let link = link(named: name, in: chain), let place = walks[walk].links.firstIndex(of: link)
    else { return nil }
    return place - walks[walk].place
  }

  /// What speaks against the offer, or nil.
  func refusal(of line: ServerLine, to connection: Int) -> Refusal? {
    guard line.integer(.id) == accounts[connection].offers.count + 1 else {
      return Refusal(invariant: .inOrder, detail: "ids count 1, 2, 3")
    }
    guard let walk = walk(of: line) else {
      return Refusal(invariant: .bytesKept, detail: "nobody sent this")
    }
    if walks[walk].isOver || walks[walk].end != nil {
      return Refusal(invariant: .endsOnce, detail: "its message has ended")
    }
    if walks[walk].offer != nil { return Refusal(invariant: .settledOnce, detail: "another offer of it is open") }
    guard let chain = chain(of: line), let name = line.string(.handler), let link = link(named: name, in: chain),
      links[link].owner == connection
    else { return Refusal(invariant: .rightLink, detail: "no such link of this connection") }
    guard let place = walks[walk].links.firstIndex(of: link) else {
      return Refusal(invariant: .rightLink, detail: "the link came after the message")
    }
    guard accepts(link, walk) else {
      return Refusal(invariant: .rightLink, detail: "the link does not accept the topic")
    }
    if place < walks[walk].place { return Refusal(invariant: .inOrder, detail: "the link had its turn") }
    for skipped in walks[walk].place..<place where !mayHavePassed(skipped, walk) {
      let other = links[walks[walk].links[skipped]].name
      return Refusal(invariant: .inOrder, detail: "\(other) was left out")
    }
    let arrivedTo = place == walks[walk].place && !walks[walk].isUnsure ? walks[walk].arrivedTo : tick
    if arrivedTo < links[link].latestArrival {
      return Refusal(invariant: .inOrder, detail: "a later message was offered before")
    }
    if openOffers(of: link, with: connection, since: links[link].ownedTick) >= links[link].window {
      return Refusal(invariant: .inOrder, detail: "the window of \(links[link].window) is full")
    }
    return nil
  }

  /// How many offers of the link the connection holds.
  func openOffers(of link: Int, with connection: Int, since tick: Int = 0) -> Int {
    accounts[connection].row.count { id in
      let offer = accounts[connection].offers[id - 1]
      return offer.link == link && offer.state == .open && offer.madeTick >= tick
    }
  }

  /// The walk that the line names; at its first offer a walk is known by the mark that its message carries.
  func walk(of line: ServerLine) -> Int? {
    guard let number = line.integer(.walk) else { return nil }
    if let walk = walkByNumber[number] { return walk }
    let range = line[.payload] ?? line[.meta] ?? line[.topic]
    guard let range, let mark = line.bytes.mark(in: range), messages.indices.contains(mark),
      let walk = messages[mark].walk, walks[walk].number == nil
    else { return nil }
    return walk
  }

  private func record(_ line: ServerLine, to connection: Int) {
    guard let walk = walk(of: line), let name = line.string(.handler), let chain = chain(of: line),
      let link = link(named: name, in: chain), let place = walks[walk].links.firstIndex(of: link)
    else { return }
    learn(number: line.integer(.walk), of: walk)
    let isAsKnown = place == walks[walk].place && !walks[walk].isUnsure
    if tick > walks[walk].arrivedTo { coverage.insert(.waited) }
    walks[walk].place = place
    walks[walk].hops += 1
    if walks[walk].hops == 1 { walks[walk].firstLink = link }
    walks[walk].isUnsure = false
    links[link].latestArrival = max(links[link].latestArrival, walks[walk].arrivedFrom)
    checkBytes(of: line, walk)
    let timeout = line.integer(.timeoutMilliseconds) ?? 0
    checkTimeout(timeout, link: link, walk: walk, isAsKnown: isAsKnown, line)
    accounts[connection].offers.append(
      Offer(
        walk: walk, link: link, name: name, madeTick: tick, timeoutMilliseconds: timeout, made: now,
        due: now.advanced(milliseconds: timeout)))
    accounts[connection].row.append(accounts[connection].offers.count)
    walks[walk].offer = (connection, accounts[connection].offers.count)
  }

  func learn(number: Int?, of walk: Int) {
    guard let number else { return }
    if let known = walks[walk].number, known != number {
      fail(.endsOnce, "message m\(walks[walk].message) is walk \(known) and then \(number)")
    }
    if let other = walkByNumber[number], other != walk {
      fail(.endsOnce, "m\(walks[walk].message) and m\(walks[other].message) are both walk \(number)")
    }
    walks[walk].number = number
    walkByNumber[number] = walk
  }

  private func checkBytes(of line: ServerLine, _ walk: Int) {
    let message = messages[walks[walk].message]
    checkSame(line, .payload, walks[walk].payload)
    checkSame(line, .meta, message.meta)
    if line.text(.topic).map({ !$0.elementsEqual(message.topic.bytes) }) ?? true {
      fail(.bytesKept, "the topic was \(String(decoding: message.topic.bytes, as: UTF8.self)): \(line.description)")
    }
    checkFrom(.from, line, is: message.sender)
    if message.isVia != (line.string(.isFor) == "broadcast") {
      fail(.bytesKept, "is \(message.isVia ? "" : "not ")for a broadcast: \(line.description)")
    }
  }

  func checkSame(_ line: ServerLine, _ member: ServerLine.Member, _ expected: [UInt8]?) {
    if !isSame(line.raw(member), expected) {
      let text = expected.map { String(decoding: $0, as: UTF8.self) } ?? "none"
      fail(.bytesKept, "\(member) must be \(text): \(line.description)")
    }
  }

  /// An offer's time is the link's own or the message's fair share, and never goes past the deadline.
  private func checkTimeout(_ told: Int, link: Int, walk: Int, isAsKnown: Bool, _ line: ServerLine) {
    var end = walks[walk].deadline
    // What was due when the server was told to go came before that.
    if let drainEnd, !isDrainCall { end = min(end, drainEnd) }
    let remaining = end.milliseconds(since: now)
    guard told >= 1, told <= max(1, remaining + 1) else {
      return fail(.onTime, "\(remaining) ms are left for the message: \(line.description)")
    }
    guard isAsKnown, links[link].replacedTick <= walks[walk].arrivedFrom else { return }
    let share = links[link].timeoutMilliseconds ?? walks[walk].shareEnd.milliseconds(since: now)
    let expected = max(1, min(share, remaining))
    if abs(told - expected) > 2 { fail(.onTime, "about \(expected) ms were due: \(line.description)") }
  }

  private var isDrainCall: Bool {
    if case .drain = call { return true }
    return false
  }

  // MARK: Lapsing

  /// Offers that the server says have run out: they must be open, and their time must be over.
  func takeLapses() {
    eachSpokenTo { connection in
      for line in accounts[connection].others where line.op == .lapsed {
        let isKnown = line.integer(.id).map { $0 <= accounts[connection].offers.count } ?? true
        // At the end of a drain what was offered in the same call may lapse at once; everywhere else it may not.
        if isKnown || !isDrainOver { takeLapse(line, of: connection) }
      }
    }
  }

  /// The lapses that `takeLapses` left for after the offers.
  func takeLateLapses() {
    guard isDrainOver else { return }
    eachSpokenTo { connection in
      for line in accounts[connection].others where line.op == .lapsed {
        let id = line.integer(.id) ?? 0
        guard accounts[connection].offers.indices.contains(id - 1) else { continue }
        if accounts[connection].offers[id - 1].madeTick == tick { takeLapse(line, of: connection) }
      }
    }
  }

  var isDrainOver: Bool { drainEnd.map { now >= $0 } ?? false }

  private func takeLapse(_ line: ServerLine, of connection: Int) {
    guard let id = line.integer(.id), accounts[connection].offers.indices.contains(id - 1) else {
      return fail(.settledOnce, "#\(connection) never had this offer: \(line.description)")
    }
    let offer = accounts[connection].offers[id - 1]
    guard offer.state == .open else {
      return fail(.settledOnce, "#\(connection) is told of offer \(id), which is \(offer.state): \(line.description)")
    }
    if now < offer.due.advanced(milliseconds: -1), !isDrainOver {
      fail(.onTime, "offer \(id) of #\(connection) lapses before \(offer.due.microseconds) µs")
    }
    accounts[connection].offers[id - 1].state = .lapsed
    note("timeout", of: offer)
    coverage.insert(.lapsed)
    if now < walks[offer.walk].deadline, !isDrainOver { coverage.insert(.offerTimeout) }
    advance(offer.walk)
  }
}
