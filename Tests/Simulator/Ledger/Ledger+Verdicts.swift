import BatonCore

/// What handlers answer, and whether the server takes it as it must.
extension Ledger {
  func apply(_ verdict: Verdict, _ line: SentLine, from connection: Int) {
    if verdict.offer == nil { coverage.insert(.verdictWithoutID) }
    guard let id = verdict.offer ?? accounts[connection].row.first,
      accounts[connection].offers.indices.contains(id - 1)
    else {
      takeError("unknown_offer", for: line, of: connection)
      coverage.insert(.unknownOffer)
      return
    }
    let offer = accounts[connection].offers[id - 1]
    guard offer.state == .open else { return takeLate(verdict, id, line, from: connection) }
    let meta = messages[walks[offer.walk].message].meta?.count ?? 0
    if let payload = verdict.payload, payload.count + meta > payloadLimit {
      coverage.insert(.payloadTooLong)
      takeError("bad_member", for: line, of: connection)
      return
    }
    if isRefusedForRoom(verdict, line, from: connection) { return }
    if verdict.kind == .working {
      coverage.insert(.working)
      let end = walks[offer.walk].deadline
      accounts[connection].offers[id - 1].due = min(now.advanced(milliseconds: offer.timeoutMilliseconds), end)
    } else {
      answer(verdict, offer, from: connection, id: id)
    }
  }

  /// A message that would grow past what all may take together is not rewritten; its offer stays open.
  private func isRefusedForRoom(_ verdict: Verdict, _ line: SentLine, from connection: Int) -> Bool {
    guard let payload = verdict.payload, verdict.kind == .continue, settings.maxTotalBytes < 1 << 20,
      let next = accounts[connection].direct.first, next.op == .error, next.string(.code) == "busy",
      next.integer(.offer) == verdict.offer
    else { return false }
    takeError("busy", for: line, of: connection)
    coverage.insert(.notRewritten)
    let bytes = open(of: nil).mostBytes + payload.count
    if bytes <= settings.maxTotalBytes { fail(.inBounds, "\(bytes) bytes would be open: \(next.description)") }
    return true
  }

  /// A verdict on an offer that is settled: it changes nothing, and the handler is told.
  private func takeLate(_ verdict: Verdict, _ id: Int, _ line: SentLine, from connection: Int) {
    coverage.insert(.lateVerdict)
    guard let next = accounts[connection].direct.first, isLate(id, verdict, next: next) else {
      if !accounts[connection].direct.isEmpty, accounts[connection].direct.first.map(isClosing) ?? false {
        accounts[connection].isCondemned = true
        return
      }
      return fail(.settledOnce, "#\(connection) \(line.text) is a second verdict and is not told to be late")
    }
    _ = accounts[connection].direct.popFirst()
    if verdict.kind != .working { accounts[connection].row.removeAll { $0 == id } }
  }

  /// Whether the answer calls the verdict late; it names the offer as far as the verdict did.
  private func isLate(_ id: Int, _ verdict: Verdict, next: ServerLine?) -> Bool {
    guard let next, next.op == .error, next.string(.code) == "late_verdict" else { return false }
    return next.integer(.offer).map { $0 == id } ?? (verdict.offer == nil)
  }

  private func answer(_ verdict: Verdict, _ offer: Offer, from connection: Int, id: Int) {
    accounts[connection].offers[id - 1].state = .answered
    accounts[connection].row.removeAll { $0 == id }
    let walk = offer.walk
    note(verdict.kind.rawValue, of: offer, rewrote: verdict.kind == .continue && verdict.payload != nil)
    switch verdict.kind {
    case .handled:
      coverage.insert(.handled)
      walks[walk].end = .handled(offer: offer, payload: verdict.payload)
    case .reject:
      coverage.insert(.rejected)
      walks[walk].end = .rejected(offer: offer, message: verdict.message, code: verdict.code)
    case .continue:
      coverage.insert(.continued)
      if let payload = verdict.payload {
        coverage.insert(.rewritten)
        walks[walk].payload = payload
        walks[walk].isRewritten = true
      }
      advance(walk)
    case .failed:
      coverage.insert(.failed)
      advance(walk)
    case .working: break
    }
    walks[walk].offer = nil
  }
}
