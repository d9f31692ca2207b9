/// What waits to be logged: at most one entry of each kind. It knows neither links nor connections.
///
/// Each kind has one entry a second at most, so that a flood does not flood the log. What comes within that second is
/// one entry after it: a single event with all that is known of it; several with their number, the time in which they
/// came, and the names of the first few. Nothing is counted twice, and nothing gets lost: the last call asks for all the
/// counts.
///
/// The second begins when an entry is handed out, at the end of the turn in which its event came. So noting needs no
/// time.
struct Journal: ~Copyable {
  private struct State {
    /// Whether the next event has an entry of its own.
    var isOpen = true
    /// The end of the second after its last entry; nil before that entry was handed out.
    var until: Instant?
    /// The events that were counted since then, and whom the first of them are about.
    var more = 0
    var first: [String] = []
    /// The messages that these links failed, and since when the first of them did; nil if that is the last entry.
    var messages = 0
    var since: Instant?
    /// What is known of the first of them.
    var facts: [JournalFact] = []
  }

  private var states = [State](repeating: State(), count: JournalKind.all.count)
  private var entries: [JournalEntry] = []
  /// Links whose failures were told within the last minute, and when the minute is over.
  var toldFailing = Queue<ToldFailures>()

  /// Milliseconds between two entries of a kind.
  private static let pause = 1000
  /// Of the events that are only counted, so many are named.
  private static let named = 8
  /// The links in the list. The failures of further links wait until there is room.
  private static let mostFailing = 10_000

  /// Whether there is something to hand out, apart from what waits for its time.
  @inline(__always)
  var hasNews: Bool { !entries.isEmpty }

  var hasRoomForFailing: Bool { toldFailing.count < Journal.mostFailing }

  // MARK: In

  /// Counts an event, and the messages that a link failed since it was told last. If this returns true, the caller must
  /// `tell` of it.
  mutating func counts(_ kind: JournalKind, messages: Int = 0, since: Instant? = nil) -> Bool {
    if states[kind.index].isOpen { return true }
    states[kind.index].more += 1
    states[kind.index].messages += messages
    if let since { states[kind.index].since = min(since, states[kind.index].since ?? since) }
    return states[kind.index].first.count < Journal.named
  }

  /// Notes an event that was counted. `subject` names it among others.
  mutating func tell(_ kind: JournalKind, _ subject: String, _ facts: [JournalFact]) {
    guard states[kind.index].isOpen else {
      if states[kind.index].first.isEmpty { states[kind.index].facts = facts }
      return states[kind.index].first.append(subject)
    }
    states[kind.index].isOpen = false
    entries.append(JournalEntry(kind: kind, more: 0, facts: facts))
  }

  // MARK: Out

  /// Ends the seconds that are over. What was counted in them becomes an entry. `isLast` ends all of them.
  mutating func reopen(at now: Instant, isLast: Bool) {
    for (index, kind) in JournalKind.all.enumerated() {
      let counted = states[index]
      guard let until = counted.until, until <= now || isLast else { continue }
      states[index] = State()
      guard counted.more > 0 else { continue }
      states[index].isOpen = false
      if counted.more == 1 {
        entries.append(JournalEntry(kind: kind, more: 0, facts: counted.facts))
        continue
      }
      let names = counted.first.joined(separator: ", ") + (counted.more > counted.first.count ? ", …" : "")
      let since = counted.since ?? until.advanced(milliseconds: -Journal.pause)
      let within = max(0, now.milliseconds(since: since))
      var facts: [JournalFact] = [.text("first", names), .number("within_ms", within)]
      if counted.messages > 0 { facts.append(.number("messages", counted.messages)) }
      entries.append(JournalEntry(kind: kind, more: counted.more, facts: facts))
    }
  }

  /// Hands out the entry that was noted first; nil if there is none.
  mutating func takeEntry(at now: Instant) -> JournalEntry? {
    guard !entries.isEmpty else { return nil }
    let entry = entries.removeFirst()
    states[entry.kind.index].until = now.advanced(milliseconds: Journal.pause)
    return entry
  }

  /// When a second ends, or a link's minute; nil if nothing waits for its time.
  var dueAt: Instant? {
    let seconds = states.lazy.compactMap(\.until).min()
    guard let minute = toldFailing.first?.until else { return seconds }
    return seconds.map { min($0, minute) } ?? minute
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
