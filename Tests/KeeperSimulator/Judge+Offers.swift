import WorldKit

/// What handlers are asked, and what they say.
extension Judge {
  func offers(_ line: SaidLine, peer: Int, isOpenElsewhere: (Int) -> Bool) {
    let place = Place(chain: line.text("chain") ?? "", name: line.text("handler") ?? "")
    guard let name = line.text("stored") else { return ordinaryOffer(line) }
    guard var one = messages[name] else { return check(false, "only what was sent is offered", line.spelled) }
    let walk = line.number("walk") ?? 0
    check(
      line.number("payload") == one.mark && line.text("topic") == one.sent.topic, "offers are as sent", line.spelled)
    // A copy waits for room, and may come when its try is over.
    if line.isTrue("shadow"), !one.isOpen || one.walk != walk { return reach("late copy") }
    check(one.endOnDisk == nil, "what has ended is not offered", line.spelled)
    check(one.isOnDisk && onDisk(name) != nil, "what is offered is on disk", line.spelled)
    check(one.isOpen && one.isMarkOnDisk, "the mark of a try is on disk", line.spelled)
    check(line.number("try").map(UInt32.init) == one.tries + 1, "tries are counted", line.spelled)
    checkAgain(one, line)
    if one.walk == nil {
      one.walk = walk
      checkTurn(name, one, line, isOpenElsewhere)
    }
    check(one.walk == walk, "one try at a time", line.spelled)
    check(drainedAt.map { walk <= $0 } ?? true, "a server that drains begins no try", line.spelled)
    check(undeclaredAt[one.sent.chain].map { walk <= $0 } ?? true, "only down declared chains", line.spelled)
    if !line.isTrue("shadow") { one.asked.insert(place) }
    messages[name] = one
    checkGuards(one, before: place, line)
  }

  private func checkAgain(_ one: Message, _ line: SaidLine) {
    let isAgain = line.isTrue("again")
    check(isAgain || !one.mustSayAgain, "again is said", line.spelled)
    let mayBe = one.mayHaveBeenOffered || one.mustSayAgain || lossStep >= one.markStep
    check(!isAgain || mayBe, "again is not said too early", line.spelled)
    if isAgain { reach("again") }
  }

  /// No guard was passed that has not let it go on.
  private func checkGuards(_ one: Message, before place: Place, _ line: SaidLine) {
    let way = file.way(from: one.sent.chain, one.sent.topic)
    guard fileStep < one.markStep, way.contains(where: { $0.place == place }) else { return }
    for (other, link) in way.prefix(while: { $0.place != place }) {
      check(!file.guards(link) || one.left.contains(other), "no guard is passed", line.spelled)
    }
  }

  /// Nothing of its key is before a message whose try begins.
  private func checkTurn(
    _ name: String, _ one: Message, _ line: SaidLine, _ isOpenElsewhere: (Int) -> Bool
  ) {
    guard let key = one.sent.key else { return }
    for other in alive where other != name {
      guard let its = messages[other], its.sent.key == key, its.sent.chain == one.sent.chain else { continue }
      check(!its.isOpen || its.walk == nil, "one of a key at a time", "\(other) and \(line.spelled)")
      let isOrdered = !its.sent.isDelayed && !one.sent.isDelayed && !its.isResent && !one.isResent
      // Peers are read by turns: between two of them, what was taken in first came first.
      let isLater = isOrdered && isOfOne(its.order, one.order) ? its.order > one.order : its.row > one.row
      check(!isOrdered || isLater, "the order of a key", "\(other) and \(line.spelled)")
      reach("key")
    }
    for (mark, request) in ordinary {
      guard let its = sent[mark], its.key == key, its.chain == one.sent.chain else { continue }
      check(!isOpenElsewhere(mark), "one of a key at a time", "ordinary \(mark) and \(line.spelled)")
      let isOrdered =
        !one.sent.isDelayed && !one.isResent && isDeclared(its.chain, since: request)
        && isOfOne(request, one.order)
      check(!isOrdered || request > one.order, "the order of a key", "ordinary \(mark) and \(line.spelled)")
      reach("key of both")
    }
  }

  /// Whether both requests are of one connection: then they came in their order.
  private func isOfOne(_ request: Int, _ other: Int) -> Bool { requests[request].peer == requests[other].peer }

  private func isDeclared(_ chain: String, since request: Int) -> Bool {
    file.declares(chain) && fileRequest <= request
  }

  private func ordinaryOffer(_ line: SaidLine) {
    guard let mark = line.number("payload"), let its = sent[mark], let key = its.key, let request = ordinary[mark],
      isDeclared(its.chain, since: request), !line.isTrue("shadow")
    else { return }
    for name in alive {
      guard let one = messages[name], one.sent.key == key, one.sent.chain == its.chain else { continue }
      check(!one.isOpen || one.walk == nil, "one of a key at a time", "\(name) and \(line.spelled)")
      let isOrdered =
        !one.sent.isDelayed && !one.isResent && one.end != .refused && isOfOne(request, one.order)
      check(!isOrdered || one.order > request, "the order of a key", "\(name) and \(line.spelled)")
      reach("key of both")
    }
  }

  /// A handler is about to give a verdict, or its time is over.
  func lets(_ walk: Int, _ stored: String?, past place: Place) {
    guard let stored, messages[stored]?.walk == walk else { return }
    messages[stored]?.left.insert(place)
  }
}
