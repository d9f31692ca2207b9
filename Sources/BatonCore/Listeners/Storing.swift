internal import BatonLasting

/// How far the store has come with what stays (contract, section 15). It knows no connection and no message.
struct Storing: ~Copyable {
  /// What a change was about.
  enum Subject: BitwiseCopyable {
    case value(Slot<UnwrittenValue>, TicketList)
    case event(Int)
    case gone(Int)
    case reserve(Int)
    case end
  }

  private struct Answer: BitwiseCopyable {
    var count: Int
    var isStored: Bool
  }

  /// Whether there is a store.
  var isOn = false
  /// The topics whose values are not on disk as they are in memory.
  var values: UnwrittenValues
  /// The changes that the store has, the oldest first; and its answers that have not taken effect.
  private var given = Queue<Subject>()
  private var answers = Queue<Answer>()
  private var answer = Answer(count: 0, isStored: false)
  /// Whether a job carries answers out.
  var isListed = false
  /// The replies of the change whose answer takes effect now.
  var telling = TicketList()
  var isStored = false
  /// Whether commits fail.
  var isFailing = false
  /// Whether a commit has failed because the file is damaged.
  var isDamaged = false
  /// Whether the last commit failed because the file has gone, or is another one.
  var hasLostFile = false
  /// How its log is, and since when it is held.
  var log = StoreLogFacts()
  var logHeldSince: Instant?
  /// Whether its disk has less than `min_free_bytes`: nothing more is kept then, so that what was accepted has room to end.
  var lacksRoom = false
  /// Whether the server ends: when all is written, the store is told.
  var isEnding = false
  var hasToldEnd = false
  /// Whether the end is on disk.
  var hasEnded = false

  init(seed: UInt64) { values = UnwrittenValues(seed: seed) }

  var hasNothingInHand: Bool { given.isEmpty }

  mutating func give(_ subject: Subject) { given.append(subject) }

  /// The oldest so many changes are on disk, or will not be.
  mutating func answer(_ count: Int, isStored: Bool) {
    if count > 0 { answers.append(Answer(count: count, isStored: isStored)) }
  }

  /// The oldest change whose answer takes effect now; nil if there is none.
  mutating func settleNext() -> (subject: Subject, isStored: Bool)? {
    if answer.count == 0, let next = answers.popFirst() { answer = next }
    guard answer.count > 0, let subject = given.popFirst() else { return nil }
    answer.count -= 1
    return (subject, answer.isStored)
  }
}
