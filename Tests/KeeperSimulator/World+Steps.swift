import BatonCore
import BatonLasting
import DoorKit
import WorldKit

/// One random step, and what peers do in it.
extension World {
  func step() {
    if isCluster {
      if luck.chance(12) { mishap() }
      if cluster.isOvertaken, cluster.candidate == nil, luck.chance(20) { leaderEnds() }
      haveLeader()
      if cluster.old != nil { for _ in 0..<luck.between(1...4) { oldStep() } }
      if luck.chance(8) { publish() }
    }
    if let record = driver.record, luck.chance(12) { meddle(with: record) }
    switch luck.below(100) {
    case ..<18: send(isDurable: true)
    case ..<23: luck.chance(75) ? send(isDurable: false) : cancel()
    case ..<26: sendAgain()
    case ..<45: answerSome()
    case ..<64: writeSome()
    case ..<65: writeSome(isTold: false)
    case ..<73: serve()
    case ..<76: leave()
    case ..<84: pass(luck.pick([1, 10, 30, 100, 100, 300, 1000, 1000, 3000, 20_000]))
    case ..<88: ask()
    case ..<91: burst()
    case ..<93: reload(OperatorFile.random(using: &luck))
    case ..<95: isDiskBroken ? (isDiskBroken = false) : failCommit()
    case ..<96: isDiskBroken = luck.chance(40)
    case ..<97: if judge.drainedAt != nil || luck.chance(isTrying ? 60 : 10) { drain() }
    default: if judge.drainedAt == nil || luck.chance(40) { crash() }
    }
    if isDiskBroken { failCommit() }
  }

  /// Some of what was given comes to the disk.
  private func writeSome(isTold: Bool = true) {
    if isCluster { return flow(1 + luck.below(30)) }
    commit(isTold && luck.chance(60) ? store.heldCount : luck.below(store.heldCount + 1), isTold: isTold)
  }

  /// The record is slow, or its disk fails, or all of that is over.
  private func meddle(with record: MemoryRecord) {
    (record.holds, record.failure) = luck.pick([(false, nil), (true, nil), (true, nil), (false, "no room")])
    log("the record \(record.failure ?? (record.holds ? "is slow" : "writes"))")
    settle()
  }

  /// Whether somebody has an offer of a stored message.
  private var isTrying: Bool { peers.contains { $0.isOpen && $0.offers.contains { $0.stored != nil } } }

  /// Several things come before the server has its turn.
  private func burst() {
    driver.settles = false
    for _ in 0..<luck.between(2...6) {
      switch luck.below(10) {
      case ..<4: send(isDurable: luck.chance(60))
      case ..<7: answerOne()
      case ..<8: if let peer = opened(.sender) { close(peer) }
      case ..<9: if let peer = opened(.handler) { close(peer) }
      default: driver.turn()
      }
    }
    driver.settles = true
    settle()
  }

  func opened(_ kind: Peer.Kind) -> Int? {
    let some = peers.indices.filter { peers[$0].isOpen && !peers[$0].isHalfClosed && peers[$0].kind == kind }
    return some.isEmpty ? nil : luck.pick(some)
  }

  private func sender() -> Int {
    let some = peers.indices.filter { peers[$0].isOpen && !peers[$0].isHalfClosed && peers[$0].kind == .sender }
    if some.count < 3 && (some.isEmpty || driver.settles && luck.chance(10)) { return open(.sender) }
    return luck.pick(some)
  }

  // MARK: Senders

  private func send(isDurable: Bool) {
    let peer = sender()
    let mark = newMark()
    var sent = Judge.Sent(
      chain: luck.chance(90) ? file.chains.any(using: &luck)?.chain ?? "a" : luck.pick(OperatorFile.names),
      topic: luck.pick(OperatorFile.topics), isDurable: isDurable)
    sent.identity = peers[peer].identity
    if luck.chance(isDurable ? 40 : 80) { sent.key = luck.pick(["k", "l"]) }
    if isDurable {
      if luck.chance(30) { sent.once = "o\(luck.below(12))" }
      sent.isDelayed = luck.chance(12)
      sent.rules = TryRules(
        tries: UInt32(luck.between(1...4)), retryMilliseconds: UInt32(luck.pick([10, 200, 1000])),
        timeoutMilliseconds: UInt32(luck.pick([50, 400, 5000])),
        expiresMilliseconds: UInt32(luck.pick([500, 20_000, 600_000])))
    } else {
      sent.rules.timeoutMilliseconds = UInt32(luck.pick([50, 1000, 5000]))
    }
    judge.sent[mark] = sent
    say(mark, sent, peer)
    if isDurable, luck.chance(2), driver.settles, peers[peer].isOpen { halfClose(peer) }
  }

