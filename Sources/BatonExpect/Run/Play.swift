internal import BatonCore

/// Plays one case: drives a core through its door, with a clock that is moved, and stands in for everybody.
///
/// It comes to an end, whatever the case is: after the reply, after a day of the clock, or after very many steps.
final class Play {
  /// The time at which each case begins.
  static let start = Instant(microseconds: 1_000_000)
  private static let mostMilliseconds = 86_400_000
  private static let mostSteps = 100_000

  private(set) var seen = Seen()
  private let expectation: Expectation
  private var router: Router
  private var now = Play.start
  private var seats: [Seat] = []
  /// The seat at each of the router's places.
  private var tenants: [Int] = []
  private var players: [PlayedHandler]
  /// What is to be done, in the order of time; what was planned first comes first.
  private var plan: [(at: Instant, what: Step)] = []
  private var steps = 0

  /// A connection.
  private struct Seat {
    let id: ConnectionID
    let role: Role
    var unfinished: [UInt8] = []
    var isClosed = false
  }

  private enum Role {
    case sender, watcher, listener
    case handler(Int)
  }

  private enum Step {
    case come(player: Int)
    case give(Answer, player: Int, seat: Int, offer: Int)
  }

  init(_ expectation: Expectation, _ router: consuming Router) {
    self.expectation = expectation
    self.router = router
    players = expectation.handlers.map { PlayedHandler($0) }
  }

  func run() {
    begin()
    while seen.reply == nil, steps < Play.mostSteps, goOn() { steps += 1 }
    seen.took = Int(now.microseconds - Play.start.microseconds)
  }

  // MARK: The beginning

