/// What the store has in hand: changes that it was given and has not answered, in the order of their numbers. It knows
/// no value and no event.
struct StoreHand: ~Copyable {
  /// What a change was about.
  enum Subject: BitwiseCopyable {
    case value(Slot<UnwrittenValue>, HeldReplyList)
    case event(Int)
    case gone(Int)
    case reserve(Int)
    case end
  }

  private struct Given: BitwiseCopyable {
    var subject: Subject
    var bytes: Int
  }

  private struct Answer: BitwiseCopyable {
    var upTo: Int
    var isKept: Bool
  }

  /// The number of the latest change that was given.
  private(set) var last = 0
  private var given = Queue<Given>()
  private var bytes = 0
  /// The number of the latest change whose answer has taken effect; and answers that have not.
  private var settled = 0
  private var answers = Queue<Answer>()
  private var answeredUpTo = 0
  /// What was given since the turn began.
  private var bytesOfTurn = 0

  /// What may be in hand at once, and what is given in one turn, in bytes: a change more than that is the most.
  private static let mostBytes = 4 << 20
  private static let mostBytesOfTurn = 1 << 20
  /// What a change counts beside its texts.
  private static let overhead = 256

  var isEmpty: Bool { given.isEmpty }
  var hasAnswers: Bool { answeredUpTo > settled }
  var isFull: Bool { bytes >= StoreHand.mostBytes }
  /// Whether this turn has given as much as it may.
  var isTurnOver: Bool { bytesOfTurn >= StoreHand.mostBytesOfTurn }

  mutating func beginTurn() { bytesOfTurn = 0 }

  /// The store gets a change. Returns its number.
  mutating func give(_ subject: Subject, bytes count: Int) -> Int {
    last += 1
    let count = count + StoreHand.overhead
    given.append(Given(subject: subject, bytes: count))
    bytes += count
    bytesOfTurn += count
    return last
  }

  /// The store has answered all changes up to a number that it had not answered.
  mutating func answer(upTo number: Int, isKept: Bool) {
    let number = min(number, last)
    guard number > answeredUpTo else { return }
    answeredUpTo = number
    answers.append(Answer(upTo: number, isKept: isKept))
  }

  /// The oldest change whose answer takes effect now; nil if there is none.
  mutating func settleNext() -> (subject: Subject, isKept: Bool)? {
    while let answer = answers.first {
      if answer.upTo > settled, let next = given.popFirst() {
        settled += 1
        bytes -= next.bytes
        return (next.subject, answer.isKept)
      }
      _ = answers.popFirst()
    }
    return nil
  }
}