  /// An ordinary message with a key ends early, wherever it is.
  private func cancel() {
    guard let id = judge.ordinary.values.sorted().suffix(4).any(using: &luck) else { return }
    let peer = judge.requests[id].peer
    guard peers[peer].isOpen, !peers[peer].isHalfClosed else { return }
    judge.says(Judge.Request(kind: .cancel, peer: peer))
    say(#"{"op":"cancel","id":\#(judge.nextID - 1),"request":\#(id)}"#, peer)
  }

  /// A name of `once` again: the same message, or another one.
  private func sendAgain() {
    let peer = sender()
    let some = judge.sent.keys.filter {
      judge.sent[$0]?.once != nil && judge.sent[$0]?.identity == peers[peer].identity
    }
    guard let mark = some.sorted().suffix(6).any(using: &luck), let sent = judge.sent[mark] else { return }
    say(mark, sent, peer)
  }

  private func say(_ mark: Int, _ sent: Judge.Sent, _ peer: Int) {
    let id = judge.nextID
    var line = #"{"op":"send","id":\#(id),"chain":"\#(sent.chain)","topic":"\#(sent.topic)","payload":\#(mark)"#
    if let key = sent.key { line += #","key":"\#(key)""# }
    line += #","timeout_ms":\#(sent.rules.timeoutMilliseconds)"#
    if sent.isDurable {
      line += #","durable":true,"tries":\#(sent.rules.tries),"retry_ms":\#(sent.rules.retryMilliseconds)"#
      line += #","expires_ms":\#(sent.rules.expiresMilliseconds)"#
      if sent.isDelayed { line += #","delay_ms":100"# }
      if let once = sent.once { line += #","once":"\#(once)""# }
    } else if sent.key != nil {
      judge.ordinary[mark] = id
    }
    judge.says(Judge.Request(kind: sent.isDurable ? .durable : .ordinary, peer: peer, mark: mark))
    say(line + "}", peer)
  }

  private func halfClose(_ peer: Int) {
    peers[peer].isHalfClosed = true
    judge.gone(peer)
    log("\(peer) half-closes")
    driver.end(peers[peer].connection)
    collect()
  }

  private func leave() {
    let kind = luck.chance(75) ? Peer.Kind.handler : .sender
    guard let peer = opened(kind) else { return }
    if kind == .handler, luck.chance(30), let place = peers[peer].places.sorted(by: { $0.name < $1.name }).first {
      // Its offers stay.
      let id = judge.nextID
      judge.says(Judge.Request(kind: .remove, peer: peer, place: place))
      say(#"{"op":"remove","id":\#(id),"chain":"\#(place.chain)","handler":"\#(place.name)"}"#, peer)
    } else {
      close(peer)
    }
  }

  /// Where is it, what is dead, and what is to become of that.
  private func ask() {
    let peer = hasIdentities || luck.chance(50) ? asker() : sender()
    let id = judge.nextID
    var request = Judge.Request(kind: .other, peer: peer)
    let dead = store.rows.values.filter(\.isDead).map(\.message).sorted { $0.row < $1.row }
    switch luck.below(10) {
    case ..<2:
      judge.says(request)
      return say(#"{"op":"dead","id":\#(id),"chain":"\#(luck.pick(OperatorFile.names))","limit":5}"#, peer)
    case ..<4:
      guard let name = judge.alive.sorted().suffix(8).any(using: &luck) else { return }
      request.stored = name
      judge.says(request)
      return say(#"{"op":"stored","id":\#(id),"stored":"\#(name)"}"#, peer)
    default:
      guard let letter = dead.prefix(4).any(using: &luck) else { return }
      let name = String(decoding: letter.id.text, as: UTF8.self)
      request.stored = name
      let isResend = luck.chance(60)
      request.kind = isResend ? .resend : .discard
      var payload = ""
      if isResend, luck.chance(50), let one = judge.messages[name] {
        let mark = newMark()
        judge.sent[mark] = one.sent
        judge.sent[mark]?.once = nil
        payload = #","payload":\#(mark)"#
      }
      judge.says(request)
      say(#"{"op":"\#(isResend ? "resend" : "discard")","id":\#(id),"stored":"\#(name)"\#(payload)}"#, peer)
    }
  }

  private func asker() -> Int { opened(.handler) ?? open(.handler) }

  // MARK: Handlers

  private func serve() {
    let peer = luck.chance(40) ? opened(.handler) ?? open(.handler) : open(.handler)
    let place = luck.pick(OperatorFile.places)
    // Most serve what the file declares and nobody serves.
    let way = file.way(from: luck.pick(OperatorFile.names), luck.pick(OperatorFile.topics)).map(\.place)
    let empty = way.filter { judge.servers[$0, default: []].isEmpty }
    serve(luck.chance(85) ? empty.any(using: &luck) ?? place : place, peer)
  }

  func serve(_ place: Place, _ peer: Int) {
    guard peers[peer].isOpen else { return }
    let share = luck.chance(50) ? #","share":true"# : ""
    let wanted = luck.chance(30) ? luck.between(1...3) : nil
    judge.windows[place] = max(judge.windows[place] ?? 1, wanted ?? judge.settings.window)
    let window = wanted.map { #","window":\#($0)"# } ?? ""
    judge.says(Judge.Request(kind: .insert, peer: peer, place: place))
    let id = judge.nextID - 1
    say(#"{"op":"insert","id":\#(id),"chain":"\#(place.chain)","handler":"\#(place.name)"\#(share)\#(window)}"#, peer)
  }

  private func answerSome() { for _ in 0..<luck.between(1...4) { answerOne() } }

  private func answerOne() {
    let busy = peers.indices.filter { !peers[$0].offers.isEmpty && peers[$0].isOpen }
    guard let peer = busy.any(using: &luck), let offer = peers[peer].offers.any(using: &luck) else {
      return
    }
    let mayGoOn = offer.place.name != "h"
    let verdict =
      mayGoOn
      ? luck.pick(["continue", "continue", "continue", "continue", "failed", "reject", "handled"])
      : luck.pick(["continue", "continue", "failed", "reject", "handled", "handled"])
    answer(offer, verdict, peer)
  }
}

extension Collection {
  /// One of them; nil if there is none.
  func any(using luck: inout WorldKit.Generator) -> Element? {
    isEmpty ? nil : self[index(startIndex, offsetBy: luck.below(count))]
  }
}
