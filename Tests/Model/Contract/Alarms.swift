/// What is due later.
///
/// Times are in microseconds, since shares of time are; alarms go off in the first whole millisecond. What is due is
/// carried out in the order of milliseconds. Within one millisecond it is carried out in the order in which the alarms
/// were set. No sleeper has two alarms. A sleeper that must be woken earlier replaces its alarm. A sleeper that is
/// woken too early, because what it waited for was put off, then sets a new alarm.
struct Alarms {
  enum Sleeper: Equatable {
    /// A walk's time at its link, or its deadline.
    case walk(Int)
    /// A connection's heartbeat, or its end.
    case connection(Int)
    /// A place that is held for its handler.
    case hold(Int)
    /// The end of everything that is open in a server that drains.
    case drain
    /// A copy of an offer that is still unanswered at its message's deadline.
    case shadow(connection: Int, offer: Int)
  }

  struct Alarm {
    let sleeper: Sleeper
    let at: Int
    let serial: Int

    /// The millisecond in which it goes off.
    var millisecond: Int { (at + 999) / 1000 }
    var order: (Int, Int) { (millisecond, serial) }
  }

  private var all: [Alarm] = []
  /// The last millisecond of which everything has been carried out.
  private var reached = -1
  private var serial = 0
  /// Whether something was due in this call.
  private var isLate = false

  /// When the next alarm goes off, in milliseconds.
  var next: Int? { all.lazy.map(\.millisecond).min() }

  /// Wakes the sleeper at that time, in milliseconds.
  mutating func set(_ sleeper: Sleeper, at time: Int) { set(sleeper, atMicrosecond: time * 1000) }

  /// Wakes the sleeper at that time, or at the earlier one that was set already.
  mutating func set(_ sleeper: Sleeper, atMicrosecond time: Int) {
    if let index = all.firstIndex(where: { $0.sleeper == sleeper }) {
      if all[index].at <= time { return }
      all.remove(at: index)
    }
    serial += 1
    all.append(Alarm(sleeper: sleeper, at: time, serial: serial))
  }

  /// Wakes the sleeper as soon as possible: in this call if the call comes late, otherwise in the next millisecond.
  mutating func set(_ sleeper: Sleeper, soonAfter now: Int) { set(sleeper, at: max(now, reached + 1)) }

  mutating func cancel(_ sleeper: Sleeper) { all.removeAll { $0.sleeper == sleeper } }

  /// Takes out the first alarm that is due.
  mutating func takeDue(at now: Int) -> Sleeper? {
    var first: Int?
    for index in all.indices where all[index].millisecond <= now {
      if let found = first, all[found].order < all[index].order { continue }
      first = index
    }
    guard let first else {
      if isLate { (reached, isLate) = (now, false) }
      return nil
    }
    (reached, isLate) = (all[first].millisecond, true)
    return all.remove(at: first).sleeper
  }
}