  private func begin() {
    let watcher = open(.watcher, .everything)
    say(watcher, #"{"op":"subscribe","topics":["$baton.trace"]}"#)
    if expectation.message.kind == .broadcast {
      let topic = JSONValue.text(expectation.message.topic).spelling
      say(open(.listener, .everything), #"{"op":"subscribe","topics":[\#(topic)]}"#)
    }
    for player in players.indices { leaveIfAbsent(player, else: { come($0) }) }
    let sender = open(.sender, expectation.sender)
    var members = [(name: "op", json: "\"\(expectation.message.kind.rawValue)\""), (name: "id", json: "1")]
    members += expectation.message.members
    // Who may do everything may see everything, so that links that do not accept the topic are told, too.
    let isWalk = expectation.message.chain != nil && !expectation.message.isNotice
    if expectation.sender == .everything, isWalk { members.append(("trace", "true")) }
    say(sender, Play.object(members))
  }

  // MARK: Time

  /// Does what is next. Returns false if nothing is.
  private func goOn() -> Bool {
    if let first = plan.first, first.at <= now {
      plan.removeFirst()
      carryOut(first.what)
      return true
    }
    guard let next = [router.wakeAt, plan.first?.at].compactMap(\.self).min(),
      next <= Play.start.advanced(milliseconds: Play.mostMilliseconds)
    else { return false }
    now = max(now, next)
    // Timers fire before what comes at the same time.
    settle()
    return true
  }

  private func schedule(_ step: Step, afterMilliseconds: Int) {
    let at = now.advanced(milliseconds: afterMilliseconds)
    plan.insert((at, step), at: plan.firstIndex { $0.at > at } ?? plan.endIndex)
  }

  // MARK: What handlers do

  private func carryOut(_ step: Step) {
    switch step {
    case .come(let player): come(player)
    case .give(let answer, let player, let seat, let offer):
      guard players[player].seat == seat else { return }
      if answer.deed == .dies {
        leave(player)
        return comeBack(player)
      }
      say(seat, Play.object([("op", "\"\(answer.deed.rawValue)\""), ("id", "\(offer)")] + answer.members))
      if answer.deed == .working { return answerOffer(offer, player) }
      leaveIfAbsent(player) { _ in }
    }
  }

  /// The handler's connection comes, and serves its link.
  private func come(_ player: Int) {
    let link = players[player].script.link
    let seat = open(.handler(player), .everything)
    players[player].seat = seat
    let (chain, name) = (JSONValue.text(link.chain).spelling, JSONValue.text(link.name).spelling)
    say(seat, #"{"op":"insert","chain":\#(chain),"handler":\#(name)}"#)
  }

  /// The handler's connection is lost.
  private func leave(_ player: Int) {
    guard let seat = players[player].seat else { return }
    players[player].seat = nil
    close(seat)
    settle()
  }

  /// If the handler is to be absent now, it leaves, and comes again when that is over. If not, does something else.
  private func leaveIfAbsent(_ player: Int, else body: (Int) -> Void) {
    guard let answer = players[player].upcoming, answer.deed == .absent else { return body(player) }
    players[player].next += 1
    leave(player)
    if players[player].upcoming != nil { schedule(.come(player: player), afterMilliseconds: answer.afterMilliseconds) }
  }

  /// A handler that has lost its connection comes back if its list goes on.
  private func comeBack(_ player: Int) {
    leaveIfAbsent(player) { player in
      if players[player].upcoming != nil { schedule(.come(player: player), afterMilliseconds: 0) }
    }
  }

  private func answerOffer(_ offer: Int, _ player: Int) {
    let answer = players[player].nextAnswer()
    if answer.deed != .working {
      seen.answers.append((players[player].script.link, answer, players[player].offeredAt))
    }
    switch answer.deed {
    case .hangs: break
    case .absent:
      players[player].next -= 1
      leaveIfAbsent(player) { _ in }
    case .dies, .continue, .handled, .reject, .failed, .working:
      guard let seat = players[player].seat else { return }
      schedule(
        .give(answer, player: player, seat: seat, offer: offer), afterMilliseconds: answer.afterMilliseconds)
    }
  }

  // MARK: What comes from the server

  private func take(_ bytes: [UInt8], at seat: Int) {
    guard let line = JSONValue(line: bytes), let op = line["op"]?.string else { return }
    switch (seats[seat].role, op) {
    case (.sender, "result"), (.sender, "ok"), (.sender, "error"):
      if seen.reply == nil { seen.reply = (line, bytes) }
    case (.watcher, "event"): if seen.walk == nil { seen.walk = line["payload"] }
    case (.listener, "event"): seen.events.append((line, bytes))
    case (.handler(let player), "offer"):
      let link = players[player].script.link
      if line["shadow"] == .flag(true) { seen.told.append(link) } else { seen.asked.append(link) }
      players[player].offeredAt = Int(now.microseconds - Play.start.microseconds)
      answerOffer(line["id"]?.integer ?? 0, player)
    case (.handler(let player), "notice"): seen.told.append(players[player].script.link)
    case (.handler(let player), "error"):
      // A handler that answers too late hears that; the walk went on without it.
      if line["code"]?.string != "\(ErrorCode.lateVerdict.rawValue)" {
        seen.troubles.append((players[player].script.link, line))
      }
    default: break
    }
  }

  // MARK: Connections

  private func open(_ role: Role, _ sender: Sender) -> Int {
    let id = router.opened(Rehearsal.facts(of: sender), at: now)
    while tenants.count <= Int(id.index) { tenants.append(-1) }
    tenants[Int(id.index)] = seats.count
    seats.append(Seat(id: id, role: role))
    settle()
    return seats.count - 1
  }

  private func say(_ seat: Int, _ line: String) {
    guard !seats[seat].isClosed else { return }
    (Array(line.utf8) + [0x0A]).withUnsafeBytes { router.received($0, from: seats[seat].id, at: now) }
    settle()
  }

  private func close(_ seat: Int) {
    guard !seats[seat].isClosed else { return }
    seats[seat].isClosed = true
    router.closed(seats[seat].id, at: now)
  }

  /// Turns until no work is left, and everybody has heard what there is to hear.
  private func settle() {
    repeat {
      while router.turn(at: now), steps < Play.mostSteps { steps += 1 }
      hearAll()
    } while router.hasChanged && steps < Play.mostSteps
  }

  /// Everybody takes what is unsent to them.
  private func hearAll() {
    withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 16) { places in
      while true {
        var bytes: [UInt8] = []
        let written = router.writeNext(atMost: { _ in .max }, in: places, at: now) { _, unsent in
          for piece in unsent.pieces { bytes += piece }
          return unsent.count
        }
        guard let written else { return }
        let seat = tenants[Int(written.id.index)]
        hear(bytes, seat)
        let ending = written.wish.ending
        if ending == .close || ending != .open && !written.hasUnsent { close(seat) }
      }
    }
  }

  private func hear(_ bytes: [UInt8], _ seat: Int) {
    seats[seat].unfinished += bytes
    while let end = seats[seat].unfinished.firstIndex(of: 0x0A) {
      let line = Array(seats[seat].unfinished[..<end])
      seats[seat].unfinished.removeFirst(end + 1)
      take(line, at: seat)
    }
  }

  private static func object(_ members: [(name: String, json: String)]) -> String {
    "{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}"
  }
}
