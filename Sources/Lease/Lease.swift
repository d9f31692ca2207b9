/// Who of several nodes leads: one node's side of it. Events and the time go in, effects come out; it has no sockets, no clock
/// and no chance.
///
/// There is one register, which all nodes read and write: it has a number and a record. A write says which number it expects, and
/// is refused where there is another. All times are milliseconds of this node's own clock, which counts while the machine sleeps;
/// `wall` is milliseconds since 1970, by a clock that may be wrong.
///
/// - A leader writes again and again. A write that was sent at s and is known to be written holds until s + `leaseMs`.
/// - A spare takes the lease when it has seen one number unchanged for 1.2 × the `leaseMs` in it. Clocks may be 5 % apart from the
///   right speed: 1.2 × 0.95 is more than 1.05.
/// - Whoever has the store of the leader that wrote it takes it at once, less than `leaseMs` after it was written: nobody else can
///   have waited long enough since. An older record may be there again because the register went back, and others have led.
public struct Lease {
  /// What happens.
  public enum Event: Equatable, Sendable {
    /// The register can be reached from now on, or not any more. Questions that were open have no answer.
    case connected, lost
    /// Somebody wrote, perhaps.
    case heard
    /// A question is answered.
    case looked(question: Int, Look)
    /// A write is answered, however late.
    case wrote(count: Int64, Written)
    /// The server's loop has turned.
    case turned
    /// The leader begins to drain, and this node, if any, is to lead next; and it is done with everything.
    case leaves(to: String?), frees
    /// It is as late as `wakeAt` said.
    case tick
  }

  /// What the register has.
  public enum Look: Equatable, Sendable {
    /// A number, and its record; nil if that is no record.
    case found(UInt64, LeaseRecord?)
    /// It is empty, and its last number was this one.
    case nothing(last: UInt64)
    /// That is not known.
    case noAnswer
  }

  /// What came of a write.
  public enum Written: Equatable, Sendable {
    /// The register has this number now.
    case number(UInt64)
    case refused
  }

  /// What is to be done.
  public enum Effect: Equatable, Sendable {
    /// Read the register, and say `looked`.
    case look(question: Int)
    /// Write the record if the register has this number, and say `wrote`.
    case write(LeaseRecord, expecting: UInt64)
    /// The node leads from now on, until this time.
    case leads(Leadership, until: Int64)
    /// It leads until this time.
    case holds(until: Int64)
    /// The lease is let go, and somebody else may have it.
    case isFree
    /// It leads no longer: why.
    case ends(String)
  }

  /// Why a node leads.
  public struct Leadership: Equatable, Sendable {
    /// The leadership's number.
    public let epoch: Int64
    /// How it came to it.
    public let why: Why
  }

  /// How a node came to lead.
  public enum Why: String, Sendable {
    /// Nobody led before, as far as the register knows.
    case first
    /// The one before fell silent.
    case taken
    /// It led itself: its process died, and another one has begun in time.
    case own
    /// The one before has let it go.
    case handedOver = "handed_over"
  }

  /// What a spare has seen.
  struct Sight {
    var look: Look
    /// When it was first seen so, and last.
    var since: Int64
    var last: Int64
  }

  /// A write of this node's.
  struct Attempt {
    let count: Int64
    let sent: Int64
    let expected: UInt64
    let leadership: Leadership
  }

  enum Phase { case spare, takes, leads, frees, over }

  /// How long a write may have no answer before the register is read.
  static let patience: Int64 = 2000
  /// How long others wait for the one to whom a free lease is given.
  static let courtesy: Int64 = 2000
  /// Writes whose answers may still come.
  static let mostAttempts = 16

  /// What this node says of itself. A leader's next write tells what is new in it.
  public var terms: LeaseTerms
  /// Whether it may not take the lease, whatever the register has: its store is behind.
  public var isHeldBack = false
  var phase = Phase.spare
  var isConnected = false
  var sight: Sight?
  var question: Int?
  var lastQuestion = 0
  /// Whether it looks again as soon as the open question is answered.
  var looksAgain = false
  var nextLook: Int64 = 0
  var attempts: [Attempt] = []
  /// The write that has no answer yet.
  var writing: Attempt?
  var lastCount: Int64 = 0
  var highestEpoch: Int64 = 0
  // As a leader:
  var leadership = Leadership(epoch: 0, why: .first)
  var until: Int64 = 0
  /// The number to expect; nil: it has to be read.
  var number: UInt64?
  var nextRenewal: Int64 = 0
  var turned: Int64 = 0
  var isLeaving = false
  var successor: String?

  /// A node that has seen nothing.
  public init(_ terms: LeaseTerms) { self.terms = terms }

  /// Something has happened.
  public mutating func take(_ event: Event, at now: Int64, wall: Int64) -> [Effect] {
    var effects: [Effect] = []
    // Nobody leads for a moment longer because something else has just come.
    if phase == .leads, now >= until { end("its lease was not renewed in time", &effects) }
    guard phase != .over else { return effects }
    switch event {
    case .connected:
      isConnected = true
      forget()
      look(at: now, &effects)
    case .lost:
      isConnected = false
      forget()
    case .heard: hear(at: now, &effects)
    case .looked(let asked, let seen):
      guard asked == question else { break }
      question = nil
      take(seen, at: now, wall: wall, &effects)
    case .wrote(let count, let written): take(written, of: count, at: now, &effects)
    case .turned: turned = now
    case .leaves(let to): leave(to, at: now)
    case .frees: if phase == .leads { phase = .frees }
    case .tick: break
    }
    goOn(at: now, wall: wall, &effects)
    return effects
  }

