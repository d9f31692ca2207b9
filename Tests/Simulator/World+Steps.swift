import BatonCore
import WorldKit

/// What can happen in a step: a peer acts, bytes move, time passes, a peer comes or goes.
extension World {
  func step() {
    if let wakeAt = network.wakeAt, wakeAt <= network.now {
      if !luck.chance(plan.latePercent) { return network.wake() }
      ledger.cover("late wake-up")
    }
    if plan.declares, luck.below(1000) < plan.reloads { return rearrange() }
    if plan.stays != nil, luck.chance(20) { return tendListener() }
    if plan.lastsLong, luck.chance(10) { return luck.chance(50) && living.count < plan.peers ? open() : die() }
    switch luck.below(1000) {
    case ..<330: moveUp()
    case ..<620: moveDown()
    case ..<860: act()
    case ..<970: passTime()
    case ..<980: if network.wires.count - apart < plan.peers { open() }
    case ..<(plan.isDeadly ? 992 : 985): die()
    default: carryOutWishes()
    }
  }

  /// The first living peer for which `isRight` is true, beginning with a random one.
  func pick(where isRight: (Int) -> Bool) -> Int? {
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
    let undelivered = network.driver.undelivered(from: connection)
    switch peers[connection].chunks {
    case _ where undelivered == 0:
      ledger.cover("half-close")
      network.deliver(0, from: connection)
    case .lines: network.deliver(network.wires[connection].nextLine ?? .max, from: connection)
    case .bytes: drip(connection)
    case .random:
      network.deliver(luck.between(1...(luck.chance(30) ? undelivered : min(200, undelivered))), from: connection)
      if luck.chance(2) {
        let pause = luck.below(2000 * plan.settings.lineTimeoutMilliseconds)
        network.wires[connection].stalledUntil = Instant(microseconds: network.now.microseconds + Int64(pause))
      }
    }
  }

  /// Some bytes, each in a call of its own.
  private func drip(_ connection: Int) {
    ledger.cover("byte by byte")
    for _ in 0..<luck.between(1...150)
    where canDeliver(connection) && network.driver.undelivered(from: connection) > 0 {
      network.deliver(1, from: connection)
    }
  }

  /// Whether the network has something from the peer that the server is ready to take.
  func canDeliver(_ connection: Int) -> Bool {
    let (wire, driver) = (network.wires[connection], network.driver)
    guard wire.isRead, wire.ending != .close, !driver.hasEnded(connection) else { return false }
    guard driver.undelivered(from: connection) > 0 || driver.isSilenced(connection) else { return false }
    return isCalm || wire.stalledUntil.map { $0 <= network.now } ?? true
  }

  /// A peer reads, at its own speed.
  private func moveDown() {
    guard let connection = pick(where: { !network.wires[$0].unsent.isEmpty && peers[$0].reading != .stuck }) else {
      return
    }
    if peers[connection].reading == .eager { return read(Int.max, places: 64, connection) }
    ledger.cover("slow reader")
    read(luck.between(1...60), places: luck.between(1...2), connection)
  }

  /// The peer reads up to `count` bytes and acts on them.
  func read(_ count: Int, places: Int, _ connection: Int) {
    for line in network.take(count, places: places, of: connection) {
      guard !network.driver.isSilenced(connection) else { return }
      if line.op == "offer" {
        peers[connection].consider(line, at: network.now, &requests.maker, using: &luck)
      } else if line.op == "ping", luck.chance(60) {
        network.send(SentLine(bytes: Array("{\"op\":\"pong\"}\n".utf8), kind: .silence), from: connection)
      }
    }
  }

  // MARK: Peers

  private func act() {
    let isFree = { [self] (connection: Int) in
      !network.driver.isSilenced(connection) && network.driver.undelivered(from: connection) < 4000
    }
    guard let connection = pick(where: isFree) else { return }
    if answerOffer(connection) { return }
    if let stays = plan.stays, luck.chance(stays.busy) { return publishWhatStays(connection) }
    if let line = line(of: peers[connection].act(using: &luck), from: connection) {
      if case .message = line.kind, let id = line.id { peers[connection].sent(id) }
      network.send(line, from: connection)
    }
  }

  /// The peer gives the first verdict that is due by now.
  func answerOffer(_ connection: Int) -> Bool {
    guard let verdict = peers[connection].dueVerdict(at: network.now) else { return false }
    network.send(SentLine(verdict.spelled(using: &luck), .verdict), from: connection)
    return true
  }

  private func line(of act: Peer.Act, from connection: Int) -> SentLine? {
    switch act {
    case .silence: return Requests.silence(using: &luck)
    case .guess: return SentLine(peers[connection].guess(using: &luck).spelled(using: &luck), .verdict)
    case .wrong:
      return SentLine(bytes: Bytes.wrong(depth: plan.settings.maxDepth, using: &luck), kind: .wrong)
    case .fatal:
      return SentLine(bytes: Bytes.tooLong(plan.settings.maxLine), kind: .fatal)
    case .stall:
      let pause = luck.below(2000 * plan.settings.lineTimeoutMilliseconds)
      network.wires[connection].stalledUntil = Instant(microseconds: network.now.microseconds + Int64(pause))
      return nil
    default: return requests.line(of: act, peers[connection], using: &luck)
    }
  }

  // MARK: Time

  private func passTime() {
    let pace = plan.lastsLong ? 10 : 1
    let toWake = network.wakeAt.map { Int($0.microseconds - network.now.microseconds) } ?? 1000
    switch luck.below(100) {
    case ..<50: network.driver.pass(microseconds: luck.below(1000) * pace)
    case ..<75: network.driver.pass(microseconds: luck.below(20_000) * pace)
    case ..<95: network.driver.pass(microseconds: max(0, toWake))
    default: network.driver.pass(microseconds: max(0, toWake) + luck.below(300_000))
    }
  }

  // MARK: Coming and going

  private func die() {
    guard let connection = pick(where: { !network.driver.isSilenced($0) }) else { return }
    switch luck.below(10) {
    case ..<5: close(connection)
    case ..<9: network.driver.halfClose(connection)
    default:
      network.send(part: Array("{\"op\":\"pi".utf8), from: connection)
      network.driver.halfClose(connection)
    }
  }

  /// The network closes what the server wants closed. Peers whose connection was shut down leave a little later.
  func carryOutWishes() {
    takeBackObserver()
    dismissListeners()
    for connection in living {
      let wire = network.wires[connection]
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
