internal import BatonLasting

/// What lies between the router and the record: ends of messages that nobody has fetched yet, and how many of those that were
/// fetched are not written. It knows no message and no connection.
struct Recorder: ~Copyable {
  /// What waits to be written, and who pays for it.
  struct Owed: BitwiseCopyable {
    var bytes: Int
    var account: Ref<PeerAccount>
  }

  /// Nil: nothing is recorded.
  private(set) var rule: RecordRule?
  /// Which rule it is: chains remember what they found under one.
  private(set) var revision: UInt32 = 0
  /// Which of the operator's files is in force.
  private(set) var file = 0
  private var items: [RecordItem] = []
  /// The number of the last end that was noted, and of the last that is written.
  private(set) var noted = 0
  private(set) var written = 0
  private var owed = Queue<Owed>()
  /// The number of the last end that is said to be written.
  private(set) var confirmed = 0
  /// Whether a job settles what was said to be written.
  var isListed = false
  /// The bytes of what is not written yet.
  private(set) var bytes = 0
  /// Ends that were not noted for want of room since the last one that was, and when the first of them came.
  private var missed = 0
  private var missedSince = Instant(microseconds: 0)
  /// All of them, ever.
  private(set) var missedInTotal = 0
  /// Why the disk does not take lines, as the system says it; nil while it does.
  private(set) var failure: String?
  private(set) var failsSince: Instant?
  /// What is on the disk, of what it may be: told with each answer.
  private(set) var sight = RecordSight()
  /// The number of ends that were not told, because the server ended before their lines were written.
  var untold = 0

  var isOn: Bool { rule != nil }
  var isStrict: Bool { rule?.isStrict == true }
  var isFailing: Bool { failure != nil }
  var hasItems: Bool { !items.isEmpty || missed > 0 }

  mutating func take(_ rule: RecordRule?) {
    guard rule != self.rule else { return }
    self.rule = rule
    revision += 1
  }

  /// The operator's file was read anew.
  mutating func noteFile() { file += 1 }

  func names(_ chain: UnsafeRawBufferPointer) -> Bool {
    guard let rule else { return false }
    return rule.chains?.contains { $0.withUnsafeBytes { $0.equals(chain) } } ?? true
  }

  func takes(_ topic: UnsafeRawBufferPointer) -> Bool {
    guard let rule else { return false }
    guard let topics = rule.topics else { return true }
    return topics.contains { $0.withUnsafeBytes { Pattern.matches(topic, pattern: $0) } }
  }

  /// Notes an end. Its number is `noted` then.
  mutating func note(_ end: RecordedEnd, of account: Ref<PeerAccount>, at now: Instant) {
    tellMissed(at: now)
    items.append(.end(end))
    noted += 1
    owed.append(Owed(bytes: end.bytes.count, account: account))
    bytes += end.bytes.count
  }

  mutating func note(_ item: RecordItem, at now: Instant) {
    tellMissed(at: now)
    items.append(item)
  }

  /// An end is not noted for want of room.
  mutating func miss(at now: Instant) {
    if missed == 0 { missedSince = now }
    missed += 1
    missedInTotal += 1
  }

  private mutating func tellMissed(at now: Instant) {
    guard missed > 0 else { return }
    items.append(.missed(missed, ago: Int(now.microseconds - missedSince.microseconds)))
    missed = 0
  }

  /// All that has not been fetched yet, in order.
  mutating func fetch(at now: Instant) -> [RecordItem] {
    tellMissed(at: now)
    var fetched: [RecordItem] = []
    swap(&fetched, &items)
    return fetched
  }

  /// So many more of the ends that were fetched are written.
  mutating func confirm(_ count: Int) { confirmed += count }

  /// The next of them. Returns what it took.
  mutating func settleNext() -> Owed? {
    guard written < confirmed, let next = owed.popFirst() else { return nil }
    written += 1
    bytes -= next.bytes
    return next
  }

  mutating func show(_ sight: RecordSight) { self.sight = sight }

  mutating func fails(_ why: String?, at now: Instant) {
    failure = why
    failsSince = why == nil ? nil : failsSince ?? now
  }
}

/// How the record is on its disk.
package struct RecordSight: Sendable, Equatable {
  package var lines = 0
  package var bytes = 0
  /// The number of the last head, or 0.
  package var head = 0
  /// Whether three quarters of what may be kept is there, and nothing says for how long.
  package var isNearlyFull = false

  package init() {}
}
