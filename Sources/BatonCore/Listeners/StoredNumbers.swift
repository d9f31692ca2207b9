/// What a store has of the kept events, by their numbers (contract, section 15). It knows no event. Without a store it
/// holds nothing and limits nothing.
///
/// Numbers that may be used are reserved on disk before they are used: so no start of the server uses one twice.
struct StoredNumbers: ~Copyable {
  /// Whether there is a store.
  private(set) var isOn = false
  /// Numbers below this one may be used. This one itself never is: after an unclean stop it stands for all that is not
  /// known, so that nobody has heard of it before.
  private(set) var reserved = Int.max
  /// What the store was told to reserve; the same as `reserved` if it has answered, or was not told.
  private(set) var asked = Int.max
  /// Events up to here were given to the store, or are gone.
  private(set) var handed = 0
  /// Events up to here may be on disk.
  private var mostHanded = 0
  /// Events on disk that are not kept any more, and how many of them the store has been told, and has not answered.
  private var gone = Queue<Int>()
  private var goneInHand = Queue<Int>()
  /// How many numbers are reserved at once.
  private var step = 1
  /// The latest number when the store was told to reserve more.
  private var askedAt = 0

  /// The most numbers that are reserved at once.
  private static let mostStep = 16_000_000
  /// Events that are taken away by one change, at most.
  static let mostGone = 256

  var isAnyGone: Bool { !gone.isEmpty }

  /// There is a store. What it had is restored now, or it is empty.
  mutating func begin(reserving step: Int) {
    isOn = true
    self.step = step
    (reserved, asked) = (0, 0)
  }

  /// The store has this event, or had it and it is gone.
  mutating func restored(_ seq: Int) { (handed, mostHanded) = (seq, seq) }

  /// All is restored: numbers up to this one may have been used.
  mutating func begin(after seq: Int) {
    (handed, mostHanded) = (seq, seq)
    (reserved, asked, askedAt) = (seq, seq, seq)
  }

  /// An event is not kept any more.
  mutating func drop(_ seq: Int) { if isOn, seq <= mostHanded { gone.append(seq) } }

  // MARK: To the store

  /// Whether to reserve more now: what is left is little, and the store has answered.
  func wantsReserve(lastSeq: Int) -> Bool { isOn && asked == reserved && lastSeq > reserved - step / 2 }

  /// What to reserve now; nil if there is enough, or the store has not answered.
  mutating func nextReserve(lastSeq: Int) -> Int? {
    guard wantsReserve(lastSeq: lastSeq) else { return nil }
    asked = lastSeq + step
    askedAt = lastSeq
    return asked
  }

  /// The store has answered what it was told to reserve. Many numbers used meanwhile mean that it was hardly enough: half
  /// of what is reserved is to last twice as long.
  mutating func settleReserve(_ seq: Int, isStored: Bool, lastSeq: Int) {
    guard isStored else { return asked = reserved }
    reserved = seq
    let used = lastSeq - askedAt
    if used > step / 4 { step = min(used * 4, StoredNumbers.mostStep) }
  }

  mutating func hand(_ seq: Int) {
    handed = seq
    mostHanded = max(mostHanded, seq)
  }

  /// The store does not keep this event: it is given once more, with those after it.
  mutating func handAgain(from seq: Int) { handed = min(handed, seq - 1) }

  /// The next events that are gone.
  mutating func handGone() -> [Int] {
    var numbers: [Int] = []
    while numbers.count < StoredNumbers.mostGone, let seq = gone.popFirst() {
      numbers.append(seq)
      goneInHand.append(seq)
    }
    return numbers
  }

  /// The store has answered about the oldest so many of them.
  mutating func settleGone(_ count: Int, isStored: Bool) {
    for _ in 0..<count {
      guard let seq = goneInHand.popFirst() else { return }
      if !isStored { gone.append(seq) }
    }
  }
}
