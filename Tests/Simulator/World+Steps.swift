import BatonCore

/// What can happen in a step: a peer acts, bytes move, time passes, somebody comes or goes.
extension World {
  func step() {
    if let wakeAt = door.wakeAt, wakeAt <= door.now {
      if !luck.chance(plan.latePercent) { return door.wake() }
      ledger.coverage.insert(.lateWake)
    }
    switch luck.below(1000) {
    case ..<330: moveUp()
    case ..<620: moveDown()
    case ..<860: act()
    case ..<970: passTime()
    case ..<980: if door.wires.count < plan.peers { open() }
    case ..<(plan.isDeadly ? 992 : 985): die()
    default: carryOutWishes()
    }
  }

  /// The first living peer from a random one on for which `isRight` holds.
  private func pick(where isRight: (Int) -> Bool) -> Int? {
    guard !living.isEmpty else { return nil }
    let start = luck.below(living.count)
    for offset in living.indices {
      let connection = living[(start + offset) % living.count]
      if isRight(connection) { return connection }
    }
    return nil
  }

  // MARK: Bytes

  /// Bytes of a peer reach the server, or its half-close does.
  private func moveUp() {
    guard let connection = pick(where: canDeliver) else { return }
    let wire = door.wires[connection]
    // What is due may stop the reading before the bytes are looked at; then it would not be seen how far they got.
    if plan.mayPause, door.wakeAt.map({ $0 <= door.now }) ?? false { return door.wake() }
    switch peers[connection].chunks {
    case _ where wire.undelivered == 0: door.end(connection)
    case .lines: door.deliver(wire.nextLine, from: connection)
    case .bytes: drip(connection)
    case .random:
      let most = luck.chance(30) ? wire.undelivered : min(200, wire.undelivered)
      let count = luck.between(1...most)
      door.deliver(plan.mayPause ? wire.certain(count) : count, from: connection)
      if luck.chance(2) {
        let pause = luck.below(2000 * plan.settings.lineTimeoutMilliseconds)
        door.change(connection) { $0.stalledUntil = Instant(microseconds: door.now.microseconds + Int64(pause)) }
      }
    }
  }

  /// Some bytes, each in a call of its own.
  private func drip(_ connection: Int) {
    ledger.coverage.insert(.byteByByte)
    for _ in 0..<luck.between(1...150) where canDeliver(connection) && door.wires[connection].undelivered > 0 {
      door.deliver(1, from: connection)
    }
  }

  /// Whether the network has something of the peer's that the server is willing to take.
  func canDeliver(_ connection: Int) -> Bool {
    let wire = door.wires[connection]
    guard wire.isRead, wire.ending != .close, !wire.isEnded else { return false }
    guard wire.undelivered > 0 || wire.isHalfClosing else { return false }
    return isCalm || wire.stalledUntil.map { $0 <= door.now } ?? true
  }

  /// A peer reads, as fast as it is wont to.
  private func moveDown() {
    guard let connection = pick(where: { !door.wires[$0].unsent.isEmpty && peers[$0].reading != .stuck }) else {
      return
    }
    if peers[connection].reading == .eager { return read(Int.max, places: 64, connection) }
    ledger.coverage.insert(.slowReader)
    read(luck.between(1...60), places: luck.between(1...2), connection)
  }

  /// The peer reads up to `count` bytes and minds what they say.
  func read(_ count: Int, places: Int, _ connection: Int) {
    for line in door.take(count, places: places, of: connection) {
      guard !door.wires[connection].isSilenced else { return }
      if line.op == .offer {
        peers[connection].consider(line, at: door.now, limit: ledger.payloadLimit, using: &luck)
      } else if line.op == .ping, luck.chance(60) {
        door.send(SentLine(bytes: Array("{\"op\":\"pong\"}\n".utf8), intent: .silence), from: connection)
      }
    }
  }

  // MARK: Peers

  private func act() {
    let isFree = { [self] (connection: Int) in
      !door.wires[connection].isSilenced && door.wires[connection].undelivered < 4000
    }
    guard let connection = pick(where: isFree) else { return }
    if answerOffer(connection) { return }
    let act = peers[connection].act(using: &luck)
    if act == .ask, luck.chance(40) {
      let chain = luck.chance(70) ? peers[connection].chain : luck.below(plan.chains)
      for line in requests.explain(from: connection, chain: chain, using: &luck) { door.send(line, from: connection) }
    } else if let line = line(of: act, from: connection) {
      door.send(line, from: connection)
    }
  }

  /// The peer gives the first verdict that it has meant to give by now.
  func answerOffer(_ connection: Int) -> Bool {
    guard let verdict = peers[connection].dueVerdict(at: door.now) else { return false }
    door.send(requests.verdict(verdict, using: &luck), from: connection)
    return true
  }

  private func line(of act: Peer.Act, from connection: Int) -> SentLine? {
    let chain = luck.chance(70) ? peers[connection].chain : luck.below(plan.chains)
    switch act {
    case .send: return requests.message(from: connection, chain: chain, isBroadcast: false, using: &luck)
    case .broadcast: return requests.message(from: connection, chain: chain, isBroadcast: true, using: &luck)
    case .insert: return requests.insert(chain: chain, using: &luck)
    case .replace: return requests.replace(chain: chain, using: &luck)
    case .remove: return requests.remove(chain: chain, using: &luck)
    case .subscribe: return requests.subscribe(using: &luck)
    case .unsubscribe: return requests.unsubscribe(using: &luck)
    case .hello: return requests.hello(using: &luck)
    case .ask: return requests.ask(using: &luck)
    case .silence: return Requests.silence(using: &luck)
    case .guess: return requests.verdict(peers[connection].guess(using: &luck), using: &luck)
    case .wrong:
      return SentLine(bytes: Bytes.wrong(depth: plan.settings.maxDepth, using: &luck), intent: .wrong)
    case .fatal:
      return SentLine(bytes: Bytes.tooLong(plan.settings.maxLine), intent: .fatal)
    case .stall:
      let pause = luck.below(2000 * plan.settings.lineTimeoutMilliseconds)
      door.change(connection) { $0.stalledUntil = Instant(microseconds: door.now.microseconds + Int64(pause)) }
      return nil
    }
  }

  // MARK: Time

  private func passTime() {
    let toWake = door.wakeAt.map { Int($0.microseconds - door.now.microseconds) } ?? 1000
    switch luck.below(100) {
    case ..<50: door.pass(microseconds: luck.below(1000))
    case ..<75: door.pass(microseconds: luck.below(20_000))
    case ..<95: door.pass(microseconds: max(0, toWake))
    default: door.pass(microseconds: max(0, toWake) + luck.below(300_000))
    }
  }

  // MARK: Coming and going

  private func die() {
    guard let connection = pick(where: { !door.wires[$0].isSilenced }) else { return }
    switch luck.below(10) {
    case ..<5: close(connection)
    case ..<9: door.change(connection) { $0.isHalfClosing = true }
    default:
      door.send(part: Array("{\"op\":\"pi".utf8), from: connection)
      door.change(connection) { $0.isHalfClosing = true }
    }
  }

  /// The network closes what the server wants closed, and peers whose connection was shut down go in their time.
  func carryOutWishes() {
    for connection in living {
      let wire = door.wires[connection]
      let isToClose =
        switch wire.ending {
        case .open: false
        case .shutDown: wire.unsent.isEmpty && (isCalm || luck.chance(30))
        case .closeWhenWritten: wire.unsent.isEmpty
        case .close: true
        }
      if isToClose, isCalm || luck.chance(70) { close(connection) }
    }
  }
}
