/// What waits to be logged: at most one entry of each kind and each peer. It knows neither links nor connections.
///
/// Each kind has one entry a second at most for each identity, so that a flood does not flood the log, and nobody's flood
/// hides what others do. Wrong tokens have one entry a minute for each address (contract, section 11), and so have tokens
/// that everybody may have read, for each identity. What comes within that time is one entry after it: a single event with
/// all that is known of it; several with their number, the time in which they came, and the names of the first few.
/// Nothing is counted twice, and nothing gets lost: the last call asks for all the counts.
///
/// The time begins when an entry is handed out, at the end of the turn in which its event came. So noting needs no time.
struct Journal: ~Copyable {
  /// Whose doing an event is, as far as that is told apart.
  enum Whose: Hashable {
    case anybody
    case identity(String)
    /// What counts as one address (`PeerFacts.address`).
    case address(UInt64)
  }

  private struct Key: Hashable {
    let kind: JournalKind
    let whose: Whose

    /// Milliseconds between two entries.
    var pause: Int { kind == .closes(.authFailed) || kind == .exposesToken ? 60_000 : 1000 }
  }

  /// What came since the last entry of a kind.
  private struct State {
    let key: Key
    /// The end of the time after its last entry; nil before that entry was handed out.
    var until: Instant?
    var more = 0
    /// Whom the first events are about.
    var first: [String] = []
    /// The messages that these links failed, and since when the first of them did; nil if that is the last entry.
    var messages = 0
    var since: Instant?
    /// What is known of the first of them.
    var facts: [JournalFact] = []
  }

  /// Those of which an entry was made, until their time is over. What is not there has an entry of its own next.
  private var states: [State] = []
  private var indices: [Key: Int] = [:]
  private var entries: [(key: Key, entry: JournalEntry)] = []
  /// Links whose failures were told within the last minute, and when the minute is over.
  var toldFailing = Queue<ToldFailures>()

  /// Of the events that are only counted, so many are named.
  private static let named = 8
  /// The most states. With more, peers are not told apart.
  private static let mostStates = 256
  /// The links in the list. The failures of further links wait until there is room.
  private static let mostFailing = 10_000

  /// Whether there is something to hand out, apart from what waits for its time.
  @inline(__always)
  var hasNews: Bool { !entries.isEmpty }

  var hasRoomForFailing: Bool { toldFailing.count < Journal.mostFailing }

  // MARK: In

  /// Counts an event, and the messages that a link failed since it was told last. If this returns true, the caller must
  /// `tell` of it.
  mutating func counts(
    _ kind: JournalKind, of whose: Whose = .anybody, messages: Int = 0, since: Instant? = nil
  ) -> Bool {
    guard let index = indices[key(kind, whose)] else { return true }
    states[index].more += 1
    states[index].messages += messages
    if let since { states[index].since = min(since, states[index].since ?? since) }
    return states[index].first.count < Journal.named
  }

  /// Notes an event that was counted. `subject` names it among others.
  mutating func tell(_ kind: JournalKind, of whose: Whose = .anybody, _ subject: String, _ facts: [JournalFact]) {
    let key = key(kind, whose)
    guard let index = indices[key] else {
      indices[key] = states.count
      states.append(State(key: key))
      return entries.append((key, JournalEntry(kind: kind, more: 0, facts: facts)))
    }
    if states[index].first.isEmpty { states[index].facts = facts }
    states[index].first.append(subject)
  }

  private func key(_ kind: JournalKind, _ whose: Whose) -> Key {
    let key = Key(kind: kind, whose: whose)
    return indices[key] == nil && states.count >= Journal.mostStates ? Key(kind: kind, whose: .anybody) : key
  }

  // MARK: Out

  /// Ends the times that are over. What was counted in them becomes an entry. `isLast` ends all of them.
  mutating func reopen(at now: Instant, isLast: Bool) {
    var hasEnded = false
    for index in states.indices {
      let counted = states[index]
      guard let until = counted.until, until <= now || isLast else { continue }
      guard counted.more > 0 else {
        hasEnded = true
        continue
      }
      states[index] = State(key: counted.key)
      entries.append((counted.key, Journal.entry(of: counted, until: until, at: now)))
    }
    guard hasEnded else { return }
    states.removeAll { state in state.until.map { $0 <= now || isLast } ?? false }
    indices.removeAll(keepingCapacity: true)
    for index in states.indices { indices[states[index].key] = index }
  }

  private static func entry(of counted: State, until: Instant, at now: Instant) -> JournalEntry {
    if counted.more == 1 { return JournalEntry(kind: counted.key.kind, more: 0, facts: counted.facts) }
    let names = counted.first.joined(separator: ", ") + (counted.more > counted.first.count ? ", …" : "")
    let since = counted.since ?? until.advanced(milliseconds: -counted.key.pause)
    let within = max(0, now.milliseconds(since: since))
    var facts: [JournalFact] = [.text("first", names), .number("within_ms", within)]
    if counted.messages > 0 { facts.append(.number("messages", counted.messages)) }
    return JournalEntry(kind: counted.key.kind, more: counted.more, facts: facts)
  }

  /// Hands out the entry that was noted first; nil if there is none.
  mutating func takeEntry(at now: Instant) -> JournalEntry? {
    guard !entries.isEmpty else { return nil }
    let (key, entry) = entries.removeFirst()
    if let index = indices[key] { states[index].until = now.advanced(milliseconds: key.pause) }
    return entry
  }

  /// When such a time ends, or a link's minute; nil if nothing waits for its time.
  var dueAt: Instant? {
    let times = states.lazy.compactMap(\.until).min()
    guard let minute = toldFailing.first?.until else { return times }
    return times.map { min($0, minute) } ?? minute
  }
}

/// A link whose failures were told, and when.
struct ToldFailures: BitwiseCopyable {
  let link: Ref<Link>
  let at: Instant
  /// Until when it is not told of again.
  var until: Instant { at.advanced(milliseconds: 60_000) }
}

/// The failures of a link that no entry has told.
struct UntoldFailures {
  /// How many, and the cause of the last one.
  var count = 0
  var cause = Cause.failed
  /// When its failures were told last; nil if the link is not in the journal's list.
  var toldAt: Instant?
}
