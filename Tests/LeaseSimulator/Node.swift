import Lease

/// One node: its lease, its clock, and how it is.
struct Node {
  let name: String
  /// How fast its clock goes, in thousandths, and where it stood at the beginning.
  let rate: Int64
  var offset: Int64
  /// What its clock for people shows beyond the right time.
  let wallOffset: Int64
  /// How long it slept, where its clock does not count that.
  var slept: Int64 = 0
  /// Counts the starts of its machine.
  var boots = 0
  /// What its store says of who led on it.
  var store: String?
  var lease: Lease
  /// Counts its processes: what was on its way to an earlier one comes nowhere.
  var life = 0
  var isUp = true
  var isConnected = false
  var isStopped = false
  /// Whether its server's loop turns.
  var turns = true
  /// What it believes.
  var until: Int64?
  var isFreeing = false
  /// What came while it was stopped.
  var waiting: [Lease.Event] = []

  /// The time of its clock.
  func clock(at now: Int64) -> Int64 { offset + (now - slept) * rate / 1000 }

  /// Whether it would act as a leader that does not look at its clock.
  var acts: Bool { isUp && !isStopped && until != nil }

  /// Whether it acts as the leader.
  func leads(at now: Int64) -> Bool {
    guard isUp, !isStopped, let until else { return false }
    return clock(at: now) < until
  }
}