  /// Whether it has begun to let the lease go: from then on it does not lead.
  package var hasLetGo: Bool { phase == .frees }

  /// The number of this node's leadership; of no meaning before it leads.
  public var leadershipNumber: Int64 { leadership.epoch }

  /// When `tick` is due at the latest.
  public var wakeAt: Int64 {
    let end = phase == .leads ? until : .max
    guard isConnected, phase != .over else { return end }
    if let writing { return min(end, writing.sent + Lease.patience) }
    // Each question is answered, if only with `noAnswer`.
    guard question == nil else { return end }
    return min(end, phase == .leads && number != nil ? nextRenewal : nextLook)
  }

  /// What a connection that is lost has taken with it: what was asked, and that nothing was missed.
  private mutating func forget() {
    (question, looksAgain, sight) = (nil, false, nil)
    if phase != .spare { (number, writing) = (nil, nil) }
  }

  private mutating func hear(at now: Int64, _ effects: inout [Effect]) {
    guard phase == .spare, isConnected else { return }
    if question == nil { look(at: now, &effects) } else { looksAgain = true }
  }

  mutating func look(at now: Int64, _ effects: inout [Effect]) {
    guard isConnected, question == nil else { return }
    lastQuestion += 1
    question = lastQuestion
    nextLook = now + max(1, terms.renewMs / 4)
    effects.append(.look(question: lastQuestion))
  }

  mutating func end(_ why: String, _ effects: inout [Effect]) {
    phase = .over
    effects.append(.ends(why))
  }

  /// Does what is due.
  private mutating func goOn(at now: Int64, wall: Int64, _ effects: inout [Effect]) {
    guard isConnected else { return }
    if let sent = writing?.sent, now - sent >= Lease.patience {
      (writing, number) = (nil, nil)
      look(at: now, &effects)
    }
    switch phase {
    case .over: break
    case .spare, .takes: if writing == nil, question == nil, now >= nextLook { look(at: now, &effects) }
    case .leads, .frees: renewIfDue(at: now, &effects)
    }
  }

  private mutating func take(_ seen: Look, at now: Int64, wall: Int64, _ effects: inout [Effect]) {
    if case .found(_, let record?) = seen { highestEpoch = max(highestEpoch, record.epoch) }
    switch phase {
    case .spare, .takes: see(seen, at: now, wall: wall, &effects)
    case .leads, .frees: readBack(seen, at: now, &effects)
    case .over: break
    }
    if looksAgain, phase == .spare {
      looksAgain = false
      look(at: now, &effects)
    }
  }

  // MARK: Writing

  mutating func write(_ leadership: Leadership, expecting expected: UInt64, at now: Int64, _ effects: inout [Effect]) {
    lastCount += 1
    let attempt = Attempt(count: lastCount, sent: now, expected: expected, leadership: leadership)
    attempts.append(attempt)
    if attempts.count > Lease.mostAttempts { attempts.removeFirst() }
    writing = attempt
    effects.append(
      .write(
        LeaseRecord(
          node: terms.node, start: terms.start, epoch: leadership.epoch, count: lastCount, boot: terms.boot,
          at: now, leaseMs: terms.leaseMs, renewMs: terms.renewMs, nodes: terms.nodes, digest: terms.digest,
          leaves: isLeaving, free: phase == .frees, to: successor), expecting: expected))
  }

  private mutating func take(_ written: Written, of count: Int64, at now: Int64, _ effects: inout [Effect]) {
    let isNewest = writing?.count == count
    if isNewest { writing = nil }
    // An error has a number, too: 0. Only the one that was to come counts.
    guard let attempt = attempts.first(where: { $0.count == count }), case .number(let new) = written,
      new == attempt.expected + 1
    else {
      if isNewest {
        number = nil
        look(at: now, &effects)
      }
      return
    }
    known(attempt, as: new, isNewest: isNewest || writing == nil, at: now, &effects)
  }

  /// A write is known to have been written.
  mutating func known(
    _ attempt: Attempt, as new: UInt64, isNewest: Bool, at now: Int64, _ effects: inout [Effect]
  ) {
    let end = attempt.sent + terms.leaseMs
    switch phase {
    case .spare, .takes:
      // Known too late: somebody else may have waited long enough. It waits like all others.
      guard now < end else {
        (phase, sight) = (.spare, nil)
        return look(at: now, &effects)
      }
      phase = .leads
      leadership = attempt.leadership
      (until, number, turned) = (end, new, now)
      nextRenewal = attempt.sent + terms.renewMs
      writing = nil
      effects.append(.leads(leadership, until: until))
    case .leads:
      if isNewest { number = new }
      nextRenewal = max(nextRenewal, attempt.sent + terms.renewMs)
      guard end > until else { return }
      until = end
      effects.append(.holds(until: until))
    case .frees:
      if isNewest { number = new }
      guard attempt.count == freeCount else { return }
      phase = .over
      effects.append(.isFree)
    case .over: break
    }
  }

  /// The count of the write that lets the lease go; nil before it was sent.
  var freeCount: Int64?
}
