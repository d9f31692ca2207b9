import WorldKit

/// What peers hear.
extension Judge {
  func hears(_ line: SaidLine, peer: Int) {
    guard let id = line.number("id"), let op = line.text("op") else { return }
    guard requests.indices.contains(id), requests[id].peer == peer else {
      return check(false, "answers go to who asked", line.spelled)
    }
    check(!requests[id].isOver, "one answer", line.spelled)
    switch op {
    case "accepted": accepted(id, line)
    case "result" where line.has("stored"): result(id, line)
    case "result", "ok", "stored", "dead":
      requests[id].isOver = true
      answered(id, line)
    case "error":
      requests[id].isOver = true
      refused(id, line)
    default: break
    }
  }

  private func accepted(_ id: Int, _ line: SaidLine) {
    let name = line.text("stored") ?? ""
    let isKnown = line.isTrue("known")
    check(requests[id].kind == .durable && requests[id].accepted == nil, "one accepted", line.spelled)
    requests[id].accepted = name
    requests[id].isLate = messages[name]?.endOnDisk != nil
    guard let one = messages[name] else { return check(false, "accepted names what is stored", line.spelled) }
    check(one.mark == requests[id].mark, "accepted is one's own", line.spelled)
    let isThere = one.endOnDisk != nil || one.isOnDisk && onDisk(name) != nil
    check(isThere && one.endOnDisk != .refused && one.endOnDisk != .never, "accepted is on disk", line.spelled)
    check(isKnown || !one.isAccepted, "accepted once", line.spelled)
    if !isKnown { messages[name]?.isAccepted = true }
    messages[name]?.isTold = true
    reach(isKnown ? "known" : "accepted")
    if let once = one.sent.once, let last = known[one.sent.identity + "/" + once], last != name {
      // It was known when it was asked for, and its result was read for a while.
      check(isKnown && messages[last].map { $0.askedBefore > id } == true, "once is once", line.spelled)
    }
  }

  private func result(_ id: Int, _ line: SaidLine) {
    let name = line.text("stored") ?? ""
    requests[id].isOver = true
    check(requests[id].accepted == name, "a result follows accepted", line.spelled)
    guard let one = messages[name] else { return check(false, "a result is of what is stored", line.spelled) }
    let isThere = onDisk(name).map { $0.isDead } ?? true
    check(one.endOnDisk != nil && isThere, "an end is on disk before it is told", line.spelled)
    let status = line.text("status") ?? ""
    let isEnd = status == "handled" || status == "rejected"
    check(line.isTrue("dead") == !isEnd, "dead letters are told so", line.spelled)
    check(one.status == nil || one.status == status, "one end", "\(line.spelled), and not \(one.status ?? "")")
    if line.isTrue("truncated") {
      check(requests[id].isLate, "who waits is told all", line.spelled)
      reach("truncated")
    } else if status == "handled" {
      check(line.mark == one.mark, "a result is one's own", line.spelled)
    }
    reach("result \(status)")
  }

  private func refused(_ id: Int, _ line: SaidLine) {
    let request = requests[id]
    let code = line.text("code") ?? ""
    reach("refused \(code)")
    if request.kind == .ordinary { ordinary[request.mark] = nil }
    guard request.kind == .durable else { return }
    check(request.accepted == nil, "accepted is accepted", line.spelled)
    let codes = [
      "not_declared", "store_failed", "store_full", "once_mismatch", "limit_reached", "draining", "busy",
      "no_such_message", "record_failed",
    ]
    check(codes.contains(code), "errors are as the contract says", line.spelled)
    switch code {
    case "store_failed":
      for (name, one) in messages where one.mark == request.mark && one.order == id {
        // Another request for the same may have been taken in meanwhile.
        let isAskedAgain = requests.contains {
          $0.mark == request.mark && $0.kind == .durable && !$0.isOver && $0.accepted == nil
        }
        check(isAskedAgain || onDisk(name) == nil && one.endOnDisk == .refused, "what is refused is not kept", name)
      }
    case "once_mismatch":
      let sent = sent[request.mark]
      let old = (sent?.once).flatMap { known[(sent?.identity ?? "") + "/" + $0] }.flatMap { messages[$0] }
      check(old == nil || old?.mark != request.mark, "the same is known", line.spelled)
    case "store_full": checkFull(request, line)
    case "no_such_message":
      // It was forgotten when it was about to be read.
      let isForgotten = messages.values.contains {
        $0.sent.once == sent[request.mark]?.once && $0.forgottenAt ?? -1 >= request.saidAt
      }
      check(isForgotten, "what is known is there", line.spelled)
    default: break
    }
  }

  private func answered(_ id: Int, _ line: SaidLine) {
    let request = requests[id]
    switch request.kind {
    case .insert: if let place = request.place { serves(request.peer, place) }
    case .remove: if let place = request.place { leaves(request.peer, place) }
    case .ordinary: ordinary[request.mark] = nil
    case .resend:
      let new = line.text("stored").flatMap { messages[$0] }
      check(new?.isOnDisk ?? false, "sent again is on disk", line.spelled)
      messages[line.text("stored") ?? ""]?.isTold = true
      checkLeft(request, line)
    case .discard:
      checkLeft(request, line)
      reach("discarded")
    case .cancel: reach(line.isTrue("cancelled") ? "cancelled" : "not cancelled")
    case .publish: published(id)
    case .other: checkSeen(request, line)
    case .durable: check(false, "a durable message has two lines", line.spelled)
    }
  }

  private func checkLeft(_ request: Request, _ line: SaidLine) {
    guard let old = request.stored.flatMap({ messages[$0] }) else { return }
    check(old.endOnDisk == .left && onDisk(request.stored ?? "") == nil, "what left has left the disk", line.spelled)
  }

  /// Whoever listens is told of a dead letter.
  func announced(_ name: String) {
    let isThere = onDisk(name).map { $0.isDead } ?? true
    check(messages[name]?.endOnDisk != nil && isThere, "dead letters are on disk", name)
    reach("death told")
  }

  /// Where a message is, and dead letters.
  private func checkSeen(_ request: Request, _ line: SaidLine) {
    for letter in line.objects("dead") {
      let one = letter.text("stored").flatMap { messages[$0] }
      check(one?.endOnDisk == .dead || one?.endOnDisk == .left, "dead letters are dead", letter.spelled)
      check(letter.number("tries").map(UInt32.init) == one?.tries, "tries are counted", letter.spelled)
      reach("dead page")
    }
    // While commits fail, the keeper knows what it has not given yet.
    guard line.text("op") == "stored", isGivenAll, let one = request.stored.flatMap({ messages[$0] }) else { return }
    let state = line.text("state")
    check(one.endOnDisk == nil || one.endOnDisk == .dead, "what has ended is no more", line.spelled)
    check((state == "dead") == (one.endOnDisk == .dead) || !untold.isEmpty, "where it is", line.spelled)
    // The end of a try waits where the disk takes nothing.
    let tries = line.number("tries").map(UInt32.init)
    check(tries == one.tries || one.isOpen && tries == one.tries + 1, "tries are counted", line.spelled)
    reach("stored")
  }
}
