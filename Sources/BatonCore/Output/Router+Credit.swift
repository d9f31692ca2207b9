/// Who pays for which work (contract, section 10, `Turns`). A connection pays for its lines and for the walks of its
/// messages. What it costs beyond its credit of a turn is a debt, which the next turns take off. Nothing is saved up.
extension Router {
  /// Whether the connection may have more work done in this turn.
  @inline(__always)
  mutating func mayWork(_ connection: Slot<Connection>) -> Bool {
    if connections[connection].credit.turn != turns { renewCredit(of: connection) }
    let used = connections[connection].credit.used &+ (connection == payer ? spent : 0)
    return used < Cost.little || (used < Cost.turn && sharedCredit > 0) || !settings.pieces.areLimited
  }

  /// How much more the connection's lines may cost in this turn; 0 or less if they have to wait. Looked up once for many
  /// lines. What a line costs is known when it is done: so a connection whose lines cost more than a little in their latest
  /// turn waits for what all have in common. Otherwise fifty of them would cost fifty dear lines in one turn. `mustWaitForAll`
  /// is for those that had none before.
  mutating func allowance(of connection: Slot<Connection>) -> Int {
    guard settings.pieces.areLimited else { return .max }
    if connections[connection].credit.turn != turns { renewCredit(of: connection) }
    let most = sharedCredit > 0 ? Cost.turn : connections[connection].credit.isDear ? 0 : Cost.little
    return most - connections[connection].credit.used
  }

  /// Whether a line that may cost more than a little has to wait, because what all have in common is used up in this turn. Then
  /// the connection waits for it, as those do whose lines are dear.
  @inline(__always)
  mutating func mustWaitForAll(_ connection: Slot<Connection>) -> Bool {
    guard sharedCredit <= 0, hasNoneOfAll(connection) else { return false }
    waitForAll()
    return true
  }

  /// Whether the connection has no part yet of what all have in common. Who has used more than a little has one.
  @inline(never)
  mutating func hasNoneOfAll(_ connection: Slot<Connection>) -> Bool {
    guard settings.pieces.areLimited, connection == payer else { return false }
    if connections[connection].credit.turn != turns { renewCredit(of: connection) }
    return connections[connection].credit.used &+ spent < Cost.little
  }

  /// The connection that pays now waits for it: this is more than it may have of its own, so it is parked, and is dear when its
  /// turn comes.
  mutating func waitForAll() { spent &+= Cost.little }

  /// The connection pays `cost`, and what was noted in `spent` since the last payment.
  @inline(__always)
  mutating func pay(_ cost: Int, by connection: Slot<Connection>) {
    let cost = cost &+ spent
    spent = 0
    costOfTurn &+= cost
    if connections[connection].credit.turn != turns { renewCredit(of: connection) }
    connections[connection].credit.used &+= cost
    if connections[connection].credit.used > Cost.little { sharedCredit &-= cost }
  }

  /// The connection pays `cost`, and nothing else.
  mutating func charge(_ cost: Int, to connection: Slot<Connection>) {
    if connection == payer {
      spent &+= cost
      return
    }
    let noted = spent
    spent = 0
    pay(cost, by: connection)
    spent = noted
  }

  /// A turn begins: all connections together have their credit of it.
  @inline(__always)
  mutating func renewSharedCredit() {
    turns &+= 1
    sharedCredit = Cost.shared
    costOfTurn = 0
  }

  /// A job does this, behind all others.
  mutating func beginJob(_ job: Job) { jobs.append(job) }

  /// The job whose turn has come; nil if there is none.
  mutating func nextJob() -> Job? { jobs.popFirst() }

  /// Nobody pays for what this cost.
  mutating func noteCostOfNobody(_ cost: Int) {
    costOfTurn &+= cost
    spent = 0
  }

  /// Begins the connection's credit of this turn. Each turn that has passed has taken a turn's credit off its debt.
  private mutating func renewCredit(of connection: Slot<Connection>) {
    let passed = min(turns &- connections[connection].credit.turn, 1 << 20)
    connections[connection].credit.isDear = connections[connection].credit.used > Cost.little
    connections[connection].credit.used = max(0, connections[connection].credit.used - passed * Cost.turn)
    connections[connection].credit.turn = turns
  }

  /// Lets the connection wait for its next turn: it is behind all others that wait.
  mutating func park(_ connection: Slot<Connection>) {
    guard !connections[connection].isParked else { return }
    connections[connection].isParked = true
    parked.append(connections.ref(connection))
    markChanged(connection)
  }

  /// The turn of the connection has come that has waited longest: `nobody` if it has gone; nil if none waits.
  mutating func unparkNext() -> Slot<Connection>? {
    guard let ref = parked.popFirst() else { return nil }
    guard connections.contains(ref) else { return .nobody }
    connections[ref.slot].isParked = false
    return ref.slot
  }

  /// The caller reads connections that wait for their turn, too.
  mutating func readAllOnce() {
    for _ in 0..<parked.count {
      guard let ref = parked.popFirst() else { return }
      parked.append(ref)
      if connections.contains(ref) { markChanged(ref.slot) }
    }
  }
}

/// What a connection has cost in its latest turn, with its debt of earlier turns.
struct Credit {
  /// The turn in which `used` was renewed last.
  var turn = 0
  /// The units that it has used.
  var used = 0
  /// Whether it had used more than a little before that.
  var isDear = false
}
